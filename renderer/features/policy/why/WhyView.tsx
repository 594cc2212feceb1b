/** Answers "why is this tool missing?": the removers in order, what will not help, and verified ways back. */

import { useMemo } from "react";
import type { PolicyContext, PolicyRow, PolicyRule } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { Picker, VerdictShape } from "../../../ui/index.ts";
import "../detail/detail.css";
import { RuleBlocks } from "../detail/RuleBlocks.tsx";
import { cellRules, keptCount, lineOf, removers } from "../model/matrixModel.ts";
import { likelySlip, nearestName } from "../model/slip.ts";
import { Rich } from "../Rich.tsx";
import type { TraceView } from "../usePolicyTrace.ts";
import { cellSentence, columnLabel, reasonValues } from "../words.ts";
import "./why.css";
import { BigLine } from "./BigLine.tsx";
import { RepairList } from "./RepairList.tsx";
import { useRepairs, type VerifiedRepair } from "./useRepairs.ts";

export interface WhyViewProps {
  tool: string;
  view: TraceView;
  context: PolicyContext;
  agents: readonly string[];
  config: unknown;
  configHash: string | null;
  onTool: (tool: string) => void;
  onTry: (repair: VerifiedRepair) => void;
}

export function WhyView(props: WhyViewProps) {
  const t = useT("policy");
  const { view, tool } = props;
  const { trace } = view;
  const names = useMemo(() => trace.rows.map((row) => row.name), [trace]);
  const row = trace.rows.find((candidate) => candidate.name === tool) ?? null;
  const options = useMemo(
    () =>
      trace.rows.map((entry) => ({
        value: entry.name,
        label: entry.name,
        ...(entry.verdict.kind === "kept" ? { hint: t("effect.kept") } : {}),
      })),
    [trace, t],
  );
  return (
    <div className="policy-why">
      <div className="policy-question">
        <span>{t("missing.questionBefore")}</span>
        <Picker
          look="field"
          label={t("columns.tool")}
          value={tool}
          options={options}
          onChange={props.onTool}
          allowOther
        />
        <span>{t("missing.questionAfter")}</span>
      </div>
      {row === null ? <Unknown tool={tool} names={names} /> : <Answer {...props} row={row} />}
    </div>
  );
}

function Unknown({ tool, names }: { tool: string; names: readonly string[] }) {
  const t = useT("policy");
  const nearest = nearestName(names, tool);
  return (
    <p className="policy-answer">
      <Rich t={t} k="missing.unknownTool" values={{ tool }} />{" "}
      {nearest === null ? null : <Rich t={t} k="missing.nearest" values={{ name: nearest }} />}
    </p>
  );
}

function Answer(props: WhyViewProps & { row: PolicyRow }) {
  const t = useT("policy");
  const { view, row, config } = props;
  const { trace, positions } = view;
  const found = removers(trace, row);
  const slip = likelySlip(trace, row.name);
  const isKept = row.verdict.kind === "kept";
  const helpless = useMemo(() => losers(view, row), [view, row]);
  const { result, isWorking } = useRepairs({
    trace,
    row,
    config,
    configHash: props.configHash,
    context: props.context,
    preset: view.preset,
    agents: props.agents,
  });
  const shown = result?.repairs.slice(0, 4) ?? [];
  const surfaceIndex = trace.columns.findIndex((column) => column.kind === "surface");
  const http = row.cells[surfaceIndex];
  return (
    <>
      <section className="policy-answer">
        {isKept ? (
          <Rich t={t} k="missing.notMissing" values={{ tool: row.name }} />
        ) : row.verdict.kind === "absent" && found.length <= 1 ? (
          <Rich t={t} k="missing.absentNow" />
        ) : (
          <Rich t={t} k="missing.removers" values={{ count: found.length }} />
        )}{" "}
        {found.slice(0, 3).map(({ column, cell }) => {
          const sentence = cellSentence(t, trace, column, cell, row);
          return (
            <span key={column.id}>
              <code>{columnLabel(t, column)}</code>
              {": "}
              <Rich t={t} k={sentence.key} values={sentence.values} />{" "}
            </span>
          );
        })}
        {slip === null ? null : (
          <Rich
            t={t}
            k={lineOf(positions, slip.configPath) === null ? "missing.slipNoLine" : "missing.slip"}
            values={{
              line: lineOf(positions, slip.configPath) ?? 0,
              path: slip.path,
              entry: slip.entries.join(", "),
            }}
          />
        )}
      </section>
      <BigLine t={t} trace={trace} row={row} />
      <div className="policy-why-columns">
        <section aria-label={t("missing.removes")}>
          <h2>{t(isKept ? "missing.keeps" : "missing.removes")}</h2>
          {(isKept ? keepers(view, row) : found).map(({ column, cell }) => {
            const sentence = cellSentence(t, trace, column, cell, row);
            return (
              <div key={column.id} className="policy-remover">
                <code className="policy-remover-label">
                  {column.number === undefined ? null : `${column.number} `}
                  {columnLabel(t, column)}
                </code>
                <p className="second">
                  <Rich t={t} k={sentence.key} values={sentence.values} />
                </p>
                <RuleBlocks
                  t={t}
                  trace={trace}
                  rules={cellRules(trace, cell)}
                  config={config}
                  positions={positions}
                  tool={row.name}
                  isRemoval={!isKept}
                  saidCode={cell.why?.code}
                />
              </div>
            );
          })}
          {isKept ? null : (
            <>
              <hr className="policy-rule" />
              <h2>{t("missing.willNotHelp")}</h2>
              <ul className="policy-helpless">
                {helpless.map((rule) => {
                  const why = rule.lostTo?.why ?? rule.why;
                  const sentence = reasonValues(t, trace, why, row.name);
                  return (
                    <li key={rule.id}>
                      <VerdictShape kind="withoutEffect" />
                      <span>
                        <code>{rule.path}</code> <code>{rule.entry}</code>
                        {": "}
                        <Rich t={t} k={sentence.key} values={sentence.values} />
                      </span>
                    </li>
                  );
                })}
                {row.name === "exec" ? null : (
                  <li>
                    <VerdictShape kind="withoutEffect" />
                    <span>
                      <Rich t={t} k="missing.elevated" />
                    </span>
                  </li>
                )}
              </ul>
            </>
          )}
          {http === undefined || (props.context.surface ?? "model") === "http" ? null : (
            <p className="policy-http second">
              <Rich t={t} k="missing.http" values={{ effect: t(`effect.${http.effect}`) }} />
            </p>
          )}
        </section>
        {isKept ? null : (
          <section aria-label={t("missing.repairs")}>
            <h2>
              {t("missing.repairs")}{" "}
              <span className="second policy-h2-note">
                {t("missing.ranked")}
                {result === null ? null : ` · ${t("missing.contexts", { count: result.contextsChecked })}`}
              </span>
            </h2>
            {isWorking ? <p className="second">{t("missing.computing")}</p> : null}
            {result !== null && shown.length === 0 ? <p>{t("missing.noRepair")}</p> : null}
            <RepairList
              t={t}
              repairs={shown}
              tool={row.name}
              agentId={props.context.agentId ?? ""}
              agents={props.agents}
              config={config}
              positions={positions}
              onTry={props.onTry}
            />
            {result === null || shown.length === 0 ? null : (
              <p className="second">
                {t("missing.shownOf", { shown: shown.length, total: result.repairs.length })}{" "}
                {t("missing.checkedIn", {
                  contexts: t("missing.contexts", { count: result.contextsChecked }),
                  ms: result.tookMs.toFixed(0),
                })}{" "}
                {t("missing.nowKept", { kept: keptCount(trace), total: trace.rows.length })}
              </p>
            )}
          </section>
        )}
      </div>
    </>
  );
}

/** Rules that name the tool and lose: what a person might try in vain. */
function losers(view: TraceView, row: PolicyRow): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const cell of row.cells) {
    for (const rule of cellRules(view.trace, cell)) {
      if (rule.lostTo !== undefined && rule.effect === "allows")
        found.set(`${rule.path} ${rule.entry}`, rule);
    }
  }
  return [...found.values()].slice(0, 6);
}

/** Columns whose rules let the tool pass by naming it. */
function keepers(view: TraceView, row: PolicyRow) {
  return view.trace.columns.flatMap((column, index) => {
    const cell = row.cells[index];
    return cell !== undefined && column.kind !== "surface" && (cell.ruleIds?.length ?? 0) > 0
      ? [{ column, cell }]
      : [];
  });
}
