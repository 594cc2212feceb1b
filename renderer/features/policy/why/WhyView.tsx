/** Answers "why is this tool missing?": the removers in order, what will not help, and verified ways back. */

import { useMemo, useState } from "react";
import { getList } from "../../../../shared/policy/configRecord.ts";
import { defaultAgentId, normalizeAgentId } from "../../../../shared/policy/index.ts";
import { agentScopes } from "../../../../shared/policy/scopes.ts";
import type { ConfigEdit, PolicyContext, PolicyRow, PolicyRule } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import type { PanelOutput } from "../../../rpc/connection.ts";
import { useQueryRpc } from "../../../rpc/hooks.ts";
import { Button, Picker, Segmented, VerdictShape } from "../../../ui/index.ts";
import type { AssertionCheck } from "../assertions/useAssertions.ts";
import "../detail/detail.css";
import { RuleBlocks } from "../detail/RuleBlocks.tsx";
import { cellRules, keptCount, lineOf, removers } from "../model/matrixModel.ts";
import { otherSemantics, type Semantics } from "../model/semantics.ts";
import { likelySlip } from "../model/slip.ts";
import { Rich } from "../Rich.tsx";
import type { Subject } from "../source/subject.ts";
import { askedConfig, type TraceView } from "../usePolicyTrace.ts";
import { cellSentence, columnLabel, reasonValues } from "../words.ts";
import "./why.css";
import { BigLine } from "./BigLine.tsx";
import { RepairList } from "./RepairList.tsx";

export interface WhyViewProps {
  tool: string;
  view: TraceView;
  subject: Subject;
  context: PolicyContext;
  semantics: Semantics;
  assertions: AssertionCheck | null;
  onTool: (tool: string) => void;
  onSemantics: (semantics: Semantics) => void;
  onPropose: (edits: readonly ConfigEdit[], isReviewing: boolean) => void;
}

const layers = ["any", "agent", "tools"] as const;
type Layer = (typeof layers)[number];
const shownRepairs = 4;

export function WhyView(props: WhyViewProps) {
  const t = useT("policy");
  const { view, tool, subject } = props;
  const { trace } = view;
  const [layer, setLayer] = useState<Layer>("any");
  const layerPath = layerPathOf(layer, props.context.agentId, subject.config);
  const asked = useQueryRpc("policy.why", {
    tool: tool === "" ? "?" : tool,
    context: props.context,
    ...(layerPath === null ? {} : { layer: layerPath }),
    ...askedConfig({
      semantics: props.semantics,
      configText: subject.kind === "file" ? subject.text : undefined,
    }),
  });
  const row = trace.rows.find((candidate) => candidate.name === (asked.data?.answer.name ?? tool)) ?? null;
  const options = useMemo(
    () =>
      trace.rows.map((entry) => ({
        value: entry.name,
        label: entry.name,
        ...(entry.verdict.kind === "kept" ? { hint: t("effect.kept") } : {}),
      })),
    [trace, t],
  );
  const isKept = row?.verdict.kind === "kept";
  return (
    <div className="policy-why">
      <div className="policy-question">
        <span>{t(isKept ? "missing.questionBeforeKept" : "missing.questionBefore")}</span>
        <Picker
          look="field"
          label={t("columns.tool")}
          value={tool}
          options={options}
          onChange={props.onTool}
          allowOther
        />
        <span>{t(isKept ? "missing.questionAfterKept" : "missing.questionAfter")}</span>
      </div>
      {row === null ? (
        <p className="policy-answer">
          <Rich t={t} k="missing.unknownTool" values={{ tool }} />{" "}
          {asked.data?.suggestion === undefined ? null : (
            <>
              <Rich t={t} k="missing.nearest" values={{ name: asked.data.suggestion }} />{" "}
              <Button onClick={() => props.onTool(asked.data?.suggestion ?? "")}>
                {t("missing.askNearest")}
              </Button>
            </>
          )}
        </p>
      ) : (
        <Answer
          {...props}
          row={row}
          answer={asked.data?.answer ?? null}
          error={asked.error}
          layer={layer}
          onLayer={setLayer}
        />
      )}
    </div>
  );
}

/** @returns null when every place may be edited */
export function layerPathOf(
  layer: Layer,
  agentId: string | undefined,
  config: unknown,
): (string | number)[] | null {
  if (layer === "any") return null;
  if (layer === "tools") return ["tools"];
  const agents = agentScopes(config);
  const id = normalizeAgentId(agentId === undefined || agentId === "" ? defaultAgentId(config) : agentId);
  // An agent that is not listed has no place of its own yet: the one behind the last.
  return ["agents", "list", agents.get(id)?.index ?? getList(config, "agents", "list")?.length ?? 0];
}

function Answer(
  props: WhyViewProps & {
    row: PolicyRow;
    answer: PanelOutput<"policy.why">["answer"] | null;
    error: Error | null;
    layer: Layer;
    onLayer: (layer: Layer) => void;
  },
) {
  const t = useT("policy");
  const { view, row, subject, answer } = props;
  const { trace, positions } = view;
  const found = removers(trace, row);
  const slip = likelySlip(view.findings, row.name);
  const isKept = row.verdict.kind === "kept";
  const isAbsent = row.verdict.kind === "absent";
  const helpless = useMemo(() => losers(view, row), [view, row]);
  const shown = answer?.repairs.slice(0, shownRepairs) ?? [];
  const surfaceIndex = trace.columns.findIndex((column) => column.kind === "surface");
  const http = row.cells[surfaceIndex];
  return (
    <>
      <section className="policy-answer">
        {isKept ? (
          <Rich t={t} k="missing.notMissing" values={{ tool: row.name }} />
        ) : isAbsent && found.length <= 1 ? (
          <Rich t={t} k={(answer?.repairs.length ?? 0) > 0 ? "missing.absentSwitch" : "missing.absentNow"} />
        ) : (
          <Rich
            t={t}
            k={found.length === 1 ? "missing.oneRemover" : "missing.removers"}
            values={{ count: found.length }}
          />
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
        <section aria-label={t(isKept ? "missing.keeps" : "missing.removes")}>
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
                  config={subject.config}
                  positions={positions}
                  tool={row.name}
                  isRemoval={!isKept}
                  saidCode={cell.why?.code}
                  showFile
                />
              </div>
            );
          })}
          {isKept || (helpless.length === 0 && row.name === "exec") ? null : (
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
        <section aria-label={t(isKept ? "missing.takeAway" : "missing.repairs")}>
          <h2>
            {t(isKept ? "missing.takeAway" : "missing.repairs")}{" "}
            <span className="second policy-h2-note">
              {t("missing.ranked")}
              {answer === null || answer.repairs.length === 0 ? null : ` · ${contextsChecked(t, answer)}`}
            </span>
          </h2>
          <Segmented
            role="radio"
            label={t("missing.layer.label")}
            value={props.layer}
            options={layers.map((value) => ({
              value,
              label: t(`missing.layer.${value}`, { agent: props.context.agentId ?? "" }),
            }))}
            onChange={props.onLayer}
          />
          {answer === null ? (
            props.error === null ? (
              <p className="second">{t("missing.computing")}</p>
            ) : (
              <p className="tone-stop" role="alert">
                {props.error.message}
              </p>
            )
          ) : shown.length === 0 ? (
            <NoRepair {...props} answer={answer} isAbsent={isAbsent} />
          ) : (
            <>
              <RepairList
                repairs={shown}
                tool={row.name}
                isKept={isKept}
                agentId={props.context.agentId ?? ""}
                subject={subject}
                semantics={props.semantics}
                assertions={props.assertions}
                onPropose={props.onPropose}
              />
              <p className="second">
                {t("missing.shownOf", { shown: shown.length, total: answer.repairs.length })}{" "}
                {t("missing.checked", {
                  contexts: contextsChecked(t, answer),
                  assertions: t("missing.assertions", { count: props.assertions?.results.length ?? 0 }),
                })}{" "}
                {t("missing.nowKept", { kept: keptCount(trace), total: trace.rows.length })}
              </p>
            </>
          )}
        </section>
      </div>
    </>
  );
}

type WhyAnswer = PanelOutput<"policy.why">["answer"];

function contextsChecked(t: ReturnType<typeof useT>, answer: WhyAnswer): string {
  const { contextsChecked: count = 0, contextsTotal: total = 0 } = answer.repairs[0] ?? {};
  return count < total ? t("missing.sample", { count, total }) : t("missing.contexts", { count });
}

function NoRepair(props: WhyViewProps & { answer: WhyAnswer; isAbsent: boolean }) {
  const t = useT("policy");
  const { answer } = props;
  const outside = answer.layer?.removersOutside ?? [];
  return (
    <>
      <p>
        {answer.layer !== undefined && outside.length > 0 ? (
          <Rich t={t} k="missing.layerCannot" values={{ removers: outside.join(", ") }} />
        ) : (
          t("missing.noRepair")
        )}
      </p>
      {props.isAbsent && props.semantics === "here" ? (
        <p>
          <Button onClick={() => props.onSemantics(otherSemantics(props.semantics))}>
            {t("missing.askOpenClaw")}
          </Button>
        </p>
      ) : null}
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
