/** The matrix of tools and stages: an ARIA grid over virtual rows, each tool a line that ends where it is removed. */

// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid of positioned cells cannot be a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds focus and names the active cell
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are handled by the grid

import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import type { PolicyTrace } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { useLive } from "../../../rpc/hooks.ts";
import { useIsNarrow } from "../../../ui/index.ts";
import { useServerSections } from "../../mcpServers/toolServers.ts";
import type { RowDifference } from "../model/differences.ts";
import { drawRow, planColumns } from "../model/matrixGeometry.ts";
import type { MatrixRow, Positions } from "../model/matrixModel.ts";
import { createCellNamer, sectionLabel } from "../words.ts";
import "./matrix.css";
import { MatrixHead } from "./MatrixHead.tsx";
import { MatrixRowView } from "./MatrixRowView.tsx";
import { type Cursor, matrixAct } from "./matrixKeys.ts";
import { useElementSize } from "./useElementSize.ts";

export interface MatrixProps {
  trace: PolicyTrace;
  rows: readonly MatrixRow[];
  positions: Positions;
  cursor: Cursor | null;
  onCursor: (cursor: Cursor) => void;
  /** A click on a cell, after the cursor has moved there. */
  onPointed?: () => void;
  /** Enter on a cell. */
  onOpen: () => void;
  onWhy: (tool: string) => void;
  onWhatIf?: () => void;
  onList?: () => void;
  /** What differs from the saved config, by tool name. */
  diffs?: ReadonlyMap<string, RowDifference>;
  label?: string;
  /** What stands in the empty corner above the tools. */
  corner?: ReactNode;
  /** Without the names of sections, where room is short. */
  hideSections?: boolean;
  /** Shown in place of rows when a filter leaves none. */
  emptyText?: string;
}

const narrowPx = 720;
/** Left padding of the scroll area, as in the style sheet. */
const paddingPx = 14;

export function Matrix(props: MatrixProps) {
  const { trace, rows, positions, cursor, onCursor, diffs } = props;
  const t = useT("policy");
  const serverSections = useServerSections();
  const singleKeys = useLive((state) => state.settings.singleKeys);
  const density = useLive((state) => state.settings.density);
  const rowHeight = density === "comfortable" ? 21 : 17;
  const idPrefix = useId();
  const scrollRef = useRef<HTMLDivElement>(null);
  const size = useElementSize(scrollRef);
  const isNarrow = size.width > 0 && size.width < narrowPx;
  // In a narrow window not all columns fit, so skipped ones give way first.
  const foldSkipped = useIsNarrow();
  const toolWidth = props.hideSections === true ? 132 : isNarrow ? 168 : 190;
  const plan = useMemo(
    () => planColumns(trace.columns, Math.max(0, size.width - toolWidth - paddingPx - 2), foldSkipped),
    [trace, size.width, toolWidth, foldSkipped],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a cache that is emptied when what it was made from changes
  const drawings = useMemo(() => new Map<number, ReturnType<typeof drawRow>>(), [trace, plan, rowHeight]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a cache that is emptied when what it was made from changes
  const names = useMemo(() => new Map<number, string[]>(), [trace, positions, t]);
  const nameOf = useMemo(() => createCellNamer(t, trace, positions), [t, trace, positions]);
  const width = toolWidth + plan.width;

  const extractRange = useCallback(
    (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      // The row under the cursor stays in the document: the grid names its cell as the active one.
      if (cursor !== null && cursor.row < rows.length && !indexes.includes(cursor.row)) {
        indexes.push(cursor.row);
        indexes.sort((a, b) => a - b);
      }
      return indexes;
    },
    [cursor, rows.length],
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowHeight,
    // A leap draws everything anew: what nobody sees yet must not make it long.
    overscan: 5,
    // Rows may follow a frame later; blocking the scroll for them would be felt.
    useFlushSync: false,
    rangeExtractor: extractRange,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured again when their height changes
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);

  const [hasFocus, setHasFocus] = useState(false);
  const headHeight = 106;
  const bodyHeight = rows.length * rowHeight;

  const reveal = useCallback(
    (next: Cursor) => {
      const element = scrollRef.current;
      const place = plan.places[next.column];
      if (element === null || place === undefined) return;
      const top = next.row * rowHeight;
      const visibleHeight = element.clientHeight - headHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + rowHeight > element.scrollTop + visibleHeight)
        element.scrollTop = top + rowHeight - visibleHeight;
      const visibleWidth = element.clientWidth - toolWidth;
      if (place.x < element.scrollLeft) element.scrollLeft = place.x;
      else if (place.x + place.width > element.scrollLeft + visibleWidth)
        element.scrollLeft = place.x + place.width - visibleWidth;
    },
    [plan, rowHeight, toolWidth],
  );
  const moveTo = (next: Cursor) => {
    onCursor(next);
    reveal(next);
  };
  const lastCursor = useRef(cursor);
  lastCursor.current = cursor;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pane that opens takes room; the cell it speaks of stays in sight
  useEffect(() => {
    if (lastCursor.current !== null) reveal(lastCursor.current);
  }, [size.height, size.width]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const act = matrixAct(
      event.key,
      cursor ?? { row: 0, column: 0 },
      {
        rows: rows.length,
        columns: trace.columns.length,
        pageRows: Math.max(1, Math.floor((size.height - headHeight) / rowHeight) - 1),
      },
      singleKeys,
    );
    if (act === null) return;
    if (act.kind === "move") moveTo(act.cursor);
    else if (act.kind === "open") props.onOpen();
    else if (act.kind === "list") props.onList?.();
    else if (act.kind === "whatif") props.onWhatIf?.();
    else {
      const tool = rows[cursor?.row ?? 0]?.row.name;
      if (tool !== undefined) props.onWhy(tool);
    }
    event.preventDefault();
  };

  const onPointed = useRef(props.onPointed);
  onPointed.current = props.onPointed;
  const onPick = useCallback(
    (row: number, column: number) => {
      // Focus first: a grid that gets focus without a cursor puts it on the first cell.
      scrollRef.current?.focus({ preventScroll: true });
      onCursor({ row, column });
      onPointed.current?.();
    },
    [onCursor],
  );

  const activeId =
    cursor !== null && cursor.row < rows.length ? `${idPrefix}-${cursor.row}-${cursor.column}` : undefined;

  return (
    <div
      ref={scrollRef}
      role="grid"
      aria-label={props.label ?? t("grid.label")}
      aria-rowcount={rows.length + 1}
      aria-colcount={trace.columns.length + 1}
      aria-activedescendant={hasFocus ? activeId : undefined}
      tabIndex={0}
      className={props.hideSections === true ? "mx is-compact" : "mx"}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.target !== event.currentTarget) return;
        setHasFocus(true);
        if (cursor === null && rows.length > 0) onCursor({ row: 0, column: 0 });
      }}
      onBlur={() => setHasFocus(false)}
    >
      <MatrixHead
        t={t}
        columns={trace.columns}
        plan={plan}
        toolWidth={toolWidth}
        width={width}
        positions={positions}
        activeColumn={cursor?.column ?? null}
        corner={props.corner}
      />
      {rows.length === 0 ? <p className="second">{props.emptyText}</p> : null}
      <div role="rowgroup" className="mx-body" style={{ height: bodyHeight, width }}>
        <div className="mx-washes" aria-hidden="true">
          {trace.columns.map((column, index) => {
            const place = plan.places[index];
            if (place === undefined) return null;
            const classes = ["mx-wash"];
            if (column.failsOpen) classes.push("fails-open");
            if (cursor?.column === index) classes.push("is-active");
            if (trace.columns[index - 1]?.kind !== column.kind) classes.push("starts-group");
            return (
              <div
                key={column.id}
                className={classes.join(" ")}
                style={{ left: toolWidth + place.x, width: place.width }}
              />
            );
          })}
        </div>
        {virtualizer.getVirtualItems().map((item) => {
          const entry = rows[item.index];
          if (entry === undefined) return null;
          const { row, traceIndex } = entry;
          let drawing = drawings.get(traceIndex);
          if (drawing === undefined) {
            drawing = drawRow(row.cells, trace.columns, plan, rowHeight);
            drawings.set(traceIndex, drawing);
          }
          let cellNames = names.get(traceIndex);
          if (cellNames === undefined) {
            cellNames = trace.columns.map((column, index) => {
              const cell = row.cells[index];
              return cell === undefined ? "" : nameOf(column, cell, row);
            });
            names.set(traceIndex, cellNames);
          }
          const diff = diffs?.get(row.name);
          return (
            <MatrixRowView
              key={item.key}
              row={row}
              rowIndex={item.index}
              top={item.start}
              height={rowHeight}
              width={width}
              toolWidth={toolWidth}
              plan={plan}
              drawing={drawing}
              section={entry.startsSection ? sectionLabel(t, row.section, serverSections) : null}
              hideSection={props.hideSections === true}
              verdictLabel={row.verdict.kind === "kept" ? t("effect.kept") : t("effect.removed")}
              cellNames={cellNames}
              idPrefix={idPrefix}
              activeColumn={cursor?.row === item.index ? cursor.column : null}
              changed={diff === undefined ? null : changedIndexes(trace, diff)}
              changeSign={diff === undefined ? null : changeSigns[diff.direction]}
              onPick={onPick}
            />
          );
        })}
      </div>
    </div>
  );
}

const changeSigns = { widens: "+", narrows: "−", same: "~" } as const;

const changedCache = new WeakMap<RowDifference, ReadonlySet<number>>();

function changedIndexes(trace: PolicyTrace, diff: RowDifference): ReadonlySet<number> {
  let indexes = changedCache.get(diff);
  if (indexes === undefined) {
    indexes = new Set(trace.columns.flatMap((column, index) => (diff.causes.has(column.id) ? [index] : [])));
    changedCache.set(diff, indexes);
  }
  return indexes;
}
