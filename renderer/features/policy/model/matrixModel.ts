/** Reads a policy trace for the matrix: rows with their section heads, counts, and what a cell says about its tool. */

import { pathText } from "../../../../shared/policy/index.ts";
import type {
  ConfigPath,
  PolicyCell,
  PolicyColumn,
  PolicyRow,
  PolicyRule,
  PolicyTrace,
} from "../../../../shared/policy/types.ts";

/** The catalog's section order (policy.md §1); plugin sections and the rest follow in trace order. */
const sectionOrder = [
  "fs",
  "runtime",
  "web",
  "memory",
  "sessions",
  "ui",
  "messaging",
  "automation",
  "nodes",
  "agents",
  "media",
];

export interface MatrixRow {
  row: PolicyRow;
  /** Position in `trace.rows`. */
  traceIndex: number;
  /** True for the first row of its section, which carries the section's name. */
  startsSection: boolean;
}

/** @param filter matched anywhere in the tool's name or section, case-insensitive; empty keeps everything */
export function matrixRows(trace: PolicyTrace, filter = ""): MatrixRow[] {
  const needle = filter.trim().toLowerCase();
  const order = new Map<string, number>(sectionOrder.map((section, index) => [section, index]));
  for (const row of trace.rows) {
    if (!order.has(row.section) && row.section !== "other") order.set(row.section, order.size);
  }
  order.set("other", order.size);
  const rows = trace.rows
    .map((row, traceIndex) => ({ row, traceIndex, startsSection: false }))
    .filter(
      ({ row }) =>
        needle === "" ||
        row.name.toLowerCase().includes(needle) ||
        row.section.toLowerCase().includes(needle),
    )
    .sort(
      (a, b) =>
        (order.get(a.row.section) ?? 0) - (order.get(b.row.section) ?? 0) || a.traceIndex - b.traceIndex,
    );
  let section: string | null = null;
  for (const entry of rows) {
    entry.startsSection = entry.row.section !== section;
    section = entry.row.section;
  }
  return rows;
}

export function keptCount(trace: PolicyTrace): number {
  return trace.rows.reduce((count, row) => count + (row.verdict.kind === "kept" ? 1 : 0), 0);
}

/** @returns index of the column that takes the tool away, or null when it reaches the model */
export function removerIndex(trace: PolicyTrace, row: PolicyRow): number | null {
  if (row.verdict.kind === "kept") return null;
  const columnId = row.verdict.kind === "absent" ? "exists" : row.verdict.column;
  const index = trace.columns.findIndex((column) => column.id === columnId);
  return index < 0 ? null : index;
}

/** Every column that removes the tool or would if it came that far, in the order of the pipeline; surfaces apart. */
export function removers(trace: PolicyTrace, row: PolicyRow): { column: PolicyColumn; cell: PolicyCell }[] {
  const found: { column: PolicyColumn; cell: PolicyCell }[] = [];
  trace.columns.forEach((column, index) => {
    const cell = row.cells[index];
    if (cell === undefined || column.kind === "surface") return;
    const isAbsent = cell.effect === "absent" && column.id === "exists";
    if (cell.effect === "removed" || cell.effect === "wouldRemove" || isAbsent) found.push({ column, cell });
  });
  return found;
}

/** @returns the cell's rules, deciding rule first, then those that lost */
export function cellRules(trace: PolicyTrace, cell: PolicyCell): PolicyRule[] {
  const byId = rulesById(trace);
  const rules: PolicyRule[] = [];
  for (const id of cell.ruleIds ?? []) {
    const rule = byId.get(id);
    if (rule !== undefined) rules.push(rule);
  }
  return [...rules.filter((rule) => rule.lostTo === undefined), ...rules.filter((rule) => rule.lostTo)];
}

const ruleIndexes = new WeakMap<PolicyTrace, Map<string, PolicyRule>>();

function rulesById(trace: PolicyTrace): Map<string, PolicyRule> {
  let index = ruleIndexes.get(trace);
  if (index === undefined) {
    index = new Map(trace.rules.map((rule) => [rule.id, rule]));
    ruleIndexes.set(trace, index);
  }
  return index;
}

export type Positions = ReadonlyMap<string, { line: number; column: number }>;

/** @returns the line of a path, or of its nearest parent that has a place; null when it stands nowhere */
export function lineOf(positions: Positions, path: ConfigPath | null): number | null {
  if (path === null) return null;
  for (let length = path.length; length > 0; length -= 1) {
    const place = positions.get(pathText(path.slice(0, length)));
    if (place !== undefined) return place.line;
  }
  return null;
}

/** Stage labels in pieces that may stand on lines of their own: broken behind dots and in front of slashes. */
export function labelPieces(label: string): string[] {
  const pieces: string[] = [];
  for (const word of label.split(" ")) {
    const parts = word.split(/(?<=\.)|(?<=.)(?=\/)/u);
    pieces.push(...parts.filter((part) => part !== ""));
  }
  return pieces;
}
