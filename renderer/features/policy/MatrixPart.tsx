/** The matrix with its detail panel, or the same as a list. */

import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { ConfigEdit, PolicyContext, PolicyFinding } from "../../../shared/policy/types.ts";
import { useViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { DetailPane, Pane, SplitView, useIsNarrow } from "../../ui/index.ts";
import { CellDetail } from "./detail/CellDetail.tsx";
import { mergedFindings } from "./detail/Findings.tsx";
import { SmallestFix } from "./detail/SmallestFix.tsx";
import { Legend } from "./matrix/Legend.tsx";
import { ListAlternative } from "./matrix/ListAlternative.tsx";
import { Matrix } from "./matrix/Matrix.tsx";
import type { Cursor } from "./matrix/matrixKeys.ts";
import "./matrix/legend.css";
import { cellRules, lineOf, matrixRows, removerIndex } from "./model/matrixModel.ts";
import type { Semantics } from "./model/semantics.ts";
import type { Subject } from "./source/subject.ts";
import type { TraceView } from "./usePolicyTrace.ts";

export function MatrixPart(props: {
  view: TraceView;
  subject: Subject;
  context: PolicyContext;
  semantics: Semantics;
  /** Tool that the cursor starts on, as an address names it. */
  startAt: string | null;
  filter: string;
  onFilter: (filter: string) => void;
  filterRef: RefObject<HTMLInputElement | null>;
  asList: boolean;
  onAsList: (asList: boolean) => void;
  onWhy: (tool: string) => void;
  onWhatIf: (line: number | null) => void;
  onPropose: (edits: readonly ConfigEdit[], isReviewing: boolean) => void;
}) {
  const t = useT("policy");
  const isNarrow = useIsNarrow();
  const { trace, positions, findings } = props.view;
  const rows = useMemo(() => matrixRows(trace, props.filter), [trace, props.filter]);
  const [moved, setCursor] = useState<Cursor | null>(null);
  // Until somebody moves it the cursor follows the answer: the first one may be for the context before.
  const start = useMemo(() => startCursor(trace, rows, props.startAt), [trace, rows, props.startAt]);
  const cursor = moved ?? start;
  const [isOpen, setIsOpen] = useState(!isNarrow);
  const [warning, setWarning] = useState<number | null>(null);
  const detailRef = useRef<HTMLDivElement>(null);
  const [wantsDetail, setWantsDetail] = useState(0);
  const row = cursor === null ? undefined : rows[cursor.row];
  const cell = cursor === null ? undefined : row?.row.cells[cursor.column];
  // A sheet covers half of the matrix: it has to have something to say.
  const isDetailShown = !isNarrow || (isOpen && (moved !== null || warning !== null));
  const merged = useMemo(() => mergedFindings(findings), [findings]);

  const stepWarning = (step: 1 | -1) => {
    if (merged.length === 0) return;
    const next = ((warning ?? (step === 1 ? -1 : 0)) + step + merged.length) % merged.length;
    setWarning(next);
    setIsOpen(true);
    const column = columnOf(trace.columns, merged[next]?.finding);
    if (column !== null) setCursor({ row: cursor?.row ?? 0, column });
  };
  useViewKeys({
    "[": { label: t("grid.previousWarning"), run: () => stepWarning(-1) },
    "]": { label: t("grid.nextWarning"), run: () => stepWarning(1) },
  });
  // Enter moves focus to the rule of the cell, once each time.
  useEffect(() => {
    if (wantsDetail === 0) return;
    const target = detailRef.current?.querySelector<HTMLElement>(".policy-line-link, button");
    (target ?? detailRef.current)?.focus();
  }, [wantsDetail]);

  const filterField = (
    <input
      ref={props.filterRef}
      className="input policy-filter"
      type="search"
      value={props.filter}
      placeholder={t("filterHint")}
      aria-label={t("filter")}
      onChange={(event) => props.onFilter(event.target.value)}
    />
  );
  return (
    <SplitView>
      <Pane label={t("grid.label")} footer={<Legend t={t} asList={props.asList} onAsList={props.onAsList} />}>
        {trace.rows.length === 0 ? (
          <p className="view-pad">{t("empty")}</p>
        ) : props.asList ? (
          <ListAlternative
            trace={trace}
            rows={rows}
            filterField={filterField}
            onPick={(traceIndex, column) => {
              setCursor({ row: rows.findIndex((entry) => entry.traceIndex === traceIndex), column });
              setIsOpen(true);
            }}
          />
        ) : (
          <Matrix
            trace={trace}
            rows={rows}
            positions={positions}
            cursor={cursor}
            onCursor={setCursor}
            onPointed={() => setIsOpen(true)}
            onOpen={() => {
              // On a cell that a tool never reached, the cell that decided is the one that has a rule.
              if (row !== undefined && cursor !== null) {
                const decided = cell?.effect === "gone" ? removerIndex(trace, row.row) : null;
                setCursor({ row: cursor.row, column: decided ?? cursor.column });
              }
              setIsOpen(true);
              setWantsDetail(wantsDetail + 1);
            }}
            onWhy={props.onWhy}
            onWhatIf={() => {
              const [rule] = cell === undefined ? [] : cellRules(trace, cell);
              props.onWhatIf(rule === undefined ? null : lineOf(positions, rule.configPath));
            }}
            onList={() => props.onAsList(true)}
            corner={filterField}
            emptyText={t("noMatch", { filter: props.filter })}
          />
        )}
      </Pane>
      {isDetailShown ? (
        <DetailPane label={t("detail.label")} onClose={() => setIsOpen(false)}>
          <div ref={detailRef} tabIndex={-1} className="policy-detail-focus">
            <CellDetail
              view={props.view}
              config={props.subject.config}
              cell={
                row === undefined || cursor === null
                  ? null
                  : { traceIndex: row.traceIndex, columnIndex: cursor.column }
              }
              onWhy={props.onWhy}
              activeWarning={warning}
            >
              {row === undefined || row.row.verdict.kind === "kept" ? null : (
                <SmallestFix
                  tool={row.row.name}
                  context={props.context}
                  semantics={props.semantics}
                  subject={props.subject}
                  onPropose={props.onPropose}
                />
              )}
            </CellDetail>
          </div>
        </DetailPane>
      ) : null}
    </SplitView>
  );
}

/** The cell that decided about the tool that an address names. */
function startCursor(
  trace: TraceView["trace"],
  rows: ReturnType<typeof matrixRows>,
  tool: string | null,
): Cursor | null {
  const row = tool === null ? -1 : rows.findIndex((entry) => entry.row.name === tool);
  const found = rows[row]?.row;
  if (found === undefined) return null;
  const keeper = found.cells.findIndex((cell) => (cell.ruleIds ?? []).length > 0);
  return { row, column: removerIndex(trace, found) ?? Math.max(0, keeper) };
}

function columnOf(columns: TraceView["trace"]["columns"], finding: PolicyFinding | undefined): number | null {
  const index = columns.findIndex((column) => column.id === finding?.column);
  return index < 0 ? null : index;
}
