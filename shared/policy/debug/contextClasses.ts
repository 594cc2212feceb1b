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
import { finish, type Steps } from "./steps.ts";

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

/** One value of a dimension. Classes share these objects, so what depends on one of them is worked out once. */
export interface Choice {
  readonly label: string;
  readonly context: PolicyContext;
}

export interface RoleChoice {
  readonly role: ClassLabel["role"];
  readonly depth: number;
}

/** A class by its values, before it is put together: very many of them are looked at, few are shown. */
export interface ClassParts {
  readonly agent: Choice;
  readonly model: Choice;
  readonly group: Choice;
  readonly role: RoleChoice;
  readonly owner: boolean;
  readonly sandboxed: boolean;
  readonly surface: ClassLabel["surface"];
}

/** The values that can be combined. */
export interface ClassAxes {
  readonly agents: readonly { choice: Choice; models: readonly Choice[]; sandboxed: readonly boolean[] }[];
  readonly groups: readonly Choice[];
  readonly roles: readonly RoleChoice[];
  readonly owners: readonly boolean[];
  readonly surfaces: readonly ClassLabel["surface"][];
}

/** Answers for one compiled config; values that several questions share are worked out once. */
export interface ContextSpace {
  axes(focus: ContextFocus): Steps<ClassAxes>;
}

/** Names that no config uses by accident; they stand for every name that the config does not mention. */
const otherAgent = "any-other-agent";
const otherProvider = "any-other-provider";
const otherModel = "any-other-model";

/** Over HTTP neither model nor sandbox are looked at. */
const noModel: Choice = { label: "not looked at", context: {} };

/**
 * Lists one context per class. MCP clients see what models see, so the surfaces are model and HTTP.
 * A class stands for all contexts whose stage policies, pre-filters and owner status are the same.
 */
export function enumerateContexts(compiled: CompiledPolicy, focus: ContextFocus = {}): ContextClass[] {
  const axes = finish(createContextSpace(compiled).axes(focus));
  return [...combine(axes)].map(classOf);
}

export function createContextSpace(compiled: CompiledPolicy): ContextSpace {
  const groups = new Map<string, readonly Choice[]>();
  const models = new Map<string, readonly Choice[]>();
  const ownModels = new Map<string, readonly Choice[]>();
  return {
    *axes(focus) {
      const groupKey = JSON.stringify([focus.channel, focus.groupId, focus.senderId]);
      const groupsHere = groups.get(groupKey) ?? (yield* groupChoices(compiled, focus));
      groups.set(groupKey, groupsHere);
      const modelKey = JSON.stringify([focus.provider, focus.model]);
      const modelsHere = models.get(modelKey) ?? modelChoices(compiled, focus);
      models.set(modelKey, modelsHere);
      const agents: { choice: Choice; models: readonly Choice[]; sandboxed: readonly boolean[] }[] = [];
      for (const choice of agentChoices(compiled, focus)) {
        yield;
        const id = choice.context.agentId;
        const key = JSON.stringify([id, focus.provider, focus.model]);
        const distinct =
          ownModels.get(key) ??
          distinctBy(modelsHere, (model) => modelSignature(compiled, id, model.context, focus));
        ownModels.set(key, distinct);
        agents.push({ choice, models: distinct, sandboxed: sandboxChoices(compiled, id) });
      }
      return {
        agents,
        groups: groupsHere,
        roles: roleChoices(compiled),
        owners: [true, false],
        surfaces: ["model", "http"],
      };
    },
  };
}

/** Every combination, always in the same order. */
export function* combine({ agents, groups, roles, owners, surfaces }: ClassAxes): Generator<ClassParts> {
  const isModel = surfaces.includes("model");
  const isHttp = surfaces.includes("http");
  for (const { choice: agent, models, sandboxed: modes } of agents) {
    for (const group of groups) {
      for (const role of roles) {
        for (const owner of owners) {
          if (isModel) {
            for (const model of models) {
              for (const sandboxed of modes) {
                yield { agent, model, group, role, owner, sandboxed, surface: "model" };
              }
            }
          }
          if (isHttp) {
            yield { agent, model: noModel, group, role, owner, sandboxed: false, surface: "http" };
          }
        }
      }
    }
  }
}

/** How many classes `combine` gives. */
export function countClasses({ agents, groups, roles, owners, surfaces }: ClassAxes): number {
  const onModel = agents.reduce((sum, { models, sandboxed }) => sum + models.length * sandboxed.length, 0);
  const perRest =
    (surfaces.includes("model") ? onModel : 0) + (surfaces.includes("http") ? agents.length : 0);
  return perRest * groups.length * roles.length * owners.length;
}

/** Puts a class together. */
export function classOf(parts: ClassParts): ContextClass {
  const { agent, model, group, role, owner, sandboxed, surface } = parts;
  return {
    context: {
      ...agent.context,
      ...model.context,
      ...group.context,
      ...(role.depth > 0 ? { subagentDepth: role.depth } : {}),
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
      role: role.role,
      surface,
    },
  };
}

export interface ClassDimension {
  dimension: keyof ClassLabel;
  /** Each once. */
  values: string[];
}

/** What was told apart, dimension by dimension, for a report. */
export function describeAxes({ agents, groups, roles, owners, surfaces }: ClassAxes): ClassDimension[] {
  const once = (values: readonly (string | boolean)[]) => [...new Set(values.map(String))];
  const isHttp = surfaces.includes("http");
  return [
    { dimension: "agent", values: once(agents.map(({ choice }) => choice.label)) },
    {
      dimension: "model",
      values: once([
        ...agents.flatMap(({ models }) => models.map((model) => model.label)),
        ...(isHttp ? [noModel.label] : []),
      ]),
    },
    { dimension: "group", values: once(groups.map((group) => group.label)) },
    { dimension: "owner", values: once(owners) },
    {
      dimension: "sandboxed",
      values: once([...agents.flatMap(({ sandboxed }) => sandboxed), ...(isHttp ? [false] : [])]),
    },
    { dimension: "role", values: once(roles.map(({ role }) => role)) },
    { dimension: "surface", values: once(surfaces) },
  ];
}

/** Labels that several values share get the values that make them differ. */
function withDistinctLabels(choices: readonly Choice[]): Choice[] {
  const counts = new Map<string, number>();
  for (const { label } of choices) counts.set(label, (counts.get(label) ?? 0) + 1);
  return choices.map((choice) =>
    counts.get(choice.label) === 1
      ? choice
      : { ...choice, label: `${choice.label} (${contextWords(choice.context)})` },
  );
}

function contextWords(context: PolicyContext): string {
  return Object.entries(context)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(" ");
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
  // Where no agent is set apart, the name that stands for all of them says so.
  const rest: Choice = {
    label: ids.size === 0 ? "any" : otherAgent,
    context: { agentId: otherAgent },
  };
  return [
    ...[...ids].filter((id) => id !== otherAgent).map((id) => ({ label: id, context: { agentId: id } })),
    rest,
  ];
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
function* groupChoices(compiled: CompiledPolicy, focus: ContextFocus): Steps<Choice[]> {
  const { channel, groupId, senderId } = focus;
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
  const known = new Map<string, Choice>();
  const add = (choice: Choice) => {
    const key = signature(choice);
    if (!known.has(key)) known.set(key, choice);
  };
  add({ label: "direct", context: {} });
  add({ label: "direct (voice)", context: { channel: "voice" } });
  add({ label: "direct (node)", context: { channel: "node" } });
  for (const [name, settings] of recordEntries(compiled.config.channels)) {
    if (asRecord(settings) === undefined) continue;
    for (const { label, context } of groupCandidates(name, settings, focus)) {
      yield;
      add({ label: `${name} ${label}`, context: { channel: name, ...context } });
    }
  }
  if (channel !== undefined) {
    const context: PolicyContext = {
      channel,
      ...(groupId === undefined ? {} : { groupId }),
      ...(senderId === undefined ? {} : { senderId }),
    };
    add({ label: `${channel} ${groupId ?? "direct"}`, context });
  }
  return withDistinctLabels([...known.values()]);
}

function roleChoices(compiled: CompiledPolicy): RoleChoice[] {
  const max = maxSpawnDepth(compiled.config);
  const main: RoleChoice = { role: "main", depth: 0 };
  const leaf: RoleChoice = { role: "leaf", depth: max };
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
