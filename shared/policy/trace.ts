/** The matrix behind an answer: every tool at every column, with the rule that decided (policy §8, look of the view). */

import type { CellEffect, ColumnId, PreFilterId, ReasonCode } from "./codes.ts";
import type { CompiledPolicy } from "./compile.ts";
import { deepFreeze, pathText } from "./configRecord.ts";
import { type PolicyRun, runPolicy, type StageVerdicts } from "./evaluate.ts";
import type { CompiledList, ListEntry } from "./lists.ts";
import type { StagePolicy } from "./pick.ts";
import type { ToolSlot } from "./toolIndex.ts";
import { type ColumnSpec, columnsOf } from "./traceColumns.ts";
import type {
  ConfigPath,
  PolicyCell,
  PolicyColumn,
  PolicyContext,
  PolicyRow,
  PolicyRule,
  PolicyTrace,
  PolicyVerdict,
  Reason,
  RegisteredTool,
} from "./types.ts";

/** What a column does to one tool, before it is known whether the tool gets there. */
interface Ruling {
  /** Cell for a tool that reaches the column. */
  reached: PolicyCell;
  /** Cell for a tool that is out already. */
  gone: PolicyCell;
  removes: boolean;
}

interface ColumnRulings {
  column: PolicyColumn;
  /** The same ruling for every tool, where that is so. */
  constant?: Ruling;
  ruling(slot: ToolSlot, position: number): Ruling;
}

const goneCell: PolicyCell = { effect: "gone" };
const skipped: Ruling = { reached: { effect: "skipped" }, gone: goneCell, removes: false };
const passes: Ruling = { reached: { effect: "kept" }, gone: goneCell, removes: false };

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
  const httpRun = isHttp ? run : runPolicy(compiled, { ...context, surface: "http" }, tools);
  const rules = new Map<string, PolicyRule>();
  const lists: PolicyRule[] = [];
  const columns = columnsOf(run, isHttp).map((spec) =>
    rulingsOf(compiled, spec, run, httpRun, rules, lists, isHttp),
  );
  const rows = rowsOf(run, columns, isHttp);
  return {
    result: run.result,
    columns: columns.map(({ column }) => column),
    rows,
    rules: [...rules.values(), ...lists],
  };
}

function rowsOf(run: PolicyRun, columns: readonly ColumnRulings[], isHttp: boolean): PolicyRow[] {
  const { slots } = run.entering.index;
  const appended = new Set(run.entering.appended);
  const removedVerdicts = new Map<ColumnId, PolicyVerdict>();
  const kept: PolicyVerdict = { kind: "kept" };
  const rows: PolicyRow[] = [];
  for (let position = 0; position < slots.length; position += 1) {
    const slot = slots[position];
    if (slot === undefined) continue;
    const beside = appended.has(position);
    const cells: PolicyCell[] = new Array(columns.length);
    let removedAt: ColumnId | undefined;
    for (let c = 0; c < columns.length; c += 1) {
      const one = columns[c];
      if (one === undefined) continue;
      const { column } = one;
      const isSurface = column.kind === "surface" && !isHttp;
      if (beside && column.id !== "exists" && !isSurface) {
        cells[c] = column.state === "skipped" ? skipped.reached : besideCell;
        if (column.state === "active") column.survivors += 1;
        continue;
      }
      const ruling = one.constant ?? one.ruling(slot, position);
      cells[c] = removedAt === undefined || isSurface ? ruling.reached : ruling.gone;
      if (isSurface) {
        if (ruling.removes) column.removed += 1;
        else column.survivors += 1;
      } else if (removedAt === undefined) {
        if (ruling.removes) {
          column.removed += 1;
          removedAt = column.id;
        } else column.survivors += 1;
      }
    }
    rows.push({
      name: slot.name,
      section: slot.section,
      verdict: removedAt === undefined ? kept : verdictOf(slot, position, run, removedAt, removedVerdicts),
      cells,
    });
  }
  return rows;
}

const besideCell: PolicyCell = { effect: "kept", why: { code: "not-filtered" } };

function verdictOf(
  slot: ToolSlot,
  position: number,
  run: PolicyRun,
  removedAt: ColumnId,
  memory: Map<ColumnId, PolicyVerdict>,
): PolicyVerdict {
  const { unavailable } = slot.tool;
  if (unavailable !== undefined) return { kind: "absent", ...unavailable };
  const offSurface = run.entering.reasons.get("surface")?.get(position);
  if (removedAt === "exists" && offSurface !== undefined) {
    return { kind: "absent", reason: offSurface.code, params: offSurface.params };
  }
  const known = memory.get(removedAt);
  if (known !== undefined) return known;
  const verdict: PolicyVerdict = { kind: "removed", column: removedAt };
  memory.set(removedAt, verdict);
  return verdict;
}

function rulingsOf(
  compiled: CompiledPolicy,
  spec: ColumnSpec,
  run: PolicyRun,
  httpRun: PolicyRun,
  rules: Map<string, PolicyRule>,
  lists: PolicyRule[],
  isHttp: boolean,
): ColumnRulings {
  const column: PolicyColumn = { ...spec.column };
  switch (spec.kind) {
    case "exists":
      return { column, ruling: existsRuling(run, rules) };
    case "pre-filter":
      if (column.state === "skipped") return { column, constant: skipped, ruling: () => skipped };
      return { column, ruling: preFilterRuling(spec.filter, run, rules) };
    case "http-owner":
      if (column.state === "skipped") return { column, constant: skipped, ruling: () => skipped };
      return { column, ruling: httpOwnerRuling(run, rules) };
    case "skipped":
      return { column, constant: skipped, ruling: () => skipped };
    case "stage":
      for (const rule of stageRules(spec.verdicts.policy)) lists.push(rule);
      return { column, ruling: stageRuling(spec.verdicts) };
    case "http": {
      for (const rule of compiled.httpDeny.rules) lists.push(rule);
      return { column, ruling: isHttp ? httpDenyRuling(run) : httpSurfaceRuling(httpRun) };
    }
  }
}

function removal(why: Reason, ruleIds: string[], effect: CellEffect = "removed"): Ruling {
  return {
    reached: { effect, ruleIds, why },
    gone: effect === "absent" ? goneCell : { effect: "wouldRemove", ruleIds, why },
    removes: true,
  };
}

const preFilterPaths = new Map<ReasonCode, ConfigPath>([
  ["plugins-disabled", ["plugins", "enabled"]],
  ["native-web-search", ["tools", "web", "search", "openaiCodex", "enabled"]],
]);

function preFilterRule(column: ColumnId, why: Reason, rules: Map<string, PolicyRule>): string {
  const id = `${column}:pre-filter:${why.code}`;
  if (!rules.has(id)) {
    const path = preFilterPaths.get(why.code);
    rules.set(id, {
      id,
      column,
      list: "pre-filter",
      configPath: path === undefined ? null : [...path],
      path: path === undefined ? "pre-filter" : pathText(path),
      entry: "",
      effect: "denies",
      why: { code: why.code },
    });
  }
  return id;
}

function existsRuling(run: PolicyRun, rules: Map<string, PolicyRule>) {
  const registration = run.entering.reasons.get("plugin-registration");
  const surface = run.entering.reasons.get("surface");
  return (slot: ToolSlot, position: number): Ruling => {
    if (slot.tool.unavailable !== undefined) {
      const { reason, params } = slot.tool.unavailable;
      const why: Reason = { code: "unavailable", params: { ...params, reason } };
      return removal(why, [preFilterRule("exists", why, rules)]);
    }
    const off = surface?.get(position);
    const why = registration?.get(position) ?? off;
    if (why === undefined) return passes;
    return removal(why, [preFilterRule("exists", why, rules)], why === off ? "absent" : "removed");
  };
}

function preFilterRuling(filter: PreFilterId, run: PolicyRun, rules: Map<string, PolicyRule>) {
  const reasons = run.entering.reasons.get(filter);
  const column = filter as ColumnId;
  return (_: ToolSlot, position: number): Ruling => {
    const why = reasons?.get(position);
    return why === undefined ? passes : removal(why, [preFilterRule(column, why, rules)]);
  };
}

function httpOwnerRuling(run: PolicyRun, rules: Map<string, PolicyRule>) {
  const why: Reason = { code: "owner-only" };
  return (_: ToolSlot, position: number): Ruling => {
    return run.httpOwner.has(position) ? removal(why, [preFilterRule("owner-only", why, rules)]) : passes;
  };
}

function httpDenyRuling(run: PolicyRun) {
  return (_: ToolSlot, position: number): Ruling => {
    const hit = run.httpDenied.get(position);
    return hit === undefined ? passes : removal(hit.reason, [hit.rule.id]);
  };
}

/** For the model's own view: would the tool be reachable over HTTP, and if not, what stands in the way first. */
function httpSurfaceRuling(httpRun: PolicyRun) {
  const surviving = new Set(httpRun.surviving);
  const surface = httpRun.entering.reasons.get("surface");
  const stageOf = httpRun.stages.map((verdicts) => ({
    verdicts,
    ruling: removal({ code: "http-stage", params: { column: verdicts.policy.column } }, []),
  }));
  const absent: Ruling = { reached: { effect: "absent" }, gone: goneCell, removes: true };
  const owner = removal({ code: "owner-only" }, []);
  return (slot: ToolSlot, position: number): Ruling => {
    if (surviving.has(position)) return passes;
    if (slot.tool.unavailable !== undefined || surface?.has(position) === true) return absent;
    const registration = httpRun.entering.reasons.get("plugin-registration")?.get(position);
    if (registration !== undefined) return removal(registration, []);
    // The deny set is named first: it is what speaks about this surface.
    const hit = httpRun.httpDenied.get(position);
    if (hit !== undefined) return removal(hit.reason, [hit.rule.id]);
    for (const { verdicts, ruling } of stageOf) if (stageRemoves(verdicts, position)) return ruling;
    return httpRun.httpOwner.has(position) ? owner : absent;
  };
}

export function stageRemoves({ deny, allow, report }: StageVerdicts, position: number): boolean {
  if (deny !== undefined && deny[position] !== -1) return true;
  return !report.dropped && allow !== undefined && allow[position] === -1;
}

const ruleMemory = new WeakMap<StagePolicy, readonly PolicyRule[]>();

function stageRules(policy: StagePolicy): readonly PolicyRule[] {
  const known = ruleMemory.get(policy);
  if (known !== undefined) return known;
  const rulesOf = (list: CompiledList | undefined) => list?.entries.map((entry) => entry.rule) ?? [];
  const whole = policy.restricts === undefined ? [] : [policy.restricts];
  const all = [...rulesOf(policy.deny), ...rulesOf(policy.allow), ...whole, ...policy.losers];
  const rules = [...new Map(all.map((rule) => [rule.id, rule])).values()];
  deepFreeze(rules);
  ruleMemory.set(policy, rules);
  return rules;
}

/** Cells of a stage by what hits a tool there, so that equal cells are made once. */
const cellMemory = new WeakMap<StageVerdicts, Map<number, Ruling>>();

function stageRuling(verdicts: StageVerdicts) {
  const { policy, deny, allow, report } = verdicts;
  const allowSize = (policy.allow?.entries.length ?? 0) + 1;
  const memory = cellMemory.get(verdicts) ?? new Map<number, Ruling>();
  cellMemory.set(verdicts, memory);
  return (slot: ToolSlot, position: number): Ruling => {
    const denyHit = deny?.[position] ?? -1;
    const allowHit = report.dropped ? -1 : (allow?.[position] ?? -1);
    const isPatch = slot.normalized === "apply_patch";
    const key = ((denyHit + 1) * allowSize + (allowHit + 1)) * 2 + (isPatch ? 1 : 0);
    const known = memory.get(key);
    if (known !== undefined) return known;
    const ruling = stageCell(verdicts, denyHit, allowHit, isPatch);
    deepFreeze(ruling);
    memory.set(key, ruling);
    return ruling;
  };
}

function stageCell(
  { policy, allow, report }: StageVerdicts,
  denyHit: number,
  allowHit: number,
  isPatch: boolean,
): Ruling {
  const denyEntry = policy.deny?.entries[denyHit];
  const allowEntry = policy.allow?.entries[allowHit];
  if (denyEntry !== undefined) {
    const ids = [denyEntry.rule.id, ...(allowEntry === undefined ? [] : [allowEntry.rule.id])];
    return removal(denyReason(denyEntry, isPatch), ids);
  }
  if (report.dropped) {
    const ids = policy.restricts === undefined ? [] : [policy.restricts.id];
    return {
      reached: { effect: "failsOpen", ruleIds: ids, why: { code: "list-dropped" } },
      gone: goneCell,
      removes: false,
    };
  }
  if (allow === undefined) {
    return { reached: { effect: "kept", why: { code: "no-allow-list" } }, gone: goneCell, removes: false };
  }
  if (allowEntry === undefined) {
    return removal(
      notListedReason(policy.restricts),
      policy.restricts === undefined ? [] : [policy.restricts.id],
    );
  }
  const ruleIds = [allowEntry.rule.id];
  const isWritten = allowEntry.rule.list === "allow" || allowEntry.rule.list === "alsoAllow";
  const isNamed = isWritten && allowEntry.rule.configPath !== null && allowEntry.kind !== "star";
  return {
    reached: { effect: "kept", ruleIds, why: allowReason(allowEntry, isPatch) },
    gone: isNamed ? { effect: "withoutEffect", ruleIds, why: { code: "removed-earlier" } } : goneCell,
    removes: false,
  };
}

function notListedReason(rule: PolicyRule | undefined): Reason {
  if (rule?.list === "profile") return { code: "not-in-profile", params: { profile: rule.entry } };
  if (rule?.list === "default") return { code: "not-in-sandbox-default" };
  return { code: "not-listed" };
}

/** Whether an entry reaches apply_patch only because it reaches write. */
function isThroughWrite(entry: ListEntry, isPatch: boolean): boolean {
  return isPatch && entry.members.includes("write") && !entry.members.includes("apply_patch");
}

function denyReason(entry: ListEntry, isPatch: boolean): Reason {
  const builtIn = entry.rule.why.code;
  if (entry.rule.configPath === null && builtIn !== "names-tool") return entry.rule.why;
  const params = { entry: entry.rule.entry };
  if (isThroughWrite(entry, isPatch)) return { code: "denied-through-write", params };
  switch (entry.kind) {
    case "star":
      return { code: "denied-by-star" };
    case "pattern":
      return { code: "denied-by-pattern", params };
    case "group":
      return { code: "denied-by-group", params };
    case "name":
      return { code: "denied-by-name", params };
  }
}

function allowReason(entry: ListEntry, isPatch: boolean): Reason {
  const params = { entry: entry.rule.entry };
  if (entry.rule.list === "profile") return entry.rule.why;
  if (isThroughWrite(entry, isPatch)) return { code: "allowed-through-write", params };
  switch (entry.kind) {
    case "star":
      return { code: "allowed-by-star" };
    case "pattern":
      return { code: "allowed-by-pattern", params };
    case "group":
      return { code: "allowed-by-group", params };
    case "name":
      return { code: "allowed-by-name", params };
  }
}
