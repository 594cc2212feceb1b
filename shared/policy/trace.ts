/** The matrix behind an answer: every tool at every column, with the rule that decided (policy §8). */

import type { ColumnId } from "./codes.ts";
import type { CompiledPolicy } from "./compile.ts";
import { type PolicyRun, runPolicy } from "./evaluate.ts";
import type { ToolSlot } from "./toolIndex.ts";
import { columnsOf } from "./traceColumns.ts";
import { type ColumnRulings, type RuleCollector, type Ruling, rulingsOf, skipped } from "./traceRulings.ts";
import type {
  PolicyCell,
  PolicyColumn,
  PolicyContext,
  PolicyRow,
  PolicyTrace,
  PolicyVerdict,
  RegisteredTool,
} from "./types.ts";

/**
 * Evaluates and explains. `result` equals what `evaluatePolicy` gives. On the model and MCP surfaces the last column
 * shows whether the tool could be called over HTTP in the same session; on HTTP the columns come in HTTP's order.
 */
export function tracePolicy(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
): PolicyTrace {
  const run = runPolicy(compiled, context, tools);
  const isHttp = context.surface === "http";
  const httpRun = isHttp
    ? run
    : runPolicy(compiled, { ...context, surface: "http" }, tools, { withStages: false });
  const rules: RuleCollector = { preFilters: new Map(), lists: [] };
  const specs = columnsOf(run, isHttp);
  const rulings = specs.map((spec) => rulingsOf(compiled, spec, run, httpRun, rules));
  const columns = specs.map((spec) => spec.column);
  const rows = rowsOf(run, columns, rulings, isHttp);
  return { result: run.result, columns, rows, rules: [...rules.preFilters.values(), ...rules.lists] };
}

/** Fills the rows and the counts of the columns. */
function rowsOf(
  run: PolicyRun,
  columns: readonly PolicyColumn[],
  rulings: readonly ColumnRulings[],
  isHttp: boolean,
): PolicyRow[] {
  const { slots } = run.entering.index;
  const appended = new Set(run.entering.appended);
  const removed = new Int32Array(columns.length);
  const survivors = new Int32Array(columns.length);
  // Without HTTP as its surface, the last column stands apart: it says nothing about the tool's way.
  const wayLength = isHttp ? columns.length : columns.length - 1;
  const verdicts = new VerdictMemory(run);
  const same = rulings.map((ruling) => ("reached" in ruling ? ruling : undefined));
  const perSlot = rulings.map((ruling) => ("reached" in ruling ? undefined : ruling));
  const rows = slots.map((slot, position): PolicyRow => {
    const beside = appended.has(position);
    const cells: PolicyCell[] = [];
    let removedAt = -1;
    for (let c = 0; c < columns.length; c += 1) {
      const ruling =
        beside && c > 0 && c < wayLength
          ? besideRuling(columns[c])
          : (same[c] ?? perSlot[c]?.[position] ?? skipped);
      if (c >= wayLength || removedAt === -1) {
        cells.push(ruling.reached);
        if (!ruling.removes) survivors[c] = (survivors[c] ?? 0) + 1;
        else {
          removed[c] = (removed[c] ?? 0) + 1;
          if (c < wayLength) removedAt = c;
        }
      } else cells.push(ruling.gone);
    }
    return {
      name: slot.name,
      section: slot.section,
      verdict: verdicts.of(slot, position, columns[removedAt]?.id),
      cells,
    };
  });
  columns.forEach((column, c) => {
    column.removed = removed[c] ?? 0;
    column.survivors = survivors[c] ?? 0;
  });
  return rows;
}

const beside: Ruling = {
  reached: { effect: "kept", why: { code: "not-filtered" } },
  gone: { effect: "gone" },
  removes: false,
};

/** Tools that are appended behind the pipeline pass every column untouched. */
function besideRuling(column: PolicyColumn | undefined): Ruling {
  return column?.state === "active" ? beside : skipped;
}

/** Verdicts, made once per column. */
class VerdictMemory {
  private readonly removed = new Map<ColumnId, PolicyVerdict>();
  private readonly kept: PolicyVerdict = { kind: "kept" };
  private readonly run: PolicyRun;

  constructor(run: PolicyRun) {
    this.run = run;
  }

  of(slot: ToolSlot, position: number, removedAt: ColumnId | undefined): PolicyVerdict {
    if (removedAt === undefined) return this.kept;
    const { unavailable } = slot.tool;
    if (unavailable !== undefined) return { kind: "absent", ...unavailable };
    const offSurface = this.run.entering.reasons.get("surface")?.get(position);
    if (removedAt === "exists" && offSurface !== undefined) {
      return { kind: "absent", reason: offSurface.code, params: offSurface.params };
    }
    const verdict = this.removed.get(removedAt) ?? { kind: "removed", column: removedAt };
    this.removed.set(removedAt, verdict);
    return verdict;
  }
}
