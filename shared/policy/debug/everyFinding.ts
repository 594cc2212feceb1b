/** The findings of a whole config: of every agent, model, group and kind of session, each once. */

import type { CompiledPolicy } from "../compile.ts";
import { pathText } from "../configRecord.ts";
import { planFor } from "../plan.ts";
import { defaultAgentId } from "../scopes.ts";
import type { PolicyContext, PolicyFinding } from "../types.ts";
import { type ClassAxes, createContextSpace } from "./contextClasses.ts";
import { collectFindings, type SkillTools } from "./findings.ts";
import type { Steps } from "./steps.ts";
import type { ToolList } from "./toolSupply.ts";

export interface EveryFindingOptions {
  toolsOf(context: PolicyContext): ToolList;
  skillsOf(agentId: string): readonly SkillTools[];
}

/**
 * Lists are looked at where they count: those of an agent in its sessions, plain, sandboxed and as a sub-agent, those of
 * models and groups with the default agent and with agents that have models of their own.
 * @returns in the order of the contexts, the default agent's first; what several contexts find is there once
 */
export function* everyFinding(
  compiled: CompiledPolicy,
  { toolsOf, skillsOf }: EveryFindingOptions,
): Steps<PolicyFinding[]> {
  const axes = yield* createContextSpace(compiled).axes({});
  const found = new Map<string, { finding: PolicyFinding; times: number }>();
  const listsSeen = new Map<string, number>();
  for (const context of contextsOf(compiled, axes)) {
    yield;
    for (const list of planFor(compiled, context).stages.flatMap(({ configPaths }) => configPaths))
      listsSeen.set(pathText(list), (listsSeen.get(pathText(list)) ?? 0) + 1);
    // The owner of a plain session sees most, so what is odd there is odd everywhere.
    const skills = context.sandboxed || context.subagentDepth ? [] : skillsOf(context.agentId ?? "");
    for (const finding of collectFindings(compiled, context, toolsOf(context), { skills })) {
      const { kind, path, entries, stage } = finding;
      const key = JSON.stringify([kind, path, entries, path === "default" ? stage : ""]);
      const known = found.get(key) ?? { finding, times: 0 };
      known.times += 1;
      found.set(key, known);
    }
  }
  return [...found.values()].flatMap(({ finding, times }) => {
    const { kind, configPath } = finding;
    if (!ofOneContext.has(kind) || configPath === null) return [finding];
    return times < (listsSeen.get(pathText(configPath.slice(0, -1))) ?? 0) ? [] : [finding];
  });
}

/** What is of no use to one agent or model can be of use to another: such an entry is odd when it is so everywhere. */
const ofOneContext: ReadonlySet<PolicyFinding["kind"]> = new Set(["unreachable-entry", "gated-entry"]);

function* contextsOf(compiled: CompiledPolicy, axes: ClassAxes): Generator<PolicyContext> {
  const first = defaultAgentId(compiled.config);
  const ids = [first, ...[...compiled.agents.keys()].filter((id) => id !== first)];
  const plain = { senderIsOwner: true, surface: "model" as const };
  const depth = axes.roles.find(({ role }) => role === "leaf")?.depth ?? 1;
  for (const agentId of ids) {
    yield { ...plain, agentId };
    yield { ...plain, agentId, sandboxed: true };
    yield { ...plain, agentId, subagentDepth: depth };
    const hasModels = agentId === first || (compiled.agents.get(agentId)?.tools.byProvider.size ?? 0) > 0;
    const models = axes.agents.find(({ choice }) => choice.context.agentId === agentId)?.models ?? [];
    if (hasModels) for (const { context } of models) yield { ...plain, agentId, ...context };
  }
  for (const { context } of axes.groups) {
    // What these channels take away is no slip of the config.
    if (context.channel === "voice" || context.channel === "node") continue;
    yield { ...plain, agentId: first, ...context };
  }
}
