/** Single edits that let a tool pass the column that removes it, or that would take it away. */

import { profileLists } from "../catalog.ts";
import type { CompiledPolicy } from "../compile.ts";
import { asRecord, getList, valueAt } from "../configRecord.ts";
import { type PolicyRun, restrictingRule, runPolicy, type StageVerdicts, stageRemoves } from "../evaluate.ts";
import { compileList, findHit, type ListEntry } from "../lists.ts";
import { normalizeAgentId } from "../names.ts";
import { resolveAgentId } from "../sessionKeys.ts";
import type { ToolSlot } from "../toolIndex.ts";
import type { ConfigEdit, ConfigPath, PolicyContext, RegisteredTool } from "../types.ts";
import { availabilityMoves } from "./availabilityMoves.ts";

/** A set of edits that belong together and let the tool pass one column. */
export type Move = readonly ConfigEdit[];

interface Situation {
  compiled: CompiledPolicy;
  context: PolicyContext;
  run: PolicyRun;
  slot: ToolSlot;
  position: number;
}

/**
 * The alternatives at the first column that removes a tool.
 * @returns empty when no edit of the config helps there
 */
export function repairMoves(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  position: number,
): Move[] {
  const run = runPolicy(compiled, context, tools);
  const slot = run.entering.index.slots[position];
  if (slot === undefined) return [];
  const situation: Situation = { compiled, context, run, slot, position };
  const early = beforeStages(situation);
  if (early !== undefined) return early;
  const stage = run.stages.find((verdicts) => stageRemoves(verdicts, position));
  if (stage !== undefined) return stageMoves(situation, stage);
  if (context.surface === "http" && run.httpDenied.has(position)) return httpMoves(situation);
  return [];
}

/** @returns undefined when the tool enters the pipeline */
function beforeStages(situation: Situation): Move[] | undefined {
  const { compiled, run, slot, position, context } = situation;
  if (slot.tool.unavailable !== undefined) return availabilityMoves(compiled, context, slot.tool.unavailable);
  for (const reasons of run.entering.reasons.values()) {
    const reason = reasons.get(position);
    if (reason === undefined) continue;
    if (reason.code === "plugins-disabled")
      return [[{ op: "set", path: ["plugins", "enabled"], value: true }]];
    if (reason.code === "native-web-search") {
      return [[{ op: "set", path: ["tools", "web", "search", "openaiCodex", "enabled"], value: false }]];
    }
    if (reason.code === "optional-not-enabled")
      return alsoAllowMovesAt(situation, toolsPlaces(compiled, context), []);
    // Conflicts of names, the channel, the sender and the surface are no matter of the config.
    return [];
  }
  return undefined;
}

function stageMoves(situation: Situation, stage: StageVerdicts): Move[] {
  const { position } = situation;
  const denied = stage.deny !== undefined && stage.deny[position] !== -1;
  if (stage.policy.column === "sandbox") return sandboxMoves(situation, stage, denied);
  if (stage.policy.column === "subagent") return subagentMoves(situation, stage, denied);
  if (denied) return denyMoves(situation, stage);
  if (stage.policy.column === "profile") return profileMoves(situation, "base");
  if (stage.policy.column === "provider-profile") return profileMoves(situation, "provider");
  return appendMoves(situation, restrictingRule(stage, position)?.configPath ?? null);
}

/** Every deny entry that reaches the tool, with its place. */
function hittingEntries({ slot }: Situation, { policy }: StageVerdicts): ListEntry[] {
  return (policy.deny?.entries ?? []).filter((entry) => reachOf(entry)(slot));
}

const noShadow: ReadonlySet<string> = new Set();

/** @returns whether the entry alone reaches a tool, apply_patch through write included */
export function reachOf(entry: ListEntry): (slot: ToolSlot) => boolean {
  const source = { raw: entry.name, list: entry.rule.list, path: null };
  const list = compileList(entry.rule.column, "denies", [source]);
  return (slot) => {
    if (findHit(list, slot.normalized, slot.pluginId, noShadow) !== -1) return true;
    return slot.normalized === "apply_patch" && findHit(list, "write", undefined, noShadow) !== -1;
  };
}

/** Drop the written entries, or replace wide ones by everything else that they reach. */
function denyMoves(situation: Situation, stage: StageVerdicts): Move[] {
  const written = hittingEntries(situation, stage).filter((entry) => entry.rule.configPath !== null);
  if (written.length === 0) return [];
  const drop = byPosition(written).map((entry): ConfigEdit => ({ op: "remove", path: pathOf(entry) }));
  const isWide = written.some((entry) => entry.kind !== "name" || entry.name !== situation.slot.normalized);
  if (!isWide) return [drop];
  const narrowed = byPosition(written).flatMap((entry): ConfigEdit[] => {
    const others = othersReached(situation, entry);
    const path = pathOf(entry);
    return [
      { op: "remove", path },
      ...others.map((value, index): ConfigEdit => ({ op: "insert", path: shifted(path, index), value })),
    ];
  });
  return [narrowed, drop];
}

/** The last first, so that earlier positions stay what they are. */
function byPosition(entries: readonly ListEntry[]): ListEntry[] {
  return entries.toSorted((a, b) => Number(pathOf(b).at(-1)) - Number(pathOf(a).at(-1)));
}

function pathOf(entry: ListEntry): (string | number)[] {
  return [...(entry.rule.configPath ?? [])];
}

function shifted(path: readonly (string | number)[], by: number): (string | number)[] {
  return [...path.slice(0, -1), Number(path.at(-1)) + by];
}

function othersReached({ run, slot }: Situation, entry: ListEntry): string[] {
  const reaches = reachOf(entry);
  const names = run.entering.index.slots
    .filter((other) => other.normalized !== slot.normalized && reaches(other))
    .map((other) => other.normalized);
  // Denying write would deny apply_patch again.
  const carriesBack = slot.normalized === "apply_patch" ? names.filter((name) => name !== "write") : names;
  const absent = entry.members.filter((member) => member !== slot.normalized && member !== "write");
  return [...new Set([...carriesBack, ...(entry.kind === "group" ? absent : [])])];
}

/** Puts the name into a written list. */
function appendMoves(situation: Situation, path: ConfigPath | null): Move[] {
  if (path === null) return [];
  const list = valueAt(situation.compiled.config, path);
  return [[addTo(situation, path, Array.isArray(list) ? list.length : 0)]];
}

/** The name at the end of a list, or in the place of an entry that was meant to be it. */
function addTo({ run, slot }: Situation, listPath: ConfigPath, length: number): ConfigEdit {
  const slip = run.result.findings.find(
    ({ kind, suggestion, configPath }) =>
      kind === "unknown-entry" &&
      suggestion === slot.normalized &&
      configPath !== null &&
      configPath.length === listPath.length + 1 &&
      listPath.every((part, index) => configPath[index] === part),
  );
  if (slip?.configPath != null) return { op: "set", path: [...slip.configPath], value: slot.normalized };
  return { op: "insert", path: [...listPath, length], value: slot.normalized };
}

interface ToolsPlace {
  path: ConfigPath;
  record: unknown;
}

/** The tools objects that can hold a profile or alsoAllow: the agent's (if listed), then the global one. */
function toolsPlaces(compiled: CompiledPolicy, context: PolicyContext): ToolsPlace[] {
  const id = resolveAgentId(context.agentId, context.sessionKey);
  const agent = id === undefined ? undefined : compiled.agents.get(normalizeAgentId(id));
  const places: ToolsPlace[] =
    agent === undefined ? [] : [{ path: agent.tools.path, record: agent.tools.record }];
  return [...places, { path: ["tools"], record: compiled.global.record }];
}

function providerPlaces({ compiled, run, position }: Situation): ToolsPlace[] {
  const stage = run.stages.find((verdicts) => verdicts.policy.column === "provider-profile");
  const profilePath = stage === undefined ? null : restrictingRule(stage, position)?.configPath;
  if (profilePath === undefined || profilePath === null) return [];
  const path = profilePath.slice(0, -1);
  return [{ path, record: valueAt(compiled.config, path) }];
}

function profileMoves(situation: Situation, which: "base" | "provider"): Move[] {
  const { compiled, context, slot } = situation;
  const places = which === "base" ? toolsPlaces(compiled, context) : providerPlaces(situation);
  const moves = alsoAllowMovesAt(situation, places, which === "base" ? places : []);
  for (const place of places) {
    const word = asRecord(place.record)?.profile;
    for (const [profile, members] of profileLists) {
      if (members.includes(slot.normalized) && profile !== word) {
        moves.push([{ op: "set", path: [...place.path, "profile"], value: profile }]);
      }
    }
    if (word !== "full") moves.push([{ op: "set", path: [...place.path, "profile"], value: "full" }]);
  }
  return moves;
}

/**
 * alsoAllow at each place. A new list at the agent would replace the global one, so it starts with its entries;
 * beside a non-empty allow the name goes there too, because both lists may not stand together.
 */
function alsoAllowMovesAt(
  situation: Situation,
  places: readonly ToolsPlace[],
  inherited: readonly ToolsPlace[],
): Move[] {
  const name = situation.slot.normalized;
  return places.map((place): Move => {
    const own = getList(place.record, "alsoAllow");
    const allow = getList(place.record, "allow");
    if (own === undefined && allow !== undefined && allow.length > 0) {
      return [addTo(situation, [...place.path, "allow"], allow.length)];
    }
    if (own !== undefined) return [addTo(situation, [...place.path, "alsoAllow"], own.length)];
    const others = inherited
      .filter((other) => other !== place)
      .map((other) => getList(other.record, "alsoAllow"))
      .find((list) => list !== undefined);
    return [{ op: "set", path: [...place.path, "alsoAllow"], value: [...(others ?? []), name] }];
  });
}

/** Sandbox lists: the agent's own key if it has one, else the global one. */
function sandboxMoves(situation: Situation, stage: StageVerdicts, denied: boolean): Move[] {
  const { compiled, context, slot } = situation;
  const entries = denied ? hittingEntries(situation, stage) : [];
  if (entries.some((entry) => entry.rule.configPath !== null)) return denyMoves(situation, stage);
  const listPath = stage.policy.restricts?.configPath;
  if (!denied && listPath !== null && listPath !== undefined) return appendMoves(situation, listPath);
  const id = resolveAgentId(context.agentId, context.sessionKey);
  const agent = id === undefined ? undefined : compiled.agents.get(id);
  return toolsPlaces(compiled, context).flatMap((place): Move[] => {
    const key = listPath === null || listPath === undefined ? "alsoAllow" : "allow";
    const path = [...place.path, "sandbox", "tools", key];
    const own = getList(place.record, "sandbox", "tools", key);
    // A global list that the agent replaces has no effect here.
    const isShadowed =
      place.path[0] === "tools" && getList(agent?.tools.record, "sandbox", "tools", key) !== undefined;
    if (isShadowed) return [];
    if (own !== undefined) return [[{ op: "insert", path: [...path, own.length], value: slot.name }]];
    const inherited = getList(compiled.config, "tools", "sandbox", "tools", key) ?? [];
    return [[{ op: "set", path, value: [...inherited, slot.name] }]];
  });
}

/** Sub-agent lists exist globally only; a literal name in allow or alsoAllow lifts the built-in deny. */
function subagentMoves(situation: Situation, stage: StageVerdicts, denied: boolean): Move[] {
  const { compiled, slot } = situation;
  const entries = denied ? hittingEntries(situation, stage) : [];
  if (entries.some((entry) => entry.rule.configPath !== null)) return denyMoves(situation, stage);
  const lists = ["tools", "subagents", "tools"] as const;
  const allow = getList(compiled.config, ...lists, "allow");
  if (allow !== undefined)
    return [[{ op: "insert", path: [...lists, "allow", allow.length], value: slot.name }]];
  const also = getList(compiled.config, ...lists, "alsoAllow");
  return also === undefined
    ? [[{ op: "set", path: [...lists, "alsoAllow"], value: [slot.name] }]]
    : [[{ op: "insert", path: [...lists, "alsoAllow", also.length], value: slot.name }]];
}

function httpMoves({ compiled, run, slot, position }: Situation): Move[] {
  const rule = run.httpDenied.get(position)?.rule;
  if (rule === undefined) return [];
  if (rule.configPath !== null) return [[{ op: "remove", path: [...rule.configPath] }]];
  const allow = getList(compiled.config, "gateway", "tools", "allow");
  return allow === undefined
    ? [[{ op: "set", path: ["gateway", "tools", "allow"], value: [slot.name] }]]
    : [[{ op: "insert", path: ["gateway", "tools", "allow", allow.length], value: slot.name }]];
}

/** Deny entries that would take a tool away: for the agent, for everybody, for this group. */
export function removalMoves(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  name: string,
): Move[] {
  const run = runPolicy(compiled, context, tools);
  const places = toolsPlaces(compiled, context);
  const group = run.stages.find((verdicts) => verdicts.policy.column === "group")?.policy.configPaths[0];
  if (group !== undefined) {
    const path = group.slice(0, -1);
    places.push({ path, record: valueAt(compiled.config, path) });
  }
  const moves = places.map((place): Move => {
    const deny = getList(place.record, "deny");
    return deny === undefined
      ? [{ op: "set", path: [...place.path, "deny"], value: [name] }]
      : [{ op: "insert", path: [...place.path, "deny", deny.length], value: name }];
  });
  if (context.surface !== "http") return moves;
  const deny = getList(compiled.config, "gateway", "tools", "deny");
  const http: Move =
    deny === undefined
      ? [{ op: "set", path: ["gateway", "tools", "deny"], value: [name] }]
      : [{ op: "insert", path: ["gateway", "tools", "deny", deny.length], value: name }];
  return [http, ...moves];
}
