/** Which stage policies apply in a context (policy §8, §9): the plan that evaluation walks through. */

import type { ColumnId } from "./codes.ts";
import type { CompiledPolicy } from "./compile.ts";
import { getIn, pathText } from "./configRecord.ts";
import { chooseGroupPolicy, type GroupPolicyChoice } from "./groupPolicy.ts";
import { compileList, type EntrySource } from "./lists.ts";
import { bothStages, compileStage, pickLists, type StagePolicy } from "./pick.ts";
import { chooseProfile, profileStage } from "./profiles.ts";
import { sandboxStage } from "./sandboxPolicy.ts";
import {
  type AgentScope,
  findFullKeyEntry,
  findProviderEntry,
  type ProviderEntry,
  type ToolsScope,
} from "./scopes.ts";
import { resolveAgentId } from "./sessionKeys.ts";
import { subagentRoleOf, subagentStage } from "./subagentPolicy.ts";
import type { ConfigPath, PolicyContext, PolicyRule, Reason } from "./types.ts";

export interface PolicyPlan {
  agentId: string | undefined;
  profile: string | undefined;
  providerProfile: string | undefined;
  profilePath: ConfigPath | undefined;
  providerProfilePath: ConfigPath | undefined;
  /** In pipeline order; only stages that have a policy. */
  stages: readonly StagePolicy[];
}

/** Resolves the plan of a context. */
export function planFor(compiled: CompiledPolicy, context: PolicyContext): PolicyPlan {
  const { agentId, agent, agentEntry, globalEntry, agentFull, globalFull } = placesOf(compiled, context);
  const base = chooseProfile([agent?.tools, compiled.global]);
  const byProvider = chooseProfile([agentEntry, globalEntry]) ?? chooseProfile([agentFull, globalFull]);
  const stages = [
    ...agentStages(compiled, context),
    groupStage(compiled, context),
    sandboxStageFor(compiled, context),
    subagentStageFor(compiled, context),
  ].filter((stage) => stage !== undefined);
  return {
    agentId,
    profile: base?.word,
    providerProfile: byProvider?.word,
    profilePath: base?.path,
    providerProfilePath: byProvider?.path,
    stages,
  };
}

/** Where the lists of a context's agent and model are written. */
function placesOf(compiled: CompiledPolicy, context: PolicyContext) {
  const agentId = resolveAgentId(context.agentId, context.sessionKey);
  const agent = agentId === undefined ? undefined : compiled.agents.get(agentId);
  // No model is known over HTTP, so byProvider is off there.
  const provider = context.surface === "http" ? undefined : context.provider;
  const { model } = context;
  const fullKeyOf = (scope: ToolsScope | undefined) =>
    compiled.hardening.has("policy.providerModelKeys") ? findFullKeyEntry(scope, provider, model) : undefined;
  return {
    agentId,
    agent,
    provider,
    globalEntry: findProviderEntry(compiled.global, provider, model),
    agentEntry: findProviderEntry(agent?.tools, provider, model),
    globalFull: fullKeyOf(compiled.global),
    agentFull: fullKeyOf(agent?.tools),
  };
}

/** Stages 1 to 6: they depend on agent, model and surface alone. */
export function agentStages(compiled: CompiledPolicy, context: PolicyContext): StagePolicy[] {
  const places = placesOf(compiled, context);
  const { agentId, agent, provider } = places;
  const { global } = compiled;
  const agentLabel = `agents.${agentId}.tools`;
  const providerLabel = `${agentLabel}.byProvider.allow`;
  const listsOf =
    (column: ColumnId, label: string, scope: ToolsScope) => (entry: ProviderEntry | undefined) =>
      providerStage(compiled, column, label, scope, entry, provider);
  const ofGlobal = listsOf("global-provider", "tools.byProvider.allow", global);
  return [
    baseProfileStage(compiled, agent),
    bothOf(
      compiled,
      providerProfileStage(compiled, places.agentEntry, places.globalEntry),
      providerProfileStage(compiled, places.agentFull, places.globalFull),
    ),
    scopeStage(compiled, "global", "tools.allow", global),
    bothOf(compiled, ofGlobal(places.globalEntry), ofGlobal(places.globalFull)),
    ...(agent === undefined
      ? []
      : [
          scopeStage(compiled, "agent", `${agentLabel}.allow`, agent.tools),
          ...[listsOf("agent-provider", providerLabel, agent.tools)].map((ofAgent) =>
            bothOf(compiled, ofAgent(places.agentEntry), ofAgent(places.agentFull)),
          ),
        ]),
  ].filter((stage) => stage !== undefined);
}

/** Stage 8: it depends on the agent and on whether the session runs sandboxed; HTTP does not look at it. */
export function sandboxStageFor(compiled: CompiledPolicy, context: PolicyContext): StagePolicy | undefined {
  if (context.surface === "http" || context.sandboxed !== true) return undefined;
  const agentId = resolveAgentId(context.agentId, context.sessionKey);
  const agent = agentId === undefined ? undefined : compiled.agents.get(agentId);
  const parts = [getIn(compiled.config, "tools", "sandbox"), agent?.tools.record?.sandbox];
  return memo(compiled, `sandbox|${agent?.id ?? ""}|${agent?.index ?? ""}`, parts, () =>
    sandboxStage(compiled.config, agent, {
      denyAdds: compiled.hardening.has("policy.sandboxDenyAdds"),
    }),
  );
}

/** Stage 9: it depends on the role of the session and on the surface. */
export function subagentStageFor(compiled: CompiledPolicy, context: PolicyContext): StagePolicy | undefined {
  const role = subagentRoleOf(compiled.config, context, {
    httpCountsKey: compiled.hardening.has("policy.httpSubagentDepth"),
  });
  if (role === undefined) return undefined;
  const kind = role === "leaf" ? "leaf" : "orchestrator";
  const parts = [getIn(compiled.config, "tools", "subagents")];
  return memo(compiled, `subagent|${kind}`, parts, () => subagentStage(compiled.config, kind));
}

/**
 * What enables optional plugin tools: the entries of all allow lists of the run, as written (policy §11). Profile lists
 * count without their extras; alsoAllow counts through the stages that pick it.
 */
export function enablingNames(plan: Pick<PolicyPlan, "stages">): ReadonlySet<string> {
  const names = new Set<string>();
  for (const stage of plan.stages.flatMap((whole) => whole.both ?? [whole])) {
    if (stage.limitsOnly === true) continue;
    const isProfile = stage.column === "profile" || stage.column === "provider-profile";
    for (const entry of stage.allow?.entries ?? []) {
      if (isProfile && entry.rule.list !== "profile") continue;
      names.add(entry.name);
      // The sandbox list is expanded before anything looks at it.
      if (stage.column === "sandbox") for (const member of entry.members) names.add(member);
    }
  }
  return names;
}

/** @param parts what the policy is made from, apart from what the key says */
function memo(
  compiled: CompiledPolicy,
  key: string,
  parts: readonly unknown[],
  make: () => StagePolicy | undefined,
): StagePolicy | undefined {
  const known = compiled.stages.get(key);
  if (known !== undefined) return known.policy;
  const earlier = compiled.earlierStages.get(key);
  const isSame =
    earlier !== undefined &&
    earlier.parts.length === parts.length &&
    parts.every((part, index) => part === earlier.parts[index]);
  const stage = isSame ? earlier : { parts, policy: make() };
  compiled.stages.set(key, stage);
  return stage.policy;
}

function baseProfileStage(compiled: CompiledPolicy, agent: AgentScope | undefined): StagePolicy | undefined {
  const parts = [agent?.tools.record, compiled.global.record].flatMap((record) => [
    record?.profile,
    record?.alsoAllow,
    record?.exec,
    record?.fs,
  ]);
  return memo(compiled, `profile|${agent?.id ?? ""}|${agent?.index ?? ""}`, parts, () =>
    profileStage("profile", "tools.profile", [agent?.tools, compiled.global], {
      withImplicit: true,
      unknownIsMinimal: compiled.hardening.has("policy.unknownProfile"),
    }),
  );
}

function providerProfileStage(
  compiled: CompiledPolicy,
  agentEntry: ProviderEntry | undefined,
  globalEntry: ProviderEntry | undefined,
): StagePolicy | undefined {
  if (agentEntry === undefined && globalEntry === undefined) return undefined;
  const key = `${agentEntry?.place ?? ""}|${globalEntry?.place ?? ""}`;
  const parts = [agentEntry?.record, globalEntry?.record];
  return memo(compiled, `provider-profile|${key}`, parts, () =>
    profileStage("provider-profile", "tools.byProvider.profile", [agentEntry, globalEntry], {
      withImplicit: false,
      unknownIsMinimal: compiled.hardening.has("policy.unknownProfile"),
    }),
  );
}

/** What an entry of the full key adds to what the plain look-up gives: both count, and it can only limit. */
function bothOf(
  compiled: CompiledPolicy,
  plain: StagePolicy | undefined,
  full: StagePolicy | undefined,
): StagePolicy | undefined {
  if (full === undefined) return plain;
  const placeOf = (stage: StagePolicy | undefined) => stage?.configPaths.map(pathText).join("|") ?? "";
  return memo(compiled, `both|${full.column}|${placeOf(plain)}|${placeOf(full)}`, [plain, full], () => {
    const limit: StagePolicy = { ...full, limitsOnly: true };
    return plain === undefined ? limit : bothStages(plain, limit);
  });
}

function scopeStage(
  compiled: CompiledPolicy,
  column: ColumnId,
  label: string,
  scope: ToolsScope,
): StagePolicy | undefined {
  const parts = [scope.record?.allow, scope.record?.alsoAllow, scope.record?.deny];
  return memo(compiled, `${column}|${scope.place}|${label}`, parts, () => {
    const picked = pickLists(scope.record, scope.path);
    return picked === undefined ? undefined : compileStage(column, label, picked, { strips: true });
  });
}

function providerStage(
  compiled: CompiledPolicy,
  column: ColumnId,
  label: string,
  scope: ToolsScope,
  entry: ProviderEntry | undefined,
  provider: string | undefined,
): StagePolicy | undefined {
  if (entry === undefined) return undefined;
  return memo(compiled, `${column}|${entry.place}|${label}`, [scope.record?.byProvider], () => {
    const picked = pickLists(entry.record, entry.path);
    if (picked === undefined) return undefined;
    const whole = findProviderEntry(scope, provider, undefined);
    const losers =
      whole === undefined || whole === entry
        ? []
        : losingRules(column, whole.record, whole.path, { code: "replaced-by-model-entry" });
    return compileStage(column, label, picked, { strips: true, losers });
  });
}

/** Stage 7: it depends on channel, group and sender alone. */
export function groupStage(compiled: CompiledPolicy, context: PolicyContext): StagePolicy | undefined {
  const choice = chooseGroupPolicy(compiled.config, context);
  if (choice === undefined) return undefined;
  const key = [choice, ...choice.replaced].map((item) => pathText(item.path)).join("|");
  const parts = [choice, ...choice.replaced].map((item) => item.record);
  return memo(compiled, `group|${key}`, parts, () => {
    const picked = pickLists(choice.record, choice.path);
    if (picked === undefined) return undefined;
    return compileStage("group", "group tools.allow", picked, {
      strips: true,
      losers: replacedRules(choice),
    });
  });
}

function replacedRules(choice: GroupPolicyChoice): PolicyRule[] {
  const bySender = choice.path.includes("toolsBySender");
  return choice.replaced.flatMap((item) =>
    losingRules("group", item.record, item.path, {
      code: bySender && !item.bySender ? "replaced-by-sender" : "replaced-by-group-entry",
    }),
  );
}

/** The rules of an object that is written down but not looked at. */
function losingRules(
  column: ColumnId,
  record: StagePolicyRecord,
  path: ConfigPath,
  why: Reason,
): PolicyRule[] {
  const picked = pickLists(record, path);
  if (picked === undefined) return [];
  const rules = (sources: readonly EntrySource[] | undefined, effect: "allows" | "denies") =>
    compileList(column, effect, sources ?? []).entries.map((entry) => ({
      ...entry.rule,
      lostTo: { ruleId: null, why },
    }));
  return [...rules(picked.allow, "allows"), ...rules(picked.deny, "denies")];
}

type StagePolicyRecord = Parameters<typeof pickLists>[0];
