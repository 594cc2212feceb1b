/** Questions about single tools that other parts ask the pipeline. */

import type { CompiledPolicy } from "./compile.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { type CompiledList, findHit } from "./lists.ts";
import { planFor } from "./plan.ts";
import { isOnSkillSurface, isOwnerOnlyTool } from "./preFilters.ts";
import { indexTools } from "./toolIndex.ts";
import type { PolicyContext, PolicyResult, RegisteredTool } from "./types.ts";

const noNames: ReadonlySet<string> = new Set();

/**
 * Whether exec may leave a command running: `process` must pass all nine policies by plain matching, without the strip
 * rule (policy §19).
 */
export function canBackground(compiled: CompiledPolicy, context: PolicyContext): boolean {
  const hits = (list: CompiledList) => findHit(list, "process", undefined, noNames) !== -1;
  return planFor(compiled, context).stages.every(({ allow, deny }) => {
    if (deny !== undefined && hits(deny)) return false;
    return allow === undefined || allow.entries.length === 0 || hits(allow);
  });
}

/**
 * The tools that a skill command may be dispatched to: of those that the surface has, the reference looks at the owner
 * alone; with policy.skillDispatchThroughPipeline the whole pipeline decides (policy §15). The surface is asked behind
 * the pipeline: were its tools taken away first, a list made only of them would count as naming nothing.
 */
export function skillDispatchTools(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
): PolicyResult["tools"] {
  const { slots } = indexTools(tools);
  const offered = slots.filter((slot) => isOnSkillSurface(slot.tool));
  if (compiled.hardening.has("policy.skillDispatchThroughPipeline")) {
    const kept = new Set(evaluatePolicy(compiled, context, tools).tools);
    return offered.map((slot) => slot.name).filter((name) => kept.has(name));
  }
  return offered
    .filter((slot) => slot.tool.unavailable === undefined)
    .filter((slot) => context.senderIsOwner === true || !isOwnerOnlyTool(slot))
    .map((slot) => slot.name);
}
