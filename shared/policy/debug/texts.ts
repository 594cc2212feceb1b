/** English lines for comparisons, refutations and edits: command line, CI reports and error messages. */

import { pathText } from "../configRecord.ts";
import { describeAbsence, describeReason, toolSteps } from "../explain.ts";
import type { ConfigEdit, PolicyContext, PolicyRow, PolicyRule, PolicyTrace } from "../types.ts";
import type { AssertionResult } from "./assertions.ts";
import type { TraceComparison } from "./compareTraces.ts";
import type { ClassLabel } from "./contextClasses.ts";
import type { AssertionOutcome } from "./schema.ts";

const sideWords = { ab: ["in A", "in B"], change: ["now", "then"] } as const;

/**
 * One line per differing tool, seen from a to b: `- exec: in A kept; in B removed at tools.allow (…)`.
 * @param sides what they are called: two situations, or one before and after a change
 */
export function comparisonLines(
  a: PolicyTrace,
  b: PolicyTrace,
  comparison: TraceComparison,
  sides: keyof typeof sideWords = "ab",
): string[] {
  const [wordA, wordB] = sideWords[sides];
  const signs = { gained: "+", lost: "-", moved: "~", path: "." } as const;
  return comparison.rows.map(({ name, change, a: rowA, b: rowB, columns }) => {
    const sides = `${wordA} ${verdictLine(a, rowA)}; ${wordB} ${verdictLine(b, rowB)}`;
    const where =
      change === "path"
        ? ` (differs at ${columns.map((id) => b.columns.find((column) => column.id === id)?.label ?? id).join(", ")})`
        : "";
    return `${signs[change]} ${name}: ${sides}${where}`;
  });
}

function verdictLine(trace: PolicyTrace, row: PolicyRow | undefined): string {
  if (row === undefined) return "not known";
  const { verdict } = row;
  if (verdict.kind === "kept") return "kept";
  if (verdict.kind === "absent") return `not present: ${describeAbsence(verdict.reason, verdict.params)}`;
  const index = trace.columns.findIndex((column) => column.id === verdict.column);
  const cell = row.cells[index];
  const rule = trace.rules.find((candidate) => candidate.id === cell?.ruleIds?.[0]);
  const because = [
    ...(cell?.why === undefined ? [] : [describeReason(cell.why)]),
    ...(rule === undefined ? [] : [ruleName(rule)]),
  ];
  return `removed at ${trace.columns[index]?.label ?? verdict.column} (${because.join("; ")})`;
}

/** @returns where a rule stands and what it says: `tools.deny[0] "exec"`; what it does is said by the cell it decided */
export function ruleName(rule: PolicyRule): string {
  const place = rule.configPath === null ? "built in" : rule.path;
  return rule.entry === "" || rule.configPath === null ? place : `${place} ${JSON.stringify(rule.entry)}`;
}

/** @returns a class in words: `agent support, owner false, group none, model any, main, surface model` */
export function labelText(label: ClassLabel): string {
  const { agent, owner, group, model, sandboxed, role, surface, tools } = label;
  const lacking = tools === undefined ? "" : `, tools ${tools}`;
  return `agent ${agent}, owner ${owner}, group ${group}, model ${model}, sandboxed ${sandboxed}, role ${role}, surface ${surface}${lacking}`;
}

/** @returns an edit in one line: `agents.list[0].tools.alsoAllow = ["browser"]` */
export function editText(edit: ConfigEdit): string {
  const place = pathText(edit.path);
  if (edit.op === "remove") return `remove ${place}`;
  const value = JSON.stringify(edit.value);
  return edit.op === "set" ? `set ${place} = ${value}` : `insert ${value} at ${place}`;
}

/** @returns what a refutation shows, one line per fact; the last ones are the way of the tool through the stages */
export function refutationLines(outcome: Extract<AssertionOutcome, { kind: "refuted" }>): string[] {
  const isThere = outcome.steps.length > 0 && !outcome.steps.some((step) => removes(step.cell.effect));
  return [
    `${outcome.tool} is ${isThere ? "there" : "missing"} for ${labelText(outcome.label)}`,
    ...outcome.steps
      .filter(({ cell }) => cell.effect !== "skipped" && cell.effect !== "gone")
      .map(({ label, cell, rules }) => {
        const because = [
          ...(cell.why === undefined ? [] : [describeReason(cell.why)]),
          ...rules.slice(0, 1).map(ruleName),
        ];
        return `${label}: ${cell.effect}${because.length === 0 ? "" : ` (${because.join("; ")})`}`;
      }),
  ];
}

function removes(effect: string): boolean {
  return effect === "removed" || effect === "absent";
}

/** Replaces the whole matrix of a refutation by the way of its tool, which is what people and CI read. */
export function outcomeOf(result: AssertionResult): AssertionOutcome {
  if (result.kind !== "refuted") return result;
  const { trace, context, ...rest } = result;
  const steps = (toolSteps(trace, result.tool) ?? []).filter(
    // On the model surface the HTTP column stands apart.
    (step) => context.surface === "http" || step.column !== "http",
  );
  return { ...rest, context: withSurface(context), steps };
}

function withSurface(context: PolicyContext) {
  return { ...context, surface: context.surface ?? ("model" as const) };
}
