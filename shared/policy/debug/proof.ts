/** Whether a promise holds in one class of contexts, with every list of tools that its contexts may meet. */

import type { CompiledPolicy } from "../compile.ts";
import type { PolicyContext } from "../types.ts";
import type { Choice, ClassParts } from "./contextClasses.ts";
import { type ClassEvaluator, createClassEvaluator, hasBit } from "./survivors.ts";
import type { ToolList, ToolSupply } from "./toolSupply.ts";

export interface WantedTool {
  name: string;
  /** Where tools of this name stand in the list; empty when there is none. */
  slots: readonly number[];
}

/** A list with which the promise is broken. */
export interface BrokenPromise {
  tool: string;
  tools: ToolList;
  /** What the machine or the run has to lack for it. */
  missing: string[];
}

/** @returns how the promise is broken in the class, or undefined when it holds */
export type ClassQuestion = (parts: ClassParts) => BrokenPromise | undefined;

export interface ClassJudge {
  ask(verb: "never" | "always", wanted: readonly WantedTool[]): ClassQuestion;
}

/** One list that has to be looked at, and the wanted tools that it decides about. */
interface Trial {
  missing: ReadonlySet<string>;
  wanted: readonly WantedTool[];
}

/**
 * Tools that are missing take names away from allow lists, which OpenClaw then drops: the fewer tools there are, the
 * more of the others pass, and nothing else depends on who is missing. So `never` is judged with the wanted tool and
 * nothing that may be missing beside it, and `always` with everything but what may be missing itself. That is as exact
 * as trying every combination (the tests do that too).
 */
export function createClassJudge(compiled: CompiledPolicy, supply: ToolSupply): ClassJudge {
  const evaluators = new Map<ToolList, ClassEvaluator>();
  const evaluatorOf = (tools: ToolList): ClassEvaluator => {
    const known = evaluators.get(tools) ?? createClassEvaluator(compiled, tools);
    evaluators.set(tools, known);
    return known;
  };
  const places = new Map<Choice, Map<Choice, Map<string, PolicyContext>>>();
  /** The part of a class that tools depend on; the same object for the same part. */
  const placeOf = ({ agent, model, sandboxed, surface }: ClassParts): PolicyContext => {
    const byModel = places.get(agent) ?? new Map<Choice, Map<string, PolicyContext>>();
    places.set(agent, byModel);
    const byRest = byModel.get(model) ?? new Map<string, PolicyContext>();
    byModel.set(model, byRest);
    const key = sandboxed ? `sandboxed ${surface}` : surface;
    const place = byRest.get(key) ?? { ...agent.context, ...model.context, sandboxed, surface };
    byRest.set(key, place);
    return place;
  };

  /** Of what may be missing, only that without which nothing would be broken. */
  const needed = (parts: ClassParts, place: PolicyContext, trial: Trial, wanted: WantedTool) => {
    let missing = trial.missing;
    for (const name of trial.missing) {
      const fewer = new Set([...missing].filter((other) => other !== name));
      const { bits } = evaluatorOf(supply.without(place, fewer)).survivors(parts);
      if (isThere(bits, wanted)) missing = fewer;
    }
    return missing;
  };

  return {
    ask(verb, wanted) {
      const trialsByPlace = new Map<PolicyContext, { list: ToolList; trial: Trial }[]>();
      const trialsOf = (place: PolicyContext) => {
        const known = trialsByPlace.get(place);
        if (known !== undefined) return known;
        const trials = (verb === "never" ? neverTrials : alwaysTrials)(supply, place, wanted).map(
          (trial) => ({
            list: supply.without(place, trial.missing),
            trial,
          }),
        );
        trialsByPlace.set(place, trials);
        return trials;
      };
      return (parts) => {
        const place = placeOf(parts);
        for (const { list, trial } of trialsOf(place)) {
          const { bits } = evaluatorOf(list).survivors(parts);
          const broken = trial.wanted.find((tool) => isThere(bits, tool) === (verb === "never"));
          if (broken === undefined) continue;
          const missing = verb === "never" ? needed(parts, place, trial, broken) : trial.missing;
          return { tool: broken.name, tools: supply.without(place, missing), missing: [...missing] };
        }
        return undefined;
      };
    },
  };
}

function isThere(bits: Uint32Array, { slots }: WantedTool): boolean {
  return slots.some((slot) => hasBit(bits, slot));
}

function neverTrials(supply: ToolSupply, place: PolicyContext, wanted: readonly WantedTool[]): Trial[] {
  const doubtful = new Set(supply.doubtsIn(place).keys());
  const certain = wanted.filter(({ name }) => !doubtful.has(name));
  const trials: Trial[] = certain.length === 0 ? [] : [{ missing: doubtful, wanted: certain }];
  for (const tool of wanted.filter(({ name }) => doubtful.has(name))) {
    trials.push({ missing: new Set([...doubtful].filter((name) => name !== tool.name)), wanted: [tool] });
  }
  return trials;
}

/** What only single runs leave out is no matter of `always`: no config could keep such a promise. */
function alwaysTrials(supply: ToolSupply, place: PolicyContext, wanted: readonly WantedTool[]): Trial[] {
  const doubts = supply.doubtsIn(place);
  return [
    ...wanted
      .filter(({ name }) => doubts.get(name) === "setup")
      .map((tool) => ({ missing: new Set([tool.name]), wanted: [tool] })),
    { missing: new Set<string>(), wanted },
  ];
}
