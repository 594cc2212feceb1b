/** Two contexts, or two semantics: only the tools that differ, A above B, parting where they part. */

import { useMemo, useState } from "react";
import type { PolicyContext, PolicyRow, PolicyTrace } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { ErrorState, Segmented, Skeleton, VerdictShape } from "../../../ui/index.ts";
import { ContextBar, type KnownContexts } from "../context/ContextBar.tsx";
import { diffTraces, type RowDiff } from "../model/traceDiff.ts";
import { type Preset, type TraceView, usePolicyTrace } from "../usePolicyTrace.ts";
import { columnHeadLabel, columnName } from "../words.ts";
import "./compare.css";

type Mode = "context" | "preset";

export function ComparePart(props: {
  view: TraceView;
  context: PolicyContext;
  known: KnownContexts | undefined;
  activePreset: Preset;
}) {
  const t = useT("policy");
  const [mode, setMode] = useState<Mode>("context");
  const [other, setOther] = useState<PolicyContext>(() => firstOther(props.context, props.known));
  const otherPreset: Preset = props.view.preset === "reference" ? "sallyport" : "reference";
  const b = usePolicyTrace(
    mode === "context"
      ? { context: other, preset: props.view.preset }
      : { context: props.context, preset: otherPreset },
  );
  const diffs = useMemo(
    () => (b.view === null ? [] : diffTraces(props.view.trace, b.view.trace)),
    [props.view, b.view],
  );
  return (
    <div className="policy-compare view-pad">
      <div className="policy-compare-head">
        <Segmented
          role="radio"
          label={t("compare.with")}
          value={mode}
          options={[
            { value: "context", label: t("compare.otherContext") },
            { value: "preset", label: t("compare.otherPreset") },
          ]}
          onChange={setMode}
        />
        <h2 aria-live="polite">{t("compare.differences", { count: diffs.length })}</h2>
      </div>
      <p className="second">
        <b>{t("compare.a")}</b> {contextText(t, props.context, mode === "preset" ? props.view.preset : null)}
      </p>
      {mode === "context" ? (
        <div className="policy-compare-b">
          <b>{t("compare.b")}</b>
          <ContextBar context={other} known={props.known} onChange={setOther} />
        </div>
      ) : (
        <p className="second">
          <b>{t("compare.b")}</b> {contextText(t, props.context, otherPreset)}
        </p>
      )}
      {b.view === null ? (
        b.error === null ? (
          <Skeleton rows={6} />
        ) : (
          <ErrorState title={t("error.title")} error={b.error} onRetry={b.retry} />
        )
      ) : diffs.length === 0 ? (
        <p>{t("compare.none")}</p>
      ) : (
        <DiffTable a={props.view.trace} b={b.view.trace} diffs={diffs} />
      )}
    </div>
  );
}

function contextText(t: ReturnType<typeof useT>, context: PolicyContext, preset: Preset | null): string {
  const parts = [
    context.agentId,
    context.provider === undefined ? undefined : [context.provider, context.model].filter(Boolean).join("/"),
    context.channel,
    context.groupId,
    preset === null ? undefined : t(`preset.${preset}`),
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

function firstOther(context: PolicyContext, known: KnownContexts | undefined): PolicyContext {
  const agent = known?.agents.find(({ id }) => id !== context.agentId);
  return agent === undefined ? { ...context } : { ...context, agentId: agent.id, sessionKey: undefined };
}

function DiffTable(props: { a: PolicyTrace; b: PolicyTrace; diffs: readonly RowDiff[] }) {
  const t = useT("policy");
  return (
    <div className="policy-compare-scroll">
      <table className="policy-compare-table" aria-label={t("compare.grid")}>
        <thead>
          <tr>
            <th scope="col">{t("columns.tool")}</th>
            <th scope="col" aria-label={t("compare.with")} />
            {props.a.columns.map((column) => (
              <th key={column.id} scope="col" title={columnName(t, column)}>
                {column.number === undefined ? null : <b>{column.number}</b>}
                <span>{columnHeadLabel(t, column).replaceAll(".", ".\u200b")}</span>
              </th>
            ))}
            <th scope="col" aria-label={t("compare.differences", { count: props.diffs.length })} />
          </tr>
        </thead>
        {props.diffs.map((diff) => (
          <tbody key={diff.name}>
            <SideRow trace={props.a} row={diff.before} diff={diff} side="a" />
            <SideRow trace={props.b} row={diff.after} diff={diff} side="b" />
          </tbody>
        ))}
      </table>
    </div>
  );
}

const shapes = {
  kept: "kept",
  removed: "removed",
  wouldRemove: "wouldRemove",
  skipped: "skipped",
  absent: "removed",
  failsOpen: "failsOpen",
  withoutEffect: "withoutEffect",
} as const;

function SideRow(props: { trace: PolicyTrace; row: PolicyRow | null; diff: RowDiff; side: "a" | "b" }) {
  const t = useT("policy");
  const { diff, row } = props;
  return (
    <tr>
      {props.side === "a" ? (
        <th scope="rowgroup" rowSpan={2} className="evidence">
          {diff.name}
        </th>
      ) : null}
      <td className="dim">{t(`compare.${props.side}`)}</td>
      {props.trace.columns.map((column, index) => {
        const effect = row?.cells[index]?.effect ?? "gone";
        return (
          <td
            key={column.id}
            className={diff.changedColumns.has(column.id) ? "is-different" : ""}
            aria-label={`${columnName(t, column)}, ${t(`effect.${effect}`)}`}
          >
            {effect === "gone" ? null : <VerdictShape kind={shapes[effect]} />}
          </td>
        );
      })}
      {props.side === "a" ? (
        <td rowSpan={2} className={directionClass[diff.direction]}>
          {t(`compare.${diff.direction}`)}
        </td>
      ) : null}
    </tr>
  );
}

const directionClass = { widens: "tone-stop", narrows: "tone-keep", same: "dim" } as const;
