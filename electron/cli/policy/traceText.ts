/** The policy matrix and its answers as plain text for a terminal. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { editText, labelText, ruleName } from "../../../shared/policy/debug/index.ts";
import {
  describeAbsence,
  describeReason,
  explainAbsence,
  type PolicyCell,
  type PolicyTrace,
  toolSteps,
} from "../../../shared/policy/index.ts";
import type { MethodOutput } from "../../../shared/rpc/index.ts";

type Positions = Record<string, { line: number; column: number }>;
type WhyOutput = MethodOutput<SallyportContract, "policy.why">;
type FindingsOutput = MethodOutput<SallyportContract, "policy.findings">;

/** One sign per cell, so that the matrix fits a terminal; letters differ where colours would. */
const signs: Record<PolicyCell["effect"], string> = {
  kept: "+",
  removed: "X",
  wouldRemove: "x",
  skipped: ".",
  absent: "0",
  failsOpen: "!",
  withoutEffect: "~",
  gone: " ",
};
const legend =
  "+ passes   X removed here   x would be removed too   ! let through because OpenClaw ignores the list   ~ without effect   . stage not active   0 not present";

/** The matrix: a column per stage, a row per tool, the deciding rule behind it. */
export function matrixLines(trace: PolicyTrace, positions: Positions): string[] {
  const width = Math.max(4, ...trace.rows.map((row) => row.name.length));
  const columns = trace.columns.map((column, index) => ({ column, key: columnKey(index) }));
  const kept = trace.rows.filter((row) => row.verdict.kind === "kept").length;
  const lines = columns.map(({ column, key }) => {
    const state = column.state === "skipped" ? "not active" : `${column.survivors} left`;
    return `  ${key}  ${column.label} (${state})`;
  });
  lines.push("", `${"tool".padEnd(width)}  ${columns.map(({ key }) => key).join(" ")}`);
  for (const row of trace.rows) {
    const cells = row.cells.map((cell) => signs[cell.effect]).join(" ");
    const because = row.verdict.kind === "kept" ? "" : `  ${decidingText(trace, row.name, positions)}`;
    lines.push(`${row.name.padEnd(width)}  ${cells}${because}`.trimEnd());
  }
  lines.push("", legend, `${kept} of ${trace.rows.length} tools pass.`);
  return lines;
}

function columnKey(index: number): string {
  return String.fromCharCode("A".charCodeAt(0) + index);
}

function decidingText(trace: PolicyTrace, name: string, positions: Positions): string {
  const { verdict } = trace.rows.find((row) => row.name === name) ?? {};
  if (verdict?.kind === "absent") return `not present: ${describeAbsence(verdict.reason, verdict.params)}`;
  const step = (toolSteps(trace, name) ?? []).find(({ cell }) => cell.effect === "removed");
  const why = step?.cell.why === undefined ? "" : describeReason(step.cell.why);
  const rule = step?.rules[0];
  if (rule === undefined || rule.configPath === null) return why;
  return `${why}; ${ruleName(rule)}${placeText(rule.path, positions)}`;
}

function placeText(path: string, positions: Positions): string {
  const position = new Map(Object.entries(positions)).get(path);
  return position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
}

/** @returns one line per finding in the order of the file, with its place there as far as it has one */
export function findingLines({ findings, positions }: FindingsOutput): string[] {
  const places = new Map(Object.entries(positions));
  const lineOf = (path: string) => places.get(path)?.line ?? Number.POSITIVE_INFINITY;
  return findings
    .toSorted((a, b) => {
      const [first, second] = [lineOf(a.path), lineOf(b.path)];
      return first === second ? 0 : first - second;
    })
    .map(({ text, path }) => `${text}${placeText(path, positions)}`);
}

const states: Record<WhyOutput["answer"]["state"], string> = {
  unknown: "is not a tool that anybody registered",
  absent: "is not present here",
  removed: "is missing",
  kept: "is there",
};

/** @returns a line that says where the answer is from, when the question left it to the config */
export function sandboxLines(fromConfig: boolean | undefined, side = "The session"): string[] {
  if (fromConfig === undefined) return [];
  return [`${side} ${fromConfig ? "runs sandboxed" : "does not run sandboxed"}: taken from the config.`];
}

/** Removers in order, what no edit can change, and the edits that help, the safest first. */
export function whyLines({ answer, positions, suggestion, unlistedAgent }: WhyOutput): string[] {
  const lines = [`${answer.name} ${states[answer.state]}.`];
  if (unlistedAgent !== undefined)
    lines.push(`  ${unlistedAgent} is not in agents.list; the rules for any other agent count.`);
  if (suggestion !== undefined) lines.push(`Did you mean ${suggestion}?`);
  const [absence] = answer.unmet.filter(({ code }) => code === "unavailable");
  if (absence !== undefined)
    lines.push(
      `  ${explainAbsence(absence.params?.reason, absence.params)}`,
      "  No edit of the lists of tools changes this.",
    );
  for (const { label, cell, rules, decides } of answer.removers) {
    // Said above in whole sentences: it is no stage that removes what is not there.
    if (cell.why?.code === "unavailable") continue;
    const verb = decides ? "removed at" : "would also be removed at";
    const why = cell.why === undefined ? "" : `: ${describeReason(cell.why)}`;
    lines.push(`  ${verb} ${label}${why}`);
    for (const rule of rules) lines.push(`    ${ruleName(rule)}${placeText(rule.path, positions)}`);
  }
  for (const reason of answer.unmet) {
    if (reason !== absence) lines.push(`  no edit of the lists changes this: ${describeReason(reason)}`);
  }
  if (answer.layer !== undefined && !answer.layer.canRepair) {
    lines.push(
      `  The chosen part of the config cannot change it. It is decided at: ${answer.layer.removersOutside.join(", ")}`,
    );
  }
  answer.repairs.forEach((repair, index) => {
    const goal = answer.state === "kept" ? "takes it away" : "brings it back";
    lines.push(
      `  ${index + 1}. ${repair.edits.map(editText).join("; ")}  (${goal}; tried)${lossText(repair)}`,
    );
    if (repair.opensHere.length > 0) lines.push(`     also opens here: ${repair.opensHere.join(", ")}`);
    if (repair.closesHere.length > 0) lines.push(`     also closes here: ${repair.closesHere.join(", ")}`);
    lines.push(...effectLines(answer.name, repair));
    for (const { label, opens, closes } of repair.contexts.slice(0, 3)) {
      const change = [...opens.map((tool) => `+${tool}`), ...closes.map((tool) => `-${tool}`)].join(" ");
      lines.push(`       ${change}  ${labelText(label)}`);
    }
    if (repair.contexts.length > 3) lines.push(`       and ${repair.contexts.length - 3} more`);
    if (!repair.isValid) lines.push("     OpenClaw would refuse the config after this edit");
  });
  if (answer.repairs.length === 0 && answer.state !== "unknown" && absence === undefined) {
    lines.push("  No edit of the config that was tried changes it.");
  }
  return lines;
}

type Repair = WhyOutput["answer"]["repairs"][number];

function lossText({ takesFrom }: Repair): string {
  const count = takesFrom.length;
  return count === 0 ? "" : `  ! also takes tools away from ${count} ${count === 1 ? "agent" : "agents"}`;
}

/** In how many contexts something changes, what else opens there and what is lost; a sample gives a lower bound. */
function effectLines(asked: string, { contexts, contextsChecked, contextsTotal }: Repair): string[] {
  const isSample = contextsChecked < contextsTotal;
  const lines = [
    isSample
      ? `     changes at least ${contexts.length} contexts; ${contextsChecked} of ${contextsTotal} were looked at`
      : `     changes ${contexts.length} of ${contextsTotal} contexts`,
  ];
  for (const [key, verb] of [
    ["opens", "opens"],
    ["closes", "takes away"],
  ] as const) {
    const hit = contexts.filter((effect) => effect[key].length > 0);
    const tools = new Set(hit.flatMap((effect) => effect[key]));
    if (hit.length === 0) continue;
    const agents = new Set(hit.map(({ label }) => label.agent));
    const others = [...tools].filter((tool) => tool !== asked);
    const named = tools.has(asked) ? [asked, ...others] : others;
    lines.push(
      `     ${verb} ${short(named)} in ${isSample ? "at least " : ""}${hit.length}, for ${short([...agents])}`,
    );
  }
  return lines;
}

function short(names: readonly string[]): string {
  return names.length <= 5
    ? names.join(", ")
    : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;
}

type Classes = MethodOutput<SallyportContract, "policy.check">["classes"];

/** What a config can tell apart, a line per dimension; a value that holds a comma is quoted. */
export function classLines(classes: Classes): string[] {
  return classes.map(({ dimension, values }) => {
    const words = values.map((value) => (value.includes(",") ? JSON.stringify(value) : value));
    return `  ${dimension}: ${words.join(", ")}`;
  });
}
