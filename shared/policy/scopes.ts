/** The places a policy is written in: the global tools object, the agents' and their byProvider entries. */

import {
  asRecord,
  type ConfigRecord,
  getIn,
  getList,
  getRecord,
  isSnapshot,
  pathText,
} from "./configRecord.ts";
import { normalizeAgentId, normalizeKey } from "./names.ts";
import type { ConfigPath } from "./types.ts";

/** A `tools` object or a byProvider entry, with its place in the config. */
export interface Scope {
  path: ConfigPath;
  /** The path as text, for keys. */
  place: string;
  record: ConfigRecord | undefined;
}

export interface ProviderEntry extends Scope {
  key: string;
  record: ConfigRecord;
}

export interface ToolsScope extends Scope {
  /** byProvider entries by normalised key; of equal keys the later wins (policy §7). */
  byProvider: ReadonlyMap<string, ProviderEntry>;
}

export interface AgentScope {
  id: string;
  /** Position in agents.list. */
  index: number;
  entry: ConfigRecord;
  tools: ToolsScope;
}

/** Reads a `tools` object. */
export function toolsScope(value: unknown, path: ConfigPath): ToolsScope {
  const record = asRecord(value);
  const byProvider = new Map<string, ProviderEntry>();
  for (const [rawKey, item] of Object.entries(asRecord(record?.byProvider) ?? {})) {
    const key = normalizeKey(rawKey);
    const entry = asRecord(item);
    if (key !== undefined && entry !== undefined) {
      const entryPath = [...path, "byProvider", rawKey];
      byProvider.set(key, { key: rawKey, record: entry, path: entryPath, place: pathText(entryPath) });
    }
  }
  return { path, place: pathText(path), record, byProvider };
}

const knownScopes = new WeakMap<readonly unknown[], ReadonlyMap<string, AgentScope>>();

/** Agents by normalised id; the first entry of an id wins (policy §5). Those of a snapshot are read once. */
export function agentScopes(config: unknown): ReadonlyMap<string, AgentScope> {
  const list = getList(config, "agents", "list") ?? [];
  const known = knownScopes.get(list);
  if (known !== undefined) return known;
  const agents = readAgents(list);
  if (isSnapshot(list)) knownScopes.set(list, agents);
  return agents;
}

function readAgents(list: readonly unknown[]): ReadonlyMap<string, AgentScope> {
  const agents = new Map<string, AgentScope>();
  list.forEach((value, index) => {
    const entry = asRecord(value);
    if (entry === undefined) return;
    const id = normalizeAgentId(typeof entry.id === "string" ? entry.id : undefined);
    if (agents.has(id)) return;
    agents.set(id, { id, index, entry, tools: toolsScope(entry.tools, ["agents", "list", index, "tools"]) });
  });
  return agents;
}

/** The agent of a run that names none: first entry with `default: true`, else the first entry, else `main`. */
export function defaultAgentId(config: unknown): string {
  const entries = (getList(config, "agents", "list") ?? [])
    .map(asRecord)
    .filter((entry) => entry !== undefined);
  const chosen = entries.find((entry) => entry.default === true) ?? entries[0];
  return normalizeAgentId(typeof chosen?.id === "string" ? chosen.id : undefined);
}

/** Finds the byProvider entry for a model (policy §7): the full key, then the provider; the first found wins alone. */
export function findProviderEntry(
  scope: ToolsScope | undefined,
  provider: string | undefined,
  model: string | undefined,
): ProviderEntry | undefined {
  const providerKey = normalizeKey(provider);
  if (scope === undefined || providerKey === undefined || scope.byProvider.size === 0) return undefined;
  const modelKey = normalizeKey(model);
  const full = modelKey?.includes("/") === true ? modelKey : `${providerKey}/${modelKey}`;
  const own = modelKey === undefined ? undefined : scope.byProvider.get(full);
  return own ?? scope.byProvider.get(providerKey);
}

/**
 * The entry under `<provider>/<model>` for a model id with a slash, which the plain look-up never finds
 * (policy.providerModelKeys). It counts beside what that finds: taking its place could lift a deny.
 */
export function findFullKeyEntry(
  scope: ToolsScope | undefined,
  provider: string | undefined,
  model: string | undefined,
): ProviderEntry | undefined {
  const modelKey = normalizeKey(model);
  if (modelKey?.includes("/") !== true) return undefined;
  return scope?.byProvider.get(`${normalizeKey(provider) ?? ""}/${modelKey}`);
}

/** Whether a session runs sandboxed, by config: off, all, or every session but the agent's main one. */
export function isSandboxed(
  config: unknown,
  agentId: string | undefined,
  sessionKey: string | undefined,
): boolean {
  const id = normalizeAgentId(agentId);
  const mode =
    getIn(agentScopes(config).get(id)?.entry, "sandbox", "mode") ??
    getIn(config, "agents", "defaults", "sandbox", "mode") ??
    "off";
  if (mode === "all") return true;
  return mode === "non-main" && (sessionKey ?? "").trim() !== mainSessionKey(config, id);
}

/** The key of an agent's main session: `global` when sessions are shared, else `agent:<id>:<mainKey>`. */
export function mainSessionKey(config: unknown, agentId: string): string {
  const session = getRecord(config, "session");
  if (session?.scope === "global") return "global";
  const mainKey = typeof session?.mainKey === "string" ? session.mainKey.trim() : "";
  return `agent:${normalizeAgentId(agentId)}:${mainKey === "" ? "main" : mainKey}`;
}
