/** Models that a config can tell apart: by byProvider key, by native web search and by the tools that they come with. */

import type { CompiledPolicy } from "../compile.ts";
import { getIn, getList } from "../configRecord.ts";
import { normalizeKey } from "../names.ts";
import { hasNativeWebSearch } from "../preFilters.ts";
import { findFullKeyEntry, findProviderEntry } from "../scopes.ts";
import type { PolicyContext } from "../types.ts";
import type { Choice, ContextFocus } from "./contextClasses.ts";
import type { ToolList, ToolSupply } from "./toolSupply.ts";

/** Names that no config uses by accident; they stand for every name that the config does not mention. */
const otherProvider = "any-other-provider";
const otherModel = "any-other-model";

/** Where apply_patch may exist (policy §12), and whose own search takes the place of web_search (§13). */
const specialProviders = ["openai", "openai-codex"] as const;
const codexApi = "openai-codex-responses";

/** Candidates; very many of them are alike for an agent, see `modelSignature`. */
export function modelChoices(compiled: CompiledPolicy, focus: ContextFocus): Choice[] {
  const keys = new Set<string>();
  for (const scope of [compiled.global, ...[...compiled.agents.values()].map((agent) => agent.tools)]) {
    for (const key of scope.byProvider.keys()) keys.add(key);
  }
  const patchModels = namedPatchModels(compiled);
  const providers = new Set<string>([...keys].map((key) => key.split("/")[0] ?? key));
  for (const provider of specialProviders) providers.add(provider);
  const focusProvider = normalizeKey(focus.provider);
  if (focusProvider !== undefined) providers.add(focusProvider);
  providers.add(otherProvider);
  const isSearchNative = getIn(compiled.config, "tools", "web", "search", "openaiCodex", "enabled") === true;
  const choices: Choice[] = [];
  const add = (label: string, context: PolicyContext) => {
    choices.push({ label, context });
    if (!isSearchNative) return;
    choices.push({ label: `${label} over ${codexApi}`, context: { ...context, modelApi: codexApi } });
    if (context.provider === "openai-codex") {
      choices.push({ label: `${label} signed in to Codex`, context: { ...context, hasCodexAuth: true } });
    }
  };
  add("unknown model", {});
  if (focus.model !== undefined) add(`unknown provider ${focus.model}`, { model: focus.model });
  const slashed = [...keys].filter((key) => key.includes("/"));
  for (const provider of providers) {
    if (provider === "") continue;
    const models = new Set<string>();
    if (focus.model !== undefined) models.add(focus.model);
    for (const key of slashed) if (key.startsWith(`${provider}/`)) models.add(key.slice(provider.length + 1));
    // A model id with a slash is looked up as it stands, under any provider.
    for (const key of slashed) models.add(key);
    if (specialProviders.some((special) => special === provider)) {
      for (const model of patchModels) models.add(model);
    }
    for (const model of [otherModel, ...models]) add(`${provider} ${model}`, { provider, model });
    // A caller may be known by its provider alone.
    add(provider, { provider });
  }
  return choices;
}

/** Models that `exec.applyPatch.allowModels` names, at either level. */
function namedPatchModels(compiled: CompiledPolicy): Set<string> {
  const models = new Set<string>();
  for (const scope of [compiled.global, ...[...compiled.agents.values()].map((agent) => agent.tools)]) {
    for (const entry of getList(scope.record, "exec", "applyPatch", "allowModels") ?? []) {
      const name = typeof entry === "string" ? normalizeKey(entry) : undefined;
      if (name === undefined) continue;
      models.add(name);
      for (const provider of specialProviders) {
        if (name.startsWith(`${provider}/`)) models.add(name.slice(provider.length + 1));
      }
    }
  }
  return models;
}

/** @returns equal texts for models that nothing in the config sets apart for this agent */
export function modelSignature(
  compiled: CompiledPolicy,
  agentId: string | undefined,
  context: PolicyContext,
  focus: ContextFocus,
  listIds: (context: PolicyContext) => string,
): string {
  const withFullKeys = compiled.hardening.has("policy.providerModelKeys");
  const agent = agentId === undefined ? undefined : compiled.agents.get(agentId);
  const { provider, model } = context;
  const entryKeys = (scope: typeof compiled.global | undefined) => [
    findProviderEntry(scope, provider, model)?.key ?? "",
    withFullKeys ? (findFullKeyEntry(scope, provider, model)?.key ?? "") : "",
  ];
  const focused = [
    focus.provider !== undefined && normalizeKey(provider) === normalizeKey(focus.provider),
    focus.model !== undefined && normalizeKey(model) === normalizeKey(focus.model),
  ];
  return JSON.stringify([
    ...entryKeys(compiled.global),
    ...entryKeys(agent?.tools),
    hasNativeWebSearch(compiled.config, context),
    listIds({ ...context, ...(agentId === undefined ? {} : { agentId }) }),
    ...focused,
  ]);
}

/** Numbers the lists that a model's contexts meet, unsandboxed and sandboxed. */
export function createListIds(supply: ToolSupply | undefined): (context: PolicyContext) => string {
  if (supply === undefined) return () => "";
  const ids = new Map<ToolList, number>();
  const idOf = (list: ToolList) => {
    const id = ids.get(list) ?? ids.size;
    ids.set(list, id);
    return id;
  };
  return (context) =>
    [false, true]
      .map((sandboxed) => {
        const here: PolicyContext = { ...context, sandboxed };
        return `${idOf(supply.listFor(here))}:${[...supply.doubtsIn(here).keys()].join()}`;
      })
      .join("|");
}
