/** The matrix behind an answer: every tool at every column, with the rule that decided (policy §8). */

import type { ColumnId } from "./codes.ts";
import type { CompiledPolicy } from "./compile.ts";
import { type PolicyRun, runPolicy } from "./evaluate.ts";
import type { ToolSlot } from "./toolIndex.ts";
import { columnsOf } from "./traceColumns.ts";
import {
  allSkipped,
  type ColumnRulings,
  type RuleCollector,
  type Ruling,
  rulingsOf,
  skipped,
} from "./traceRulings.ts";
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

/** How tools fare that every column rules alike. */
interface Way {
  cells: PolicyCell[];
  removedAt: ColumnId | undefined;
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
  // Without HTTP as its surface, the last column stands apart: it says nothing about the tool's way.
  const wayLength = isHttp ? columns.length : columns.length - 1;
  const kindOf = slots.length <= maxUnsorted ? null : kindsOf(slots.length, appended, rulings);
  const sizes = kindOf === null ? null : sizesOf(kindOf);
  const ways: (Way | undefined)[] = [];
  const verdicts = new VerdictMemory(run);
  const lookAt = (position: number, size: number): Way => {
    let removedAt: ColumnId | undefined;
    const isAppended = appended.has(position);
    const cells: PolicyCell[] = [];
    for (let c = 0; c < columns.length; c += 1) {
      const column = columns[c];
      if (column === undefined) continue;
      const { distinct, of } = rulings[c] ?? allSkipped;
      const isBeside = isAppended && c > 0 && c < wayLength;
      const ruling = isBeside ? besideRuling(column) : (distinct[of?.[position] ?? 0] ?? skipped);
      if (c < wayLength && removedAt !== undefined) {
        cells.push(ruling.gone);
        continue;
      }
      cells.push(ruling.reached);
      if (!ruling.removes) column.survivors += size;
      else {
        column.removed += size;
        if (c < wayLength) removedAt = column.id;
      }
    }
    return { cells, removedAt };
  };
  return slots.map((slot, position): PolicyRow => {
    const kind = kindOf?.[position] ?? position;
    const way = ways[kind] ?? lookAt(position, sizes?.[kind] ?? 1);
    ways[kind] = way;
    return {
      name: slot.name,
      section: slot.section,
      verdict: verdicts.of(slot, position, way.removedAt),
      cells: way.cells,
    };
  });
}

/** Up to so many tools each has cells of its own: sorting them into kinds would cost more than it saves. */
const maxUnsorted = 100;

/**
 * Puts slots that every column rules alike into one kind.
 * @returns per slot its kind, counted from 0
 */
function kindsOf(
  slotCount: number,
  appended: ReadonlySet<number>,
  rulings: readonly ColumnRulings[],
): Int32Array {
  const kindOf = new Int32Array(slotCount);
  for (const slot of appended) kindOf[slot] = 1;
  let count = appended.size > 0 ? 2 : 1;
  for (const { distinct, of } of rulings) {
    if (of === null) continue;
    // A kind and a ruling make a new kind; their pair is one number.
    const known = pairTable(count * distinct.length);
    let next = 0;
    for (let slot = 0; slot < slotCount; slot += 1) {
      const pair = (kindOf[slot] ?? 0) * distinct.length + (of[slot] ?? 0);
      let kind = known.get(pair);
      if (kind === undefined) {
        kind = next;
        next += 1;
        known.set(pair, kind);
      }
      kindOf[slot] = kind;
    }
    count = next;
  }
  return kindOf;
}

function sizesOf(kindOf: Int32Array): Int32Array {
  const sizes = new Int32Array(kindOf.length);
  for (const kind of kindOf) sizes[kind] = (sizes[kind] ?? 0) + 1;
  return sizes;
}

/** Largest number of pairs for which an array is made instead of a map: 1 MiB. */
const maxTableSize = 262_144;

interface PairTable {
  get(pair: number): number | undefined;
  set(pair: number, kind: number): unknown;
}

function pairTable(size: number): PairTable {
  if (size > maxTableSize) return new Map<number, number>();
  // Kinds plus one: an array begins with zeros.
  const table = new Int32Array(size);
  return {
    get: (pair) => (table[pair] === 0 ? undefined : (table[pair] ?? 0) - 1),
    set: (pair, kind) => {
      table[pair] = kind + 1;
    },
  };
}

const beside: Ruling = {
  reached: { effect: "kept", why: { code: "not-filtered" } },
  gone: { effect: "gone" },
  removes: false,
};

/** Tools that are appended behind the pipeline pass every column untouched. */
function besideRuling(column: PolicyColumn): Ruling {
  return column.state === "active" ? beside : skipped;
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
