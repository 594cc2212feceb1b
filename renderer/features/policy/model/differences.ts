/** What differs between two traces, in the form the matrix draws it: direction, and only the cells that are a cause. */

import type { CellEffect, ColumnId } from "../../../../shared/policy/codes.ts";
import { compareTraces, type TraceDifference } from "../../../../shared/policy/debug/index.ts";
import type { PolicyRow, PolicyTrace } from "../../../../shared/policy/types.ts";

export interface RowDifference extends TraceDifference {
  /** `widens`: the tool reaches the model only in b; `narrows`: only in a; `same`: other way, same end. */
  direction: "widens" | "narrows" | "same";
  /** Columns whose cells differ by themselves. */
  causes: ReadonlySet<ColumnId>;
}

const directions = { gained: "widens", lost: "narrows", moved: "same", path: "same" } as const;
const silent: ReadonlySet<CellEffect> = new Set<CellEffect>(["gone", "skipped"]);
/** Effects that a cell may have only because the tool came this far. */
const followers: ReadonlySet<CellEffect> = new Set<CellEffect>(["gone", "skipped", "kept", "failsOpen"]);

/** @returns differing rows: those of `a` in its order, then those that only `b` has */
export function differencesOf(a: PolicyTrace, b: PolicyTrace): RowDifference[] {
  return compareTraces(a, b).rows.flatMap((row): RowDifference[] => {
    const causes = new Set(
      row.columns.filter((id) => !isFollower(effectAt(a, row.a, id), effectAt(b, row.b, id))),
    );
    // A path that differs only in how far the tool came is told by its verdict.
    return row.change === "path" && causes.size === 0
      ? []
      : [{ ...row, direction: directions[row.change], causes }];
  });
}

function effectAt(trace: PolicyTrace, row: PolicyRow | undefined, id: ColumnId): CellEffect {
  const index = trace.columns.findIndex((column) => column.id === id);
  return row?.cells[index]?.effect ?? "gone";
}

function isFollower(a: CellEffect, b: CellEffect): boolean {
  return (silent.has(a) || silent.has(b)) && followers.has(a) && followers.has(b);
}
