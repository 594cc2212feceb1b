/** Verified repairs, fewest side effects first; the first one stands open with its edits. */

import type { TFunction } from "i18next";
import { useState } from "react";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { Button, VerdictShape } from "../../../ui/index.ts";
import { lineOf, type Positions, pathText } from "../model/matrixModel.ts";
import { valueAt } from "../model/ruleBlocks.ts";
import { Rich } from "../Rich.tsx";
import type { VerifiedRepair } from "./useRepairs.ts";

export function RepairList(props: {
  t: TFunction;
  repairs: readonly VerifiedRepair[];
  tool: string;
  agentId: string;
  agents: readonly string[];
  config: unknown;
  positions: Positions;
  onTry: (repair: VerifiedRepair) => void;
}) {
  const { t, repairs } = props;
  const [open, setOpen] = useState(0);
  return (
    <ol className="policy-repairs">
      {repairs.map((repair, index) => {
        const isOpen = open === index;
        const elsewhere = repair.otherContexts.length;
        return (
          <li
            key={JSON.stringify(repair.edits)}
            className={isOpen ? "policy-repair is-open" : "policy-repair"}
          >
            <button
              type="button"
              className="policy-repair-head"
              aria-expanded={isOpen}
              onClick={() => setOpen(isOpen ? -1 : index)}
            >
              <span className="policy-repair-no">{index + 1}</span>
              <strong>{title(t, repair, props.agentId)}</strong>
              <span className="second">{t("missing.edits", { count: repair.edits.length })}</span>
              <ContextSquares repair={repair} agentId={props.agentId} agents={props.agents} />
              <span className={elsewhere + repair.alsoOpens.length === 0 ? "tone-keep" : "tone-stop"}>
                {sideEffect(t, repair, props.tool)}
              </span>
            </button>
            {isOpen ? (
              <>
                <div className="policy-edits">
                  {repair.edits.map((edit) => (
                    <EditView
                      key={JSON.stringify(edit)}
                      t={t}
                      edit={edit}
                      config={props.config}
                      positions={props.positions}
                    />
                  ))}
                </div>
                <div className="policy-repair-foot">
                  <SideEffects t={t} repair={repair} />
                  <Button onClick={() => props.onTry(repair)}>{t("missing.try")}</Button>
                </div>
              </>
            ) : (
              <SideEffects t={t} repair={repair} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function title(t: TFunction, repair: VerifiedRepair, agent: string): string {
  if (repair.liftsProfile) return t("missing.repairTitle.profile", { agent });
  if (repair.scope === "agent") return t("missing.repairTitle.agent", { agent });
  if (repair.scope === "global") return t("missing.repairTitle.global");
  const [edit] = repair.edits;
  return t("missing.repairTitle.other", { path: edit === undefined ? "" : pathText(edit.path.slice(0, -1)) });
}

function sideEffect(t: TFunction, repair: VerifiedRepair, tool: string): string {
  const parts: string[] = [];
  if (repair.alsoOpens.length > 0) parts.push(t("missing.alsoTools", { count: repair.alsoOpens.length }));
  if (repair.otherContexts.length > 0)
    parts.push(t("missing.alsoContexts", { count: repair.otherContexts.length }));
  return parts.length === 0 ? t("missing.onlyThis", { tool }) : parts.join(", ");
}

function SideEffects({ t, repair }: { t: TFunction; repair: VerifiedRepair }) {
  if (repair.alsoOpens.length === 0 && repair.otherContexts.length === 0) return <span className="grow" />;
  return (
    <p className="policy-side second grow">
      <VerdictShape kind="danger" />
      <span>
        {repair.alsoOpens.length === 0 ? null : (
          <Rich t={t} k="missing.opensAlso" values={{ tools: repair.alsoOpens.join(", ") }} />
        )}{" "}
        {repair.otherContexts.length === 0 ? null : (
          <Rich
            t={t}
            k="missing.opensFor"
            values={{
              agents: byAgent(repair)
                .map(([agentId, opens]) => `${agentId} (${opens.slice(0, 4).join(", ")})`)
                .join(", "),
            }}
          />
        )}
      </span>
    </p>
  );
}

/** Tools opened elsewhere, by agent, each named once. */
function byAgent(repair: VerifiedRepair): [string, string[]][] {
  const found = new Map<string, Set<string>>();
  for (const { agentId, opens } of repair.otherContexts) {
    const names = found.get(agentId) ?? new Set();
    for (const name of opens) names.add(name);
    found.set(agentId, names);
  }
  return [...found].map(([agentId, names]) => [agentId, [...names]]);
}

/** A square per checked context: keep where the repair was asked for, stop where it opens something besides. */
function ContextSquares({
  repair,
  agentId,
  agents,
}: {
  repair: VerifiedRepair;
  agentId: string;
  agents: readonly string[];
}) {
  const opened = new Set(repair.otherContexts.map((other) => other.agentId));
  return (
    <span className="policy-squares" aria-hidden="true">
      {agents.slice(0, 9).map((agent) => (
        <i
          key={agent}
          title={agent}
          className={agent === agentId ? "is-asked" : opened.has(agent) ? "is-opened" : ""}
        />
      ))}
    </span>
  );
}

function EditView(props: { t: TFunction; edit: ConfigEdit; config: unknown; positions: Positions }) {
  const { edit } = props;
  const isItem = typeof edit.path.at(-1) === "number";
  const holder = isItem ? edit.path.slice(0, -1) : edit.path;
  const before = valueAt(props.config, holder);
  const line = lineOf(props.positions, holder);
  let after: unknown = edit.op === "remove" ? undefined : edit.value;
  if (isItem && Array.isArray(before)) {
    const list = [...before];
    const index = edit.path.at(-1);
    if (typeof index === "number") {
      if (edit.op === "remove") list.splice(index, 1);
      else list.splice(index, edit.op === "insert" ? 0 : 1, edit.value);
    }
    after = list;
  }
  const place = pathText(holder);
  return (
    <>
      {before === undefined ? null : <DiffLine sign="−" line={line} path={place} value={before} />}
      {after === undefined ? null : <DiffLine sign="+" line={line} path={place} value={after} />}
    </>
  );
}

function DiffLine(props: { sign: "−" | "+"; line: number | null; path: string; value: unknown }) {
  const text = Array.isArray(props.value)
    ? `[${props.value.map((entry) => JSON.stringify(entry)).join(", ")}]`
    : JSON.stringify(props.value);
  return (
    <div className={props.sign === "+" ? "policy-diff is-plus" : "policy-diff is-minus"}>
      <span className="policy-diff-no">{props.line}</span>
      <span>{props.sign}</span>
      <span>
        {props.path}
        {": "}
        {text}
      </span>
    </div>
  );
}
