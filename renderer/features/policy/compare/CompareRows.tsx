/** Differing tools as rows of the matrix, two lines each, which part where the answers part. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of drawn lines cannot be a table
// biome-ignore-all lint/a11y/useFocusableInteractive: nothing here is operated, it is read

import { useMemo, useRef } from "react";
import type { PolicyRow } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { useIsNarrow } from "../../../ui/index.ts";
import { MatrixHead } from "../matrix/MatrixHead.tsx";
import "../matrix/matrix.css";
import { useElementSize } from "../matrix/useElementSize.ts";
import type { RowDifference } from "../model/differences.ts";
import { drawRow, type MatrixPlan, planColumns, type RowDrawing } from "../model/matrixGeometry.ts";
import { matrixRows } from "../model/matrixModel.ts";
import type { TraceView } from "../usePolicyTrace.ts";
import { columnName } from "../words.ts";

const rowHeight = 17;
const toolWidth = 176;
const wordsWidth = 132;

export function CompareRows(props: {
  a: TraceView;
  b: TraceView;
  diffs: readonly RowDifference[];
  showEqual: boolean;
}) {
  const t = useT("policy");
  const { a, b, diffs } = props;
  const ref = useRef<HTMLDivElement>(null);
  const { width } = useElementSize(ref);
  const foldSkipped = useIsNarrow();
  // A column that only one side uses is shown with the state of the side that does.
  const columns = useMemo(
    () =>
      a.trace.columns.map((column) => {
        const mate = b.trace.columns.find(({ id }) => id === column.id);
        return column.state === "skipped" && mate?.state === "active" ? mate : column;
      }),
    [a, b],
  );
  const plan = useMemo(
    () => planColumns(columns, Math.max(0, width - toolWidth - wordsWidth - 16), foldSkipped),
    [columns, width, foldSkipped],
  );
  const byName = new Map(diffs.map((diff) => [diff.name, diff]));
  const known = new Set(a.trace.rows.map((row) => row.name));
  const order = [
    ...matrixRows(a.trace).map(({ row }) => row.name),
    ...b.trace.rows.map((row) => row.name).filter((name) => !known.has(name)),
  ];
  const shown = order.filter((name) => props.showEqual || byName.has(name));
  const total = toolWidth + plan.width + wordsWidth;
  return (
    <div ref={ref} className="mx policy-compare-rows" role="table" aria-label={t("compare.grid")}>
      <MatrixHead
        t={t}
        columns={columns}
        plan={plan}
        toolWidth={toolWidth}
        width={total}
        positions={a.positions}
        activeColumn={null}
        corner={null}
        hideCounts
      />
      {shown.map((name) => {
        const diff = byName.get(name);
        const rowA = a.trace.rows.find((row) => row.name === name);
        const rowB = b.trace.rows.find((row) => row.name === name);
        return (
          <div
            key={name}
            role="row"
            className={diff === undefined ? "policy-pair is-equal" : "policy-pair"}
            style={{ width: total, height: diff === undefined ? rowHeight : rowHeight * 2 + 4 }}
          >
            <div role="rowheader" className="policy-pair-name" style={{ width: toolWidth }}>
              <code className="ellipsis">{name}</code>
              {diff === undefined ? null : (
                <span className="policy-pair-sides" aria-hidden="true">
                  <i>{t("compare.a")}</i>
                  <i>{t("compare.b")}</i>
                </span>
              )}
            </div>
            <div role="cell" aria-label={sentence(t, a, b, rowA, rowB)}>
              <svg
                className="mx-svg"
                style={{ left: toolWidth }}
                width={plan.width}
                height={diff === undefined ? rowHeight : rowHeight * 2}
                aria-hidden="true"
              >
                <Line row={rowA} view={a} plan={plan} columns={columns} top={0} />
                {diff === undefined ? null : (
                  <Line row={rowB} view={b} plan={plan} columns={columns} top={rowHeight} />
                )}
                {diff === undefined
                  ? null
                  : columns.map((column, index) =>
                      diff.causes.has(column.id) ? (
                        <rect
                          key={column.id}
                          className="policy-parting"
                          x={plan.places[index]?.x ?? 0}
                          y={1}
                          width={plan.places[index]?.width ?? 0}
                          height={rowHeight * 2 - 2}
                        />
                      ) : null,
                    )}
              </svg>
            </div>
            <div
              role="cell"
              className={`policy-pair-words ${diff === undefined ? "dim" : tones[diff.direction]}`}
              style={{ left: toolWidth + plan.width + 8, width: wordsWidth - 8 }}
            >
              {diff === undefined ? t("compare.equal") : t(`compare.${diff.direction}`)}
            </div>
          </div>
        );
      })}
    </div>
  );
}

const tones = { widens: "tone-stop", narrows: "tone-keep", same: "second" } as const;

function Line(props: {
  row: PolicyRow | undefined;
  view: TraceView;
  plan: MatrixPlan;
  columns: TraceView["trace"]["columns"];
  top: number;
}) {
  const { row, view, plan, columns } = props;
  const drawing = useMemo((): RowDrawing | null => {
    if (row === undefined) return null;
    // Cells in the order of the shared columns, whatever the order of this side.
    const cells = columns.map(
      ({ id }) =>
        row.cells[view.trace.columns.findIndex((column) => column.id === id)] ?? { effect: "gone" as const },
    );
    return drawRow(cells, columns, plan, rowHeight);
  }, [row, view, plan, columns]);
  if (drawing === null) return null;
  return (
    <g transform={`translate(0 ${props.top})`}>
      <path className="mx-line" d={drawing.line} />
      <path className="mx-skipped" d={drawing.skipped} />
      <path className="mx-dot" d={drawing.dots + drawing.smallDots + drawing.arrow} />
      <path className="mx-bar" d={drawing.bars} />
      <path className="mx-hollow" d={drawing.hollow} />
      <path className="mx-ring" d={drawing.rings} />
      <path className="mx-plus" d={drawing.plus} />
    </g>
  );
}

function sentence(
  t: ReturnType<typeof useT>,
  a: TraceView,
  b: TraceView,
  rowA: PolicyRow | undefined,
  rowB: PolicyRow | undefined,
): string {
  return `${t("compare.a")}: ${verdict(t, a, rowA)}; ${t("compare.b")}: ${verdict(t, b, rowB)}`;
}

function verdict(t: ReturnType<typeof useT>, view: TraceView, row: PolicyRow | undefined): string {
  if (row === undefined || row.verdict.kind === "absent") return t("effect.absent");
  if (row.verdict.kind === "kept") return t("effect.kept");
  const { column: id } = row.verdict;
  const column = view.trace.columns.find((candidate) => candidate.id === id);
  return column === undefined ? t("effect.removed") : t("list.at", { column: columnName(t, column) });
}
