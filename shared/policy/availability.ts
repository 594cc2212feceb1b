/** Which known tools exist before any policy, and why the others do not (policy §12). */

import { configuredModels, type MediaModelKey, refText } from "../media/modelChoice.ts";
import { asRecord, getIn, getList, getRecord, pathText } from "./configRecord.ts";
import { normalizeAgentId, normalizeKey } from "./names.ts";
import { agentScopes } from "./scopes.ts";
import type { RegisteredTool } from "./types.ts";

/** What the config alone cannot say. Absent facts take the friendlier value unless noted. */
export interface AvailabilityFacts {
  agentId?: string;
  provider?: string;
  model?: string;
  sandboxed?: boolean;
  /** Of the sandbox; only `ro` takes tools away. */
  workspaceAccess?: "none" | "ro" | "rw";
  /** `memory`: a memory-flush run. */
  trigger?: string;
  messageDisabled?: boolean;
  hasWebSearchProvider?: boolean;
  hasAgentDir?: boolean;
  /** Override what `agents.defaults` says about models for pictures, documents and generation. */
  hasImageModel?: boolean;
  hasPdfModel?: boolean;
  hasImageGenerationModel?: boolean;
  /** Absent: false. */
  hasXaiKey?: boolean;
  /** Absent: as `hasXaiKey`. x_search also has a place of its own for its key. */
  hasXSearchKey?: boolean;
  modelSupportsTools?: boolean;
}

type Absence = NonNullable<RegisteredTool["unavailable"]>;
type AbsenceOf = (config: unknown, facts: AvailabilityFacts) => Absence | undefined;

const because = (reason: string, params?: Record<string, string>): Absence =>
  params === undefined ? { reason } : { reason, params };

const always: AbsenceOf = () => undefined;

/** Core tools in run-time order, with the condition of each. */
const coreTools: readonly (readonly [name: string, absence: AbsenceOf])[] = [
  ["read", always],
  ["edit", readOnlyWorkspace],
  ["write", readOnlyWorkspace],
  ["apply_patch", applyPatchAbsence],
  ["exec", always],
  ["process", always],
  ["canvas", always],
  ["nodes", always],
  ["cron", always],
  ["message", (_, facts) => (facts.messageDisabled === true ? because("message-disabled") : undefined)],
  ["tts", always],
  ["image_generate", imageGenerateAbsence],
  ["gateway", always],
  ["agents_list", always],
  ["sessions_list", always],
  ["sessions_history", always],
  ["sessions_send", always],
  ["sessions_yield", always],
  ["sessions_spawn", always],
  ["subagents", always],
  ["session_status", always],
  ["web_search", webSearchAbsence],
  ["web_fetch", (config) => offByConfig(config, "tools", "web", "fetch", "enabled")],
  ["image", imageAbsence],
  ["pdf", pdfAbsence],
];

/** Tools of the plugins that ship with the product. */
const shippedPluginTools: readonly (readonly [name: string, pluginId: string, absence: AbsenceOf])[] = [
  // `browser.enabled: false` leaves OpenClaw's tool listed (policy §12); here it is absent, see presentTools.ts.
  ["browser", "browser", (config) => pluginAbsence(config, "browser")],
  ["memory_search", "memory-core", memoryAbsence],
  ["memory_get", "memory-core", memoryAbsence],
  ["code_execution", "xai", codeExecutionAbsence],
  ["x_search", "xai", xSearchAbsence],
];

/** Every tool that ships with the product, in run-time order; the ones that are not there carry the reason. */
export function listKnownTools(config: unknown, facts: AvailabilityFacts): RegisteredTool[] {
  const wholeRun = wholeRunAbsence(facts);
  const tools: RegisteredTool[] = coreTools.map(([name, absence]) =>
    withAbsence({ name, owner: { kind: "core" } }, wholeRun(name) ?? absence(config, facts)),
  );
  for (const [name, pluginId, absence] of shippedPluginTools) {
    const tool: RegisteredTool = { name, owner: { kind: "plugin", pluginId } };
    tools.push(withAbsence(tool, wholeRun(name) ?? absence(config, facts)));
  }
  return tools;
}

/** @returns names of the tools that exist, in run-time order */
export function presentTools(config: unknown, facts: AvailabilityFacts): string[] {
  return listKnownTools(config, facts)
    .filter((tool) => tool.unavailable === undefined)
    .map((tool) => tool.name);
}

function withAbsence(tool: RegisteredTool, unavailable: Absence | undefined): RegisteredTool {
  return unavailable === undefined ? tool : { ...tool, unavailable };
}

/** Runs that cut the list before anything else looks at it. */
function wholeRunAbsence(facts: AvailabilityFacts): (name: string) => Absence | undefined {
  if (facts.modelSupportsTools === false) return () => because("model-without-tools");
  if (facts.trigger === "memory") {
    return (name) => (name === "read" || name === "write" ? undefined : because("memory-flush-run"));
  }
  return () => undefined;
}

function offByConfig(config: unknown, ...keys: readonly string[]): Absence | undefined {
  return getIn(config, ...keys) === false
    ? because("disabled-in-config", { path: pathText(keys) })
    : undefined;
}

function readOnlyWorkspace(_: unknown, facts: AvailabilityFacts): Absence | undefined {
  return facts.sandboxed === true && facts.workspaceAccess === "ro"
    ? because("workspace-read-only")
    : undefined;
}

const patchProviders: ReadonlySet<string> = new Set(["openai", "openai-codex"]);

function applyPatchAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  const provider = normalizeKey(facts.provider);
  if (provider === undefined || !patchProviders.has(provider)) return because("provider-without-patch");
  const agent = agentScopes(config).get(normalizeAgentId(facts.agentId));
  // The agent's block replaces the global one as a whole.
  const own = getRecord(agent?.tools.record, "exec", "applyPatch");
  const block = own ?? getRecord(config, "tools", "exec", "applyPatch");
  const place = own === undefined || agent === undefined ? ["tools"] : agent.tools.path;
  const path = (key: string) => pathText([...place, "exec", "applyPatch", key]);
  if (block?.enabled === false) return because("disabled-in-config", { path: path("enabled") });
  const allowModels = (getList(block, "allowModels") ?? []).filter((model) => typeof model === "string");
  if (allowModels.length > 0) {
    const model = normalizeKey(facts.model);
    const wanted = allowModels.map((entry) => entry.trim().toLowerCase());
    const matches =
      model !== undefined && (wanted.includes(model) || wanted.includes(`${provider}/${model}`));
    if (!matches) return because("model-not-listed", { path: path("allowModels") });
  }
  return readOnlyWorkspace(config, facts);
}

function hasModel(value: unknown): boolean {
  const name = asRecord(value)?.primary ?? value;
  return typeof name === "string" && name.trim() !== "";
}

function imageAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  if (facts.hasAgentDir === false) return because("no-agent-dir");
  const has = facts.hasImageModel ?? hasModel(getIn(config, "agents", "defaults", "imageModel"));
  return has ? undefined : (modelWithoutKey(config, "imageModel") ?? noModel("no-image-model", "imageModel"));
}

function pdfAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  if (facts.hasAgentDir === false) return because("no-agent-dir");
  const defaults = getRecord(config, "agents", "defaults");
  const has = facts.hasPdfModel ?? (hasModel(defaults?.pdfModel) || hasModel(defaults?.imageModel));
  if (has) return undefined;
  return modelWithoutKey(config, "pdfModel", "imageModel") ?? noModel("no-pdf-model", "pdfModel");
}

function imageGenerateAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  const key = "imageGenerationModel";
  const has = facts.hasImageGenerationModel ?? hasModel(getIn(config, "agents", "defaults", key));
  return has ? undefined : (modelWithoutKey(config, key) ?? noModel("no-image-generation-model", key));
}

function noModel(reason: string, key: MediaModelKey): Absence {
  return because(reason, { path: `agents.defaults.${key}` });
}

/** A model that is set and still does not count cannot be reached: its service has no key. */
function modelWithoutKey(config: unknown, ...keys: readonly MediaModelKey[]): Absence | undefined {
  for (const key of keys) {
    const [model] = configuredModels(config, key);
    if (model === undefined) continue;
    return because("model-without-key", {
      path: `agents.defaults.${key}`,
      model: refText(model),
      keyPath: `models.providers.${model.provider}.apiKey`,
    });
  }
  return undefined;
}

function webSearchAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  const off = offByConfig(config, "tools", "web", "search", "enabled");
  if (off !== undefined) return off;
  // Search providers are plugins, so no plugins means no search.
  if (getIn(config, "plugins", "enabled") === false)
    return because("plugins-disabled", { path: "plugins.enabled" });
  return facts.hasWebSearchProvider === false ? because("no-search-provider") : undefined;
}

function pluginAbsence(config: unknown, pluginId: string): Absence | undefined {
  if (getIn(config, "plugins", "enabled") === false)
    return because("plugins-disabled", { path: "plugins.enabled" });
  if (getIn(config, "plugins", "entries", pluginId, "enabled") === false) {
    return because("plugin-disabled", {
      pluginId,
      path: pathText(["plugins", "entries", pluginId, "enabled"]),
    });
  }
  if ((getList(config, "plugins", "deny") ?? []).includes(pluginId)) {
    return because("plugin-denied", { pluginId, path: "plugins.deny" });
  }
  const allow = getList(config, "plugins", "allow") ?? [];
  if (allow.length > 0 && !allow.includes(pluginId)) {
    return because("plugin-not-allowed", { pluginId, path: "plugins.allow" });
  }
  return undefined;
}

function memoryAbsence(config: unknown): Absence | undefined {
  if (getIn(config, "plugins", "slots", "memory") === "none") {
    return because("memory-slot-none", { path: "plugins.slots.memory" });
  }
  return (
    offByConfig(config, "agents", "defaults", "memorySearch", "enabled") ??
    pluginAbsence(config, "memory-core")
  );
}

/** Where a key for xAI may stand; it is stored as the one of the search provider grok. */
const xaiKey = {
  pluginId: "xai",
  variable: "XAI_API_KEY",
  path: "plugins.entries.xai.config.webSearch.apiKey",
  provider: "grok",
};

function xaiAbsence(config: unknown, hasKey: boolean): Absence | undefined {
  return pluginAbsence(config, "xai") ?? (hasKey ? undefined : because("no-api-key", xaiKey));
}

function codeExecutionAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  return (
    offByConfig(config, "plugins", "entries", "xai", "config", "codeExecution", "enabled") ??
    xaiAbsence(config, facts.hasXaiKey === true)
  );
}

function xSearchAbsence(config: unknown, facts: AvailabilityFacts): Absence | undefined {
  return (
    offByConfig(config, "tools", "web", "x_search", "enabled") ??
    xaiAbsence(config, (facts.hasXSearchKey ?? facts.hasXaiKey) === true)
  );
}
