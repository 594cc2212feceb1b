/** Differences between two traces of the policy: which rows, which cells, and in which direction. */

import type { PolicyCell, PolicyRow, PolicyTrace } from "../../../../shared/policy/types.ts";

export interface RowDiff {
  name: string;
  section: string;
  before: PolicyRow | null;
  after: PolicyRow | null;
  /** `widens`: the tool reaches the model only after; `narrows`: only before; `same`: the way differs, the end does not. */
  direction: "widens" | "narrows" | "same";
  /** Column ids whose cells differ. */
  changedColumns: ReadonlySet<string>;
}

function isKept(row: PolicyRow | null): boolean {
  return row?.verdict.kind === "kept";
}

const passive: ReadonlySet<string> = new Set(["gone", "skipped"]);
/** Effects that a cell may have only because the tool came this far. */
const followers: ReadonlySet<string> = new Set(["gone", "skipped", "kept", "failsOpen"]);

/**
 * A cell is equal when it looks equal: effect and reason; rule ids may be renumbered by an edit.
 * A cell that only follows from an earlier one (the tool came that far or did not) is no difference of its own.
 */
function isSameCell(a: PolicyCell | undefined, b: PolicyCell | undefined): boolean {
  const effects = [a?.effect ?? "gone", b?.effect ?? "gone"] as const;
  if (effects.some((effect) => passive.has(effect)) && effects.every((effect) => followers.has(effect)))
    return true;
  return a?.effect === b?.effect && a?.why?.code === b?.why?.code;
}

/** @returns rows that differ, by tool name, in the order of `after`, then those that exist only in `before` */
export function diffTraces(before: PolicyTrace, after: PolicyTrace): RowDiff[] {
  const beforeRows = new Map(before.rows.map((row) => [row.name, row]));
  const beforeColumns = new Map(before.columns.map((column, index) => [column.id, index]));
  const diffs: RowDiff[] = [];
  for (const row of after.rows) {
    const old = beforeRows.get(row.name) ?? null;
    beforeRows.delete(row.name);
    const changed = new Set<string>();
    after.columns.forEach((column, index) => {
      const oldIndex = beforeColumns.get(column.id);
      const oldCell = oldIndex === undefined ? undefined : old?.cells[oldIndex];
      if (!isSameCell(oldCell, row.cells[index])) changed.add(column.id);
    });
    if (changed.size > 0 || isKept(old) !== isKept(row)) diffs.push(rowDiff(row.name, old, row, changed));
  }
  for (const [name, row] of beforeRows) {
    diffs.push(rowDiff(name, row, null, new Set(before.columns.map((column) => column.id))));
  }
  return diffs;
}

function rowDiff(
  name: string,
  before: PolicyRow | null,
  after: PolicyRow | null,
  changedColumns: ReadonlySet<string>,
): RowDiff {
  const was = isKept(before);
  const is = isKept(after);
  return {
    name,
    section: (after ?? before)?.section ?? "other",
    before,
    after,
    direction: was === is ? "same" : is ? "widens" : "narrows",
    changedColumns,
  };
}
