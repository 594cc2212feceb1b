/** Which stage policies apply in a context (policy §8, §9): the plan that evaluation walks through. */

import type { ColumnId } from "./codes.ts";
import type { CompiledPolicy } from "./compile.ts";
import { pathText } from "./configRecord.ts";
import { chooseGroupPolicy, type GroupPolicyChoice } from "./groupPolicy.ts";
import { compileList, type EntrySource } from "./lists.ts";
import { compileStage, pickLists, type StagePolicy } from "./pick.ts";
import { chooseProfile, profileStage } from "./profiles.ts";
import { sandboxStage } from "./sandboxPolicy.ts";
import { type AgentScope, findProviderEntry, type ProviderEntry, type ToolsScope } from "./scopes.ts";
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
  const { global, agents } = compiled;
  const isHttp = context.surface === "http";
  const agentId = resolveAgentId(context.agentId, context.sessionKey);
  const agent = agentId === undefined ? undefined : agents.get(agentId);
  // No model is known over HTTP, so byProvider is off there.
  const provider = isHttp ? undefined : context.provider;
  const providerFirst = compiled.hardening.has("policy.providerModelKeys");
  const globalEntry = findProviderEntry(global, provider, context.model, providerFirst);
  const agentEntry = findProviderEntry(agent?.tools, provider, context.model, providerFirst);
  const base = chooseProfile([agent?.tools, global]);
  const byProvider = chooseProfile([agentEntry, globalEntry]);
  const agentLabel = `agents.${agentId}.tools`;
  const stages: StagePolicy[] = [];
  const add = (stage: StagePolicy | undefined) => {
    if (stage !== undefined) stages.push(stage);
  };
  add(baseProfileStage(compiled, agent));
  add(providerProfileStage(compiled, agentEntry, globalEntry));
  add(scopeStage(compiled, "global", "tools.allow", global));
  add(providerStage(compiled, "global-provider", "tools.byProvider.allow", global, globalEntry, provider));
  if (agent !== undefined) {
    const providerLabel = `${agentLabel}.byProvider.allow`;
    add(scopeStage(compiled, "agent", `${agentLabel}.allow`, agent.tools));
    add(providerStage(compiled, "agent-provider", providerLabel, agent.tools, agentEntry, provider));
  }
  add(groupStage(compiled, context));
  if (!isHttp && context.sandboxed === true) {
    add(memo(compiled, `sandbox|${agent?.id ?? ""}`, () => sandboxStage(compiled.config, agent)));
  }
  const role = subagentRoleOf(compiled.config, context, {
    httpCountsKey: compiled.hardening.has("policy.httpSubagentDepth"),
  });
  if (role !== undefined) {
    const kind = role === "leaf" ? "leaf" : "orchestrator";
    add(memo(compiled, `subagent|${kind}`, () => subagentStage(compiled.config, kind)));
  }
  return {
    agentId,
    profile: base?.word,
    providerProfile: byProvider?.word,
    profilePath: base?.path,
    providerProfilePath: byProvider?.path,
    stages,
  };
}

/**
 * What enables optional plugin tools: the entries of all allow lists of the run, as written (policy §11). Profile lists
 * count without their extras; alsoAllow counts through the stages that pick it.
 */
export function enablingNames(plan: PolicyPlan): ReadonlySet<string> {
  const names = new Set<string>();
  for (const stage of plan.stages) {
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

function memo(
  compiled: CompiledPolicy,
  key: string,
  make: () => StagePolicy | undefined,
): StagePolicy | undefined {
  if (compiled.stages.has(key)) return compiled.stages.get(key);
  const stage = make();
  compiled.stages.set(key, stage);
  return stage;
}

function baseProfileStage(compiled: CompiledPolicy, agent: AgentScope | undefined): StagePolicy | undefined {
  return memo(compiled, `profile|${agent?.id ?? ""}`, () =>
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
  const key = [agentEntry, globalEntry]
    .map((entry) => (entry === undefined ? "" : pathText(entry.path)))
    .join("|");
  return memo(compiled, `provider-profile|${key}`, () =>
    profileStage("provider-profile", "tools.byProvider.profile", [agentEntry, globalEntry], {
      withImplicit: false,
      unknownIsMinimal: compiled.hardening.has("policy.unknownProfile"),
    }),
  );
}

function scopeStage(
  compiled: CompiledPolicy,
  column: ColumnId,
  label: string,
  scope: ToolsScope,
): StagePolicy | undefined {
  return memo(compiled, `${column}|${label}`, () => {
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
  return memo(compiled, `${column}|${pathText(entry.path)}`, () => {
    const picked = pickLists(entry.record, entry.path);
    if (picked === undefined) return undefined;
    const whole = findProviderEntry(scope, provider, undefined, false);
    const losers =
      whole === undefined || whole === entry
        ? []
        : losingRules(column, whole.record, whole.path, { code: "replaced-by-model-entry" });
    return compileStage(column, label, picked, { strips: true, losers });
  });
}

function groupStage(compiled: CompiledPolicy, context: PolicyContext): StagePolicy | undefined {
  const choice = chooseGroupPolicy(compiled.config, context);
  if (choice === undefined) return undefined;
  const key = [choice, ...choice.replaced].map((item) => pathText(item.path)).join("|");
  return memo(compiled, `group|${key}`, () => {
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
