/** What every column of the matrix does to every tool, with the deciding rules. */

import type { CellEffect, ColumnId, PreFilterId, ReasonCode } from "./codes.ts";
import type { CompiledPolicy } from "./compile.ts";
import { deepFreeze, pathText } from "./configRecord.ts";
import { type PolicyRun, restrictingRule, type StageVerdicts, stageRemoves } from "./evaluate.ts";
import type { HttpDenyHit } from "./httpSurface.ts";
import type { CompiledList, ListEntry } from "./lists.ts";
import type { StagePolicy } from "./pick.ts";
import type { EnteringTools, ToolSlot } from "./toolIndex.ts";
import type { ColumnSpec } from "./traceColumns.ts";
import type { ConfigPath, PolicyCell, PolicyRule, Reason } from "./types.ts";
import { matchesPattern } from "./wildcards.ts";

/** What a column does to one tool, before it is known whether the tool gets there. */
export interface Ruling {
  /** Cell for a tool that reaches the column. */
  reached: PolicyCell;
  /** Cell for a tool that is out already. */
  gone: PolicyCell;
  removes: boolean;
}

/** The rulings of a column: few different ones for many slots. */
export interface ColumnRulings {
  distinct: readonly Ruling[];
  /** Per slot the position in `distinct`; null when there is one ruling for all. */
  of: Int32Array | null;
}

/** Equal objects are one ruling. */
function columnRulings(perSlot: readonly Ruling[]): ColumnRulings {
  const known = new Map<Ruling, number>();
  const of = new Int32Array(perSlot.length);
  let last: Ruling | undefined;
  let lastId = 0;
  for (let slot = 0; slot < perSlot.length; slot += 1) {
    const ruling = perSlot[slot] ?? skipped;
    // Neighbours are mostly ruled alike.
    if (ruling !== last) {
      lastId = known.get(ruling) ?? known.size;
      known.set(ruling, lastId);
      last = ruling;
    }
    of[slot] = lastId;
  }
  return { distinct: [...known.keys()], of: known.size === 1 ? null : of };
}

const goneCell: PolicyCell = { effect: "gone" };
export const skipped: Ruling = { reached: { effect: "skipped" }, gone: goneCell, removes: false };
export const allSkipped: ColumnRulings = { distinct: [skipped], of: null };
const passes: Ruling = { reached: { effect: "kept" }, gone: goneCell, removes: false };

/** Rules met on the way, for the trace. */
export interface RuleCollector {
  preFilters: Map<string, PolicyRule>;
  lists: PolicyRule[];
}

/**
 * Rules over all tools at one column.
 * @param httpRun the walk on the HTTP surface, for its column
 */
export function rulingsOf(
  compiled: CompiledPolicy,
  spec: ColumnSpec,
  run: PolicyRun,
  httpRun: PolicyRun,
  rules: RuleCollector,
): ColumnRulings {
  if (spec.column.state === "skipped") return allSkipped;
  const slots = run.entering.index.slots;
  switch (spec.kind) {
    case "exists":
      return entryRulings("exists", run, rules, (found) => slots.map(existsRuling(run, found)));
    case "pre-filter":
      return entryRulings(spec.filter, run, rules, (found) =>
        slots.map(preFilterRuling(spec.filter, run, found)),
      );
    case "http-owner":
      return columnRulings(slots.map(httpOwnerRuling(run, rules.preFilters)));
    case "skipped":
      return allSkipped;
    case "stage":
      for (const rule of stageRules(spec.verdicts.policy)) rules.lists.push(rule);
      return stageRulings(spec.verdicts, slots);
    case "http":
      for (const rule of compiled.httpDeny.rules) rules.lists.push(rule);
      return columnRulings(slots.map(run === httpRun ? httpDenyRuling(run) : httpSurfaceRuling(httpRun)));
  }
}

interface EntryRulings {
  rulings: ColumnRulings;
  rules: ReadonlyMap<string, PolicyRule>;
}

const entryMemory = new WeakMap<EnteringTools, Map<string, EntryRulings>>();

/** What stands before the stages depends on the entering tools alone, so it is worked out once for them. */
function entryRulings(
  column: PreFilterId | "exists",
  { entering }: PolicyRun,
  rules: RuleCollector,
  make: (found: Map<string, PolicyRule>) => readonly Ruling[],
): ColumnRulings {
  const memory = entryMemory.get(entering) ?? new Map<string, EntryRulings>();
  entryMemory.set(entering, memory);
  let known = memory.get(column);
  if (known === undefined) {
    const found = new Map<string, PolicyRule>();
    known = { rulings: columnRulings(make(found)), rules: found };
    // Traces share these objects, so nobody may change them.
    deepFreeze(known.rulings.distinct);
    for (const rule of found.values()) deepFreeze(rule);
    memory.set(column, known);
  }
  for (const [id, rule] of known.rules) rules.preFilters.set(id, rule);
  return known.rulings;
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
  let out: Ruling | undefined;
  return (_: ToolSlot, position: number): Ruling => {
    if (!run.httpOwner.has(position)) return passes;
    out ??= removal(why, [preFilterRule("owner-only", why, rules)]);
    return out;
  };
}

const denyMemory = new WeakMap<HttpDenyHit, Ruling>();

function httpDenyRulingOf(hit: HttpDenyHit): Ruling {
  const known = denyMemory.get(hit) ?? removal(hit.reason, [hit.rule.id]);
  denyMemory.set(hit, known);
  return known;
}

function httpDenyRuling(run: PolicyRun) {
  return (_: ToolSlot, position: number): Ruling => {
    const hit = run.httpDenied.get(position);
    return hit === undefined ? passes : httpDenyRulingOf(hit);
  };
}

/** For the model's own view: would the tool be reachable over HTTP, and if not, what stands in the way first. */
function httpSurfaceRuling(httpRun: PolicyRun) {
  const survives = new Uint8Array(httpRun.entering.index.slots.length);
  for (const slot of httpRun.surviving) survives[slot] = 1;
  const surface = httpRun.entering.reasons.get("surface");
  const stageOf = httpRun.stages.map((verdicts) => ({
    verdicts,
    ruling: removal({ code: "http-stage", params: { column: verdicts.policy.column } }, []),
  }));
  const absent: Ruling = { reached: { effect: "absent" }, gone: goneCell, removes: true };
  const owner = removal({ code: "owner-only" }, []);
  return (slot: ToolSlot, position: number): Ruling => {
    if (survives[position] === 1) return passes;
    if (slot.tool.unavailable !== undefined || surface?.has(position) === true) return absent;
    const registration = httpRun.entering.reasons.get("plugin-registration")?.get(position);
    if (registration !== undefined) return removal(registration, []);
    // The deny set is named first: it is what speaks about this surface.
    const hit = httpRun.httpDenied.get(position);
    if (hit !== undefined) return httpDenyRulingOf(hit);
    for (const { verdicts, ruling } of stageOf) if (stageRemoves(verdicts, position)) return ruling;
    return httpRun.httpOwner.has(position) ? owner : absent;
  };
}

const ruleMemory = new WeakMap<StagePolicy, readonly PolicyRule[]>();

function stageRules(policy: StagePolicy): readonly PolicyRule[] {
  const known = ruleMemory.get(policy);
  if (known !== undefined) return known;
  const rulesOf = (list: CompiledList | undefined) => list?.entries.map((entry) => entry.rule) ?? [];
  const whole = (policy.both ?? [policy]).flatMap(({ restricts }) => restricts ?? []);
  const all = [...rulesOf(policy.deny), ...rulesOf(policy.allow), ...whole, ...policy.losers];
  const rules = [...new Map(all.map((rule) => [rule.id, rule])).values()];
  deepFreeze(rules);
  ruleMemory.set(policy, rules);
  return rules;
}

const rulingMemory = new WeakMap<StageVerdicts, ColumnRulings>();

function stageRulings(verdicts: StageVerdicts, slots: readonly ToolSlot[]): ColumnRulings {
  const known = rulingMemory.get(verdicts);
  if (known !== undefined) return known;
  const rulings = columnRulings(slots.map(stageRuling(verdicts)));
  rulingMemory.set(verdicts, rulings);
  return rulings;
}

/** Equal cells are made once. */
function stageRuling(verdicts: StageVerdicts) {
  const { policy, deny, allow, report } = verdicts;
  const allowSize = (policy.allow?.entries.length ?? 0) + 1;
  const memory = new Map<number, Ruling>();
  return (slot: ToolSlot, position: number): Ruling => {
    const denyHit = deny?.[position] ?? -1;
    const allowHit = report.dropped ? -1 : (allow?.[position] ?? -1);
    const way = wayOf(policy.deny?.entries[denyHit] ?? policy.allow?.entries[allowHit], slot);
    const restricts = restrictingRule(verdicts, position);
    const hits = ((denyHit + 1) * allowSize + (allowHit + 1)) * ways.length + ways.indexOf(way);
    const key = hits * 2 + (restricts === policy.restricts ? 0 : 1);
    const known = memory.get(key);
    if (known !== undefined) return known;
    const ruling = stageCell(verdicts, denyHit, allowHit, way, restricts);
    deepFreeze(ruling);
    memory.set(key, ruling);
    return ruling;
  };
}

function stageCell(
  { policy, allow, report }: StageVerdicts,
  denyHit: number,
  allowHit: number,
  way: Way,
  restricts: PolicyRule | undefined,
): Ruling {
  const denyEntry = policy.deny?.entries[denyHit];
  const allowEntry = policy.allow?.entries[allowHit];
  if (denyEntry !== undefined) {
    const ids = [denyEntry.rule.id, ...(allowEntry === undefined ? [] : [allowEntry.rule.id])];
    return removal(denyReason(denyEntry, way), ids);
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
    return removal(notListedReason(restricts), restricts === undefined ? [] : [restricts.id]);
  }
  const ruleIds = [allowEntry.rule.id];
  const isWritten = allowEntry.rule.list === "allow" || allowEntry.rule.list === "alsoAllow";
  const isNamed = isWritten && allowEntry.rule.configPath !== null && allowEntry.kind !== "star";
  return {
    reached: { effect: "kept", ruleIds, why: allowReason(allowEntry, way) },
    gone: isNamed ? { effect: "withoutEffect", ruleIds, why: { code: "removed-earlier" } } : goneCell,
    removes: false,
  };
}

function notListedReason(rule: PolicyRule | undefined): Reason {
  if (rule?.list === "profile") return { code: "not-in-profile", params: { profile: rule.entry } };
  if (rule?.list === "default") return { code: "not-in-sandbox-default" };
  return { code: "not-listed" };
}

/** How an entry reaches a tool: in its own form, through write, or because the tool belongs to a plugin. */
const ways = ["own", "write", "plugin"] as const;
type Way = (typeof ways)[number];

function wayOf(entry: ListEntry | undefined, slot: ToolSlot): Way {
  if (entry === undefined) return "own";
  const { kind, name, members } = entry;
  if (slot.normalized === "apply_patch") {
    const reachesPatch =
      kind === "star" ||
      (kind === "pattern" ? matchesPattern(name, "apply_patch") : members.includes("apply_patch"));
    return reachesPatch ? "own" : "write";
  }
  return kind === "name" && name !== slot.normalized ? "plugin" : "own";
}

function denyReason(entry: ListEntry, way: Way): Reason {
  const builtIn = entry.rule.why.code;
  if (entry.rule.configPath === null && builtIn !== "names-tool") return entry.rule.why;
  const params = { entry: entry.rule.entry };
  if (way === "write") return { code: "denied-through-write", params };
  if (way === "plugin") return { code: "denied-by-plugin", params };
  if (entry.kind === "star") return { code: "denied-by-star" };
  return { code: `denied-by-${entry.kind}`, params };
}

function allowReason(entry: ListEntry, way: Way): Reason {
  const params = { entry: entry.rule.entry };
  if (entry.rule.list === "profile") return { code: "in-profile", params: { ...entry.rule.why.params } };
  if (way === "write") return { code: "allowed-through-write", params };
  if (way === "plugin") return { code: "allowed-by-plugin", params };
  if (entry.kind === "star") return { code: "allowed-by-star" };
  return { code: `allowed-by-${entry.kind}`, params };
}
