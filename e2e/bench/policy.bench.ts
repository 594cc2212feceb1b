/** Speed of the policy engine, each case against a floor of the same machine at the same time. */

import { compilePolicy } from "../../shared/policy/compile.ts";
import { evaluatePolicy } from "../../shared/policy/evaluate.ts";
import { tracePolicy } from "../../shared/policy/trace.ts";
import type { RegisteredTool } from "../../shared/policy/types.ts";
import {
  type Benchmark,
  type BenchmarkResult,
  context,
  everyStage,
  reference,
  timeNs,
  toolsWith,
  wildcards,
} from "./policyWork.ts";

/** The floor: per stage one look-up per tool and the two lists that an answer consists of. */
function bareLoop(tools: readonly RegisteredTool[], stages: number): () => number {
  const allowed = new Set(tools.map((tool) => tool.name));
  return () => {
    let survivors = 0;
    for (let stage = 0; stage < stages; stage += 1) {
      for (const tool of tools) if (allowed.has(tool.name)) survivors += 1;
    }
    return survivors;
  };
}

function against(floorNs: number, measuredNs: number, goal: number, unit: string): BenchmarkResult {
  return { ratio: measuredNs / floorNs, goal, unit, floorNs, measuredNs };
}

const stageCount = 9;

export const benchmarks: Benchmark[] = [
  {
    name: "policy: 30 tools through nine stages",
    run: async () => {
      const tools = toolsWith(0);
      const compiled = compilePolicy(everyStage([]), reference);
      const measuredNs = timeNs(() => evaluatePolicy(compiled, context, tools));
      return {
        ...against(timeNs(bareLoop(tools, stageCount)), measuredNs, 50, "µs"),
        ratio: measuredNs / 1000,
      };
    },
  },
  {
    name: "policy: first evaluation of 2,000 plugin tools with 200 patterns, compiling included",
    run: async () => {
      const config = everyStage(wildcards(200));
      const tools = toolsWith(2000);
      // A fresh list and a fresh compilation each time: nothing is remembered.
      const measuredNs = timeNs(
        () => evaluatePolicy(compilePolicy(config, reference), context, [...tools]),
        1500,
      );
      return {
        ...against(timeNs(bareLoop(tools, stageCount)), measuredNs, 5, "ms"),
        ratio: measuredNs / 1e6,
      };
    },
  },
  {
    name: "policy: 2,000 plugin tools with 200 patterns, as for each turn",
    run: async () => {
      const compiled = compilePolicy(everyStage(wildcards(200)), reference);
      const tools = toolsWith(2000);
      const measuredNs = timeNs(() => evaluatePolicy(compiled, context, tools));
      return {
        ...against(timeNs(bareLoop(tools, stageCount)), measuredNs, 5, "ms"),
        ratio: measuredNs / 1e6,
      };
    },
  },
  {
    name: "policy: 2,030 tools against a bare loop of Set look-ups",
    run: async () => {
      const compiled = compilePolicy(everyStage([]), reference);
      const tools = toolsWith(2000);
      const measuredNs = timeNs(() => evaluatePolicy(compiled, context, tools));
      return against(timeNs(bareLoop(tools, 1)), measuredNs, 20, "× one loop of look-ups");
    },
  },
  {
    name: "policy: growth from 230 to 2,030 tools",
    run: async () => {
      const compiled = compilePolicy(everyStage([]), reference);
      const few = toolsWith(200);
      const many = toolsWith(2000);
      const floorNs = timeNs(() => evaluatePolicy(compiled, context, few));
      return against(
        floorNs,
        timeNs(() => evaluatePolicy(compiled, context, many)),
        12,
        "×",
      );
    },
  },
  ...[
    { count: 30, patterns: 0 },
    { count: 2030, patterns: 0 },
    { count: 2030, patterns: 200 },
  ].map(
    ({ count, patterns }): Benchmark => ({
      name: `policy: full trace of ${count} tools${patterns === 0 ? "" : ` with ${patterns} patterns`} against the answer alone`,
      run: async () => {
        const compiled = compilePolicy(everyStage(wildcards(patterns)), reference);
        const tools = toolsWith(count - 30);
        const floorNs = timeNs(() => evaluatePolicy(compiled, context, tools));
        return against(
          floorNs,
          timeNs(() => tracePolicy(compiled, context, tools)),
          5,
          "×",
        );
      },
    }),
  ),
];
