/** The differences between two matrices: two contexts, two agents, two configs or two presets. */

import type { ColumnId } from "../codes.ts";
import type { PolicyRow, PolicyTrace } from "../types.ts";

export interface TraceDifference {
  name: string;
  /** `gained` and `lost` as seen from a to b; `moved`: removed at another column; `path`: same verdict, other cells. */
  change: "gained" | "lost" | "moved" | "path";
  /** Absent when that side does not know the tool. */
  a?: PolicyRow;
  b?: PolicyRow;
  /** Columns whose cells differ. */
  columns: ColumnId[];
}

export interface TraceComparison {
  /** Differing rows only: those of a in its order, then what only b has. */
  rows: TraceDifference[];
  gained: string[];
  lost: string[];
}

/** Compares by tool name; of repeated names the first counts. */
export function compareTraces(a: PolicyTrace, b: PolicyTrace): TraceComparison {
  const left = rowsByName(a);
  const right = rowsByName(b);
  const rows: TraceDifference[] = [];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const rowA = left.get(name);
    const rowB = right.get(name);
    const columns = differingColumns(a, rowA, b, rowB);
    const change = changeOf(rowA, rowB, columns);
    if (change === undefined) continue;
    rows.push({
      name,
      change,
      ...(rowA === undefined ? {} : { a: rowA }),
      ...(rowB === undefined ? {} : { b: rowB }),
      columns,
    });
  }
  const named = (change: TraceDifference["change"]) =>
    rows.filter((row) => row.change === change).map((row) => row.name);
  return { rows, gained: named("gained"), lost: named("lost") };
}

function rowsByName(trace: PolicyTrace): Map<string, PolicyRow> {
  const rows = new Map<string, PolicyRow>();
  for (const row of trace.rows) if (!rows.has(row.name)) rows.set(row.name, row);
  return rows;
}

function changeOf(
  a: PolicyRow | undefined,
  b: PolicyRow | undefined,
  columns: readonly ColumnId[],
): TraceDifference["change"] | undefined {
  const keptA = a?.verdict.kind === "kept";
  const keptB = b?.verdict.kind === "kept";
  if (keptA !== keptB) return keptB ? "gained" : "lost";
  if (verdictText(a) !== verdictText(b)) return "moved";
  return columns.length > 0 ? "path" : undefined;
}

function verdictText(row: PolicyRow | undefined): string {
  if (row === undefined) return "unknown";
  const { verdict } = row;
  if (verdict.kind === "kept") return "kept";
  return verdict.kind === "removed" ? `removed ${verdict.column}` : `absent ${verdict.reason}`;
}

/** Cells are compared by what a person sees of them; rules of two configs have other positions. */
function differingColumns(
  a: PolicyTrace,
  rowA: PolicyRow | undefined,
  b: PolicyTrace,
  rowB: PolicyRow | undefined,
): ColumnId[] {
  if (rowA === undefined || rowB === undefined) return [];
  const effectsA = new Map(a.columns.map((column, index) => [column.id, visibleEffect(rowA, index)]));
  return b.columns
    .filter((column, index) => effectsA.get(column.id) !== visibleEffect(rowB, index))
    .map((column) => column.id);
}

/** A stage that is skipped and one that a removed tool never reaches both say nothing. */
function visibleEffect(row: PolicyRow, index: number): string | undefined {
  const effect = row.cells[index]?.effect;
  return effect === "gone" || effect === "skipped" ? "nothing" : effect;
}
