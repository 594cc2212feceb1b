/** The panel beside the matrix: verdict, sentence, rules, and the warnings of the context. */

import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useT } from "../../../i18n/index.ts";
import { Button, Kbd, type VerdictKind, VerdictShape } from "../../../ui/index.ts";
import { cellRules } from "../model/matrixModel.ts";
import { Rich } from "../Rich.tsx";
import type { TraceView } from "../usePolicyTrace.ts";
import { cellSentence, columnLabel, verdictText } from "../words.ts";
import "./detail.css";
import { Findings } from "./Findings.tsx";
import { RuleBlocks } from "./RuleBlocks.tsx";

export interface CellDetailProps {
  view: TraceView;
  config: unknown;
  /** Null: nothing chosen, only the warnings are shown. */
  cell: { traceIndex: number; columnIndex: number } | null;
  /** Absent where the answer is already on screen. */
  onWhy?: (tool: string) => void;
  hideWarnings?: boolean;
  /** Position of the warning that keys have chosen. */
  activeWarning?: number | null;
  /** Stands between rules and warnings. */
  children?: ReactNode;
}

export function CellDetail(props: CellDetailProps) {
  const t = useT("policy");
  const { onWhy } = props;
  const { trace, positions } = props.view;
  const row = props.cell === null ? undefined : trace.rows[props.cell.traceIndex];
  const column = props.cell === null ? undefined : trace.columns[props.cell.columnIndex];
  const cell = props.cell === null ? undefined : row?.cells[props.cell.columnIndex];
  if (row === undefined || column === undefined || cell === undefined) {
    return (
      <div className="policy-detail">
        <p className="second">{t("detail.empty")}</p>
        <hr className="policy-rule" />
        <h2>{t("detail.warnings")}</h2>
        <Findings t={t} view={props.view} active={props.activeWarning} />
        <KeyHints t={t} />
      </div>
    );
  }
  const verdict = verdictText(t, column, cell);
  const sentence = cellSentence(t, trace, column, cell, row);
  const isRemoval = cell.effect === "removed" || cell.effect === "wouldRemove" || cell.effect === "absent";
  return (
    <div className="policy-detail" aria-live="polite">
      <div className="policy-detail-head">
        <code className="policy-detail-tool ellipsis" title={row.name}>
          {row.name}
        </code>
        <span className={`policy-verdict is-${verdict.tone}`}>
          <VerdictShape kind={shapeOf(cell.effect)} />
          {verdict.text}
        </span>
      </div>
      <code className="policy-detail-label">{columnLabel(t, column)}</code>
      <p className="policy-sentence">
        <Rich t={t} k={sentence.key} values={sentence.values} />
      </p>
      <RuleBlocks
        t={t}
        trace={trace}
        rules={cellRules(trace, cell)}
        config={props.config}
        positions={positions}
        tool={row.name}
        isRemoval={isRemoval}
        saidCode={cell.why?.code}
      />
      {row.verdict.kind === "kept" || onWhy === undefined ? null : (
        <Button onClick={() => onWhy(row.name)}>{t("detail.whyThis", { tool: row.name })}</Button>
      )}
      {props.children}
      {props.hideWarnings === true ? null : (
        <>
          <hr className="policy-rule" />
          <h2>{t("detail.warnings")}</h2>
          <Findings t={t} view={props.view} active={props.activeWarning} />
          <KeyHints t={t} />
        </>
      )}
    </div>
  );
}

function shapeOf(effect: string): VerdictKind {
  switch (effect) {
    case "kept":
    case "removed":
    case "wouldRemove":
    case "failsOpen":
    case "withoutEffect":
      return effect;
    case "absent":
      return "removed";
    default:
      return "skipped";
  }
}

/** As printed on keyboards, in every language. */
const keyNames = { move: "↑ ↓ ← →", open: "Enter", why: "W" } as const;

function KeyHints({ t }: { t: TFunction }) {
  return (
    <p className="policy-keys">
      <Kbd>{keyNames.move}</Kbd> {t("grid.keys")} <Kbd>{keyNames.open}</Kbd> {t("grid.keyOpen")}{" "}
      <Kbd>{keyNames.why}</Kbd> {t("grid.keyWhy")}
    </p>
  );
}
