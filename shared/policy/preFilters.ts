/** What happens before stage 1: registration of plugin tools and the three pre-filters (policy §11–§13, §15). */

import { catalogTools, toolGroups, uncataloguedCoreTools } from "./catalog.ts";
import type { PreFilterId } from "./codes.ts";
import { getIn, getRecord } from "./configRecord.ts";
import { pluginsGroup } from "./lists.ts";
import { normalizeKey, normalizeToolName } from "./names.ts";
import type { EnteringTools, PreFilterOutcome, ToolIndex, ToolSlot } from "./toolIndex.ts";
import type { PolicyContext, Reason, RegisteredTool } from "./types.ts";

/** Names that are owner-only whoever registered them. */
const ownerOnlyNames: ReadonlySet<string> = new Set(["cron", "gateway", "nodes", "whatsapp_login"]);

const nodeKeeps: ReadonlySet<string> = new Set(["canvas", "image", "pdf", "tts", "web_fetch", "web_search"]);

/** Tools of the core that neither HTTP nor commands of skills offer at all. */
const notOnHttp: ReadonlySet<string> = new Set(["read", "write", "edit", "apply_patch", "exec", "process"]);

/** Core tools against whose names plugins are checked; the file and command tools are not among them (policy §11). */
const conflictNames: ReadonlySet<string> = new Set([
  "canvas",
  "nodes",
  "cron",
  "message",
  "tts",
  "image_generate",
  "gateway",
  "agents_list",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "sessions_yield",
  "sessions_spawn",
  "subagents",
  "session_status",
  "web_search",
  "web_fetch",
  "image",
  "pdf",
]);

/** Facts that pre-filters decide by; contexts with equal facts share one answer. */
export interface EntryFacts {
  surface: "session" | "http";
  messageProvider: string;
  nativeSearch: boolean;
  isOwner: boolean;
  pluginsEnabled: boolean;
  /** Normalised entries of all allow lists that apply: what enables optional tools. */
  enabling: ReadonlySet<string>;
  mcpThroughPipeline: boolean;
  strictConflicts: boolean;
}

/** Whether tools flagged owner-only, and the four fixed names, are withheld from this tool's sender. */
export function isOwnerOnlyTool(slot: ToolSlot): boolean {
  return slot.tool.ownerOnly === true || ownerOnlyNames.has(slot.normalized);
}

/**
 * Whether commands of skills could reach a tool at all. The file of a skill, which may come with a cloned repository,
 * chooses the tool: it must not turn words that a person typed into a command line or a file. Those names are out
 * whoever registered them, and so is what channels and MCP servers bring (policy §15).
 */
export function isOnSkillSurface(tool: RegisteredTool): boolean {
  const { kind } = tool.owner;
  return kind !== "channel" && kind !== "mcp" && !notOnHttp.has(normalizeToolName(tool.name));
}

/** Native web search of the model's provider makes the web_search tool go (policy §13.2). */
export function hasNativeWebSearch(config: unknown, context: PolicyContext): boolean {
  const search = getRecord(config, "tools", "web", "search");
  if (search === undefined || search.enabled === false) return false;
  if (getIn(search, "openaiCodex", "enabled") !== true) return false;
  if (normalizeKey(context.provider) !== "openai-codex") {
    return normalizeKey(context.modelApi) === "openai-codex-responses";
  }
  if (context.hasCodexAuth === true) return true;
  const profiles = getRecord(config, "auth", "profiles");
  return Object.values(profiles ?? {}).some((profile) => {
    const provider = getIn(profile, "provider");
    return typeof provider === "string" && normalizeKey(provider) === "openai-codex";
  });
}

/** Works out which tools enter stage 1. Facts that were seen before with this list are answered from memory. */
export function enterPipeline(index: ToolIndex, facts: EntryFacts): EnteringTools {
  const key = factsKey(index, facts);
  const known = index.entering.get(key);
  if (known !== undefined) return known;
  const entering = workOut(index, facts);
  // Contexts are few; the bound keeps a caller that invents channels from growing the memory.
  if (index.entering.size >= 64) index.entering.clear();
  index.entering.set(key, entering);
  return entering;
}

function factsKey(index: ToolIndex, facts: EntryFacts): string {
  const flags = [
    facts.nativeSearch,
    facts.isOwner,
    facts.pluginsEnabled,
    facts.mcpThroughPipeline,
    facts.strictConflicts,
  ];
  const bits = flags.map((flag) => (flag ? "1" : "0")).join("");
  const provider =
    facts.messageProvider === "voice" || facts.messageProvider === "node" ? facts.messageProvider : "";
  const enabled = index.hasOptional
    ? index.slots.map((slot) => (isEnabled(slot, facts) ? "1" : "0")).join("")
    : "";
  return `${facts.surface}|${provider}|${bits}|${enabled}`;
}

function isEnabled(slot: ToolSlot, facts: EntryFacts): boolean {
  if (slot.tool.optional !== true || slot.pluginId === undefined) return true;
  const { enabling } = facts;
  return enabling.has(slot.normalized) || enabling.has(slot.pluginId) || enabling.has(pluginsGroup);
}

function workOut(index: ToolIndex, facts: EntryFacts): EnteringTools {
  const available = index.slots.map((slot) => slot.tool.unavailable === undefined);
  const registration = registrationReasons(index, available, facts);
  const reasons = new Map<PreFilterId, ReadonlyMap<number, Reason>>([["plugin-registration", registration]]);
  const beside = (slot: ToolSlot) => slot.tool.owner.kind === "mcp" && !facts.mcpThroughPipeline;
  const add = (filter: PreFilterId, reasonOf: (slot: ToolSlot) => Reason | undefined) =>
    reasons.set(
      filter,
      reasonsBy(index, (slot) => (beside(slot) ? undefined : reasonOf(slot))),
    );
  if (facts.surface === "http") {
    // What is appended for a model is not on this surface at all.
    reasons.set(
      "surface",
      reasonsBy(index, (slot) => httpAbsence(slot, beside(slot))),
    );
  } else {
    add("message-provider", (slot) => messageProviderReason(slot, facts));
    add("model-provider", (slot) => modelProviderReason(slot, facts));
    add("owner-only", (slot) => ownerReason(slot, facts));
  }
  const preFilters: PreFilterOutcome[] = [];
  let slots = index.slots.map((_, slot) => slot).filter((slot) => available[slot] === true);
  for (const [filter, found] of reasons) {
    if (found.size === 0) continue;
    const removed = slots.filter((slot) => found.has(slot));
    if (removed.length === 0) continue;
    slots = slots.filter((slot) => !found.has(slot));
    preFilters.push({ filter, removed: removed.map((slot) => index.slots[slot]?.name ?? "") });
  }
  const isBeside = (position: number) => {
    const slot = index.slots[position];
    return slot !== undefined && beside(slot);
  };
  const inside = slots.filter((position) => !isBeside(position));
  return {
    index,
    slots: inside,
    appended: slots.filter(isBeside),
    preFilters,
    reasons,
    ...namesOf(index, inside),
  };
}

function namesOf(index: ToolIndex, inside: readonly number[]) {
  const coreNames = new Set<string>();
  const pluginIds = new Set<string>();
  const pluginToolNames = new Set<string>();
  const idNotMatched = new Set<number>();
  const reserved = reservedForServers(index);
  for (const position of inside) {
    const slot = index.slots[position];
    if (slot === undefined) continue;
    if (slot.pluginId === undefined) coreNames.add(slot.normalized);
    else {
      pluginToolNames.add(slot.normalized);
      if (slot.tool.owner.kind === "mcp" && reserved.has(slot.pluginId)) idNotMatched.add(position);
      else pluginIds.add(slot.pluginId);
    }
  }
  const shadowed = new Set<string>();
  for (const slot of index.slots) {
    if (pluginIds.has(slot.normalized) && slot.pluginId !== slot.normalized) shadowed.add(slot.normalized);
  }
  return { coreNames, pluginIds, pluginToolNames, shadowed, idNotMatched };
}

/** Names of built-in tools and groups with the plugin that may have them as its id. */
const builtInNames: ReadonlyMap<string, string | undefined> = new Map<string, string | undefined>([
  ...catalogTools.map(({ id, pluginId }) => [id, pluginId] as const),
  ...uncataloguedCoreTools.map(({ id }) => [id, undefined] as const),
  ["whatsapp_login", undefined],
  ...[...toolGroups.keys(), pluginsGroup].map((group) => [group, undefined] as const),
]);

const noNames: ReadonlySet<string> = new Set();

/** What the id of a server must not stand for in an allow list: any tool, group or plugin, there or not. */
function reservedForServers(index: ToolIndex): ReadonlySet<string> {
  if (!index.slots.some(({ tool }) => tool.owner.kind === "mcp")) return noNames;
  const reserved = new Set(builtInNames.keys());
  for (const { tool, normalized, pluginId } of index.slots) {
    if (tool.owner.kind === "mcp") continue;
    reserved.add(normalized);
    if (pluginId !== undefined) reserved.add(pluginId);
  }
  return reserved;
}

function reasonsBy(index: ToolIndex, reasonOf: (slot: ToolSlot) => Reason | undefined): Map<number, Reason> {
  const reasons = new Map<number, Reason>();
  index.slots.forEach((slot, position) => {
    const reason = reasonOf(slot);
    if (reason !== undefined) reasons.set(position, reason);
  });
  return reasons;
}

/** Plugin tools that do not come into being: plugins off, optional and not asked for, conflicts of names. */
function registrationReasons(
  index: ToolIndex,
  available: readonly boolean[],
  facts: EntryFacts,
): Map<number, Reason> {
  const reasons = new Map<number, Reason>();
  const taken = new Set<string>();
  const reserved = new Set<string>();
  index.slots.forEach((slot, position) => {
    if (slot.pluginId !== undefined || available[position] !== true) return;
    if (conflictNames.has(slot.normalized) || facts.strictConflicts) {
      reserved.add(slot.normalized);
      taken.add(slot.normalized);
    }
  });
  const isReserved = (pluginId: string) =>
    reserved.has(pluginId) ||
    (facts.strictConflicts && builtInNames.has(pluginId) && builtInNames.get(pluginId) !== pluginId);
  index.slots.forEach((slot, position) => {
    if (slot.tool.owner.kind !== "plugin" || slot.pluginId === undefined || available[position] !== true)
      return;
    const pluginId = slot.pluginId;
    if (!facts.pluginsEnabled) reasons.set(position, { code: "plugins-disabled" });
    else if (isReserved(pluginId))
      reasons.set(position, { code: "plugin-id-conflict", params: { pluginId } });
    else if (!isEnabled(slot, facts)) {
      reasons.set(position, { code: "optional-not-enabled", params: { tool: slot.name, pluginId } });
    } else if (taken.has(slot.normalized)) {
      reasons.set(position, { code: "plugin-name-conflict", params: { tool: slot.name } });
    } else taken.add(slot.normalized);
  });
  return reasons;
}

function httpAbsence(slot: ToolSlot, isBeside: boolean): Reason | undefined {
  const { kind } = slot.tool.owner;
  // Tools of MCP servers are for agents; a program that speaks HTTP can ask the server itself (gateway §25).
  const absent =
    isBeside || kind === "channel" || kind === "mcp" || (kind === "core" && notOnHttp.has(slot.normalized));
  return absent ? { code: "not-on-surface", params: { surface: "http" } } : undefined;
}

function messageProviderReason(slot: ToolSlot, facts: EntryFacts): Reason | undefined {
  // Names are compared as registered here, unlike everywhere else (policy §13.1).
  if (facts.messageProvider === "voice" && slot.name === "tts") return { code: "voice-removes-tts" };
  if (facts.messageProvider === "node" && !nodeKeeps.has(slot.name)) return { code: "node-keeps-few" };
  return undefined;
}

function modelProviderReason(slot: ToolSlot, facts: EntryFacts): Reason | undefined {
  return facts.nativeSearch && slot.name === "web_search" ? { code: "native-web-search" } : undefined;
}

function ownerReason(slot: ToolSlot, facts: EntryFacts): Reason | undefined {
  return !facts.isOwner && isOwnerOnlyTool(slot) ? { code: "owner-only" } : undefined;
}
