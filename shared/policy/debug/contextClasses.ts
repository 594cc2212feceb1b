/** Every context that a config can tell apart, one representative each (for proofs over all contexts). */

import type { CompiledPolicy } from "../compile.ts";
import { asRecord, getIn, recordEntries } from "../configRecord.ts";
import { chooseGroupPolicy } from "../groupPolicy.ts";
import { normalizeAgentId, normalizeKey } from "../names.ts";
import { hasNativeWebSearch } from "../preFilters.ts";
import { findProviderEntry } from "../scopes.ts";
import { maxSpawnDepth } from "../subagentPolicy.ts";
import type { PolicyContext } from "../types.ts";
import { groupCandidates } from "./groupCandidates.ts";

/** Words for one class, for people and for filters. */
export interface ClassLabel {
  agent: string;
  model: string;
  group: string;
  owner: boolean;
  sandboxed: boolean;
  role: "main" | "orchestrator" | "leaf";
  surface: "model" | "http";
}

export interface ContextClass {
  context: PolicyContext;
  label: ClassLabel;
}

/** Values that a question names and that must not be merged with others. */
export interface ContextFocus {
  agentId?: string;
  provider?: string;
  model?: string;
  channel?: string;
  groupId?: string;
  senderId?: string;
}

interface Choice {
  label: string;
  context: PolicyContext;
}

/** A name that no config uses by accident; it stands for every name that the config does not mention. */
const otherAgent = "any-other-agent";
const otherProvider = "any-other-provider";
const otherModel = "any-other-model";

/**
 * Lists one context per class. MCP clients see what models see, so the surfaces are model and HTTP.
 * A class stands for all contexts whose stage policies, pre-filters and owner status are the same.
 */
export function enumerateContexts(compiled: CompiledPolicy, focus: ContextFocus = {}): ContextClass[] {
  const classes: ContextClass[] = [];
  const groups = groupChoices(compiled, focus);
  const models = modelChoices(compiled, focus);
  const roles = roleChoices(compiled);
  for (const agent of agentChoices(compiled, focus)) {
    const id = agent.context.agentId;
    const ownModels = distinctBy(models, (model) => modelSignature(compiled, id, model.context, focus));
    for (const group of groups) {
      for (const { role, depth } of roles) {
        for (const owner of [true, false]) {
          const add = (surface: "model" | "http", model: Choice, sandboxed: boolean) =>
            classes.push({
              context: {
                ...agent.context,
                ...model.context,
                ...group.context,
                ...(depth > 0 ? { subagentDepth: depth } : {}),
                senderIsOwner: owner,
                sandboxed,
                surface,
              },
              label: {
                agent: agent.label,
                model: model.label,
                group: group.label,
                owner,
                sandboxed,
                role,
                surface,
              },
            });
          for (const model of ownModels) {
            for (const sandboxed of sandboxChoices(compiled, id)) add("model", model, sandboxed);
          }
          // Over HTTP neither model nor sandbox are looked at.
          add("http", { label: "not looked at", context: {} }, false);
        }
      }
    }
  }
  return classes;
}

export interface ClassDimension {
  dimension: keyof ClassLabel;
  values: string[];
}

/** What was told apart, dimension by dimension, for a report. */
export function describeClasses(classes: readonly ContextClass[]): ClassDimension[] {
  const dimensions = ["agent", "model", "group", "owner", "sandboxed", "role", "surface"] as const;
  return dimensions.map((dimension) => ({
    dimension,
    values: [...new Set(classes.map((one) => String(one.label[dimension])))],
  }));
}

function distinctBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const known = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!known.has(key)) known.set(key, item);
  }
  return [...known.values()];
}

function agentChoices(compiled: CompiledPolicy, focus: ContextFocus): Choice[] {
  const ids = new Set([...compiled.agents.keys()]);
  if (focus.agentId !== undefined) ids.add(normalizeAgentId(focus.agentId));
  ids.add(otherAgent);
  return [...ids].map((agentId) => ({ label: agentId, context: { agentId } }));
}

/** Providers and models that some byProvider key or the native search can tell apart. */
function modelChoices(compiled: CompiledPolicy, focus: ContextFocus): Choice[] {
  const keys = new Set<string>();
  for (const scope of [compiled.global, ...[...compiled.agents.values()].map((agent) => agent.tools)]) {
    for (const key of scope.byProvider.keys()) keys.add(key);
  }
  const providers = new Set<string>();
  for (const key of keys) providers.add(key.split("/")[0] ?? key);
  if (getIn(compiled.config, "tools", "web", "search", "openaiCodex", "enabled") === true) {
    providers.add("openai-codex");
  }
  const focusProvider = normalizeKey(focus.provider);
  if (focusProvider !== undefined) providers.add(focusProvider);
  providers.add(otherProvider);
  const choices: Choice[] = [{ label: "unknown model", context: {} }];
  for (const provider of providers) {
    if (provider === "") continue;
    const models = new Set<string>();
    if (focus.model !== undefined) models.add(focus.model);
    const slashed = [...keys].filter((key) => key.includes("/"));
    for (const key of slashed) if (key.startsWith(`${provider}/`)) models.add(key.slice(provider.length + 1));
    // A model id with a slash is looked up as it stands, under any provider.
    for (const key of slashed) models.add(key);
    for (const model of [otherModel, ...models]) {
      choices.push({ label: `${provider} ${model}`, context: { provider, model } });
    }
    choices.push({
      label: `${provider} over openai-codex-responses`,
      context: { provider, model: otherModel, modelApi: "openai-codex-responses" },
    });
  }
  choices.push({
    label: "unknown model over openai-codex-responses",
    context: { modelApi: "openai-codex-responses" },
  });
  return choices;
}

function modelSignature(
  compiled: CompiledPolicy,
  agentId: string | undefined,
  context: PolicyContext,
  focus: ContextFocus,
): string {
  const providerFirst = compiled.hardening.has("policy.providerModelKeys");
  const agent = agentId === undefined ? undefined : compiled.agents.get(agentId);
  const entryKey = (scope: typeof compiled.global | undefined) =>
    findProviderEntry(scope, context.provider, context.model, providerFirst)?.key ?? "";
  const focused = [
    focus.provider !== undefined && normalizeKey(context.provider) === normalizeKey(focus.provider),
    focus.model !== undefined && normalizeKey(context.model) === normalizeKey(focus.model),
  ];
  return JSON.stringify([
    entryKey(compiled.global),
    entryKey(agent?.tools),
    hasNativeWebSearch(compiled.config, context),
    ...focused,
  ]);
}

/** Groups and senders by the policy they lead to, plus the channels that pre-filters look at. */
function groupChoices(compiled: CompiledPolicy, focus: ContextFocus): Choice[] {
  const direct: Choice[] = [
    { label: "direct", context: {} },
    { label: "direct, voice", context: { channel: "voice" } },
    { label: "direct, node", context: { channel: "node" } },
  ];
  const candidates: Choice[] = [];
  for (const [channel, settings] of recordEntries(compiled.config.channels)) {
    if (asRecord(settings) === undefined) continue;
    for (const { label, context } of groupCandidates(channel, settings, focus)) {
      candidates.push({ label: `${channel} ${label}`, context: { channel, ...context } });
    }
  }
  const { channel, groupId, senderId } = focus;
  if (channel !== undefined) {
    const context: PolicyContext = {
      channel,
      ...(groupId === undefined ? {} : { groupId }),
      ...(senderId === undefined ? {} : { senderId }),
    };
    candidates.push({ label: `${channel} ${groupId ?? "direct"}`, context });
  }
  const signature = ({ context }: Choice) => {
    const provider = normalizeKey(context.channel);
    const focused = [
      channel !== undefined && provider === normalizeKey(channel),
      groupId !== undefined && context.groupId === groupId,
      senderId !== undefined && context.senderId === senderId,
    ];
    const special = provider === "voice" || provider === "node" ? provider : "";
    return JSON.stringify([chooseGroupPolicy(compiled.config, context)?.path ?? null, special, ...focused]);
  };
  return distinctBy([...direct, ...candidates], signature);
}

function roleChoices(compiled: CompiledPolicy): { role: ClassLabel["role"]; depth: number }[] {
  const max = maxSpawnDepth(compiled.config);
  const main = { role: "main" as const, depth: 0 };
  const leaf = { role: "leaf" as const, depth: max };
  return max > 1 ? [main, { role: "orchestrator", depth: 1 }, leaf] : [main, leaf];
}

/** Whether sessions of an agent can be sandboxed at all, and whether they can be unsandboxed. */
function sandboxChoices(compiled: CompiledPolicy, agentId: string | undefined): boolean[] {
  const agent = agentId === undefined ? undefined : compiled.agents.get(agentId);
  const mode =
    getIn(agent?.entry, "sandbox", "mode") ??
    getIn(compiled.config, "agents", "defaults", "sandbox", "mode") ??
    "off";
  if (mode === "all") return [true];
  return mode === "non-main" ? [false, true] : [false];
}
