/** Speed of the policy engine, each case against a floor of the same machine at the same time. */

import { listKnownTools } from "../../shared/policy/availability.ts";
import { compilePolicy } from "../../shared/policy/compile.ts";
import { evaluatePolicy } from "../../shared/policy/evaluate.ts";
import { tracePolicy } from "../../shared/policy/trace.ts";
import type { PolicyContext, RegisteredTool } from "../../shared/policy/types.ts";

interface BenchmarkResult {
  ratio: number;
  goal: number;
  unit: string;
  floorNs: number;
  measuredNs: number;
}

interface Benchmark {
  name: string;
  run: () => Promise<BenchmarkResult>;
}

const allThere = {
  provider: "openai",
  model: "gpt-5.2",
  hasImageModel: true,
  hasPdfModel: true,
  hasImageGenerationModel: true,
  hasXaiKey: true,
};

/** The 30 tools of a run with everything switched on, and as many plugin tools as asked for. */
function toolsWith(pluginTools: number): RegisteredTool[] {
  const tools = listKnownTools({}, allThere);
  for (let i = 0; i < pluginTools; i += 1) {
    tools.push({ name: `kit${i % 100}_tool_${i}`, owner: { kind: "plugin", pluginId: `kit${i % 100}` } });
  }
  return tools;
}

/** Every stage has a policy. */
function everyStage(patterns: readonly string[]): unknown {
  const lists = {
    allow: ["group:openclaw", "group:fs", "group:runtime", "group:plugins"],
    deny: ["nodes"],
  };
  return {
    tools: {
      profile: "coding",
      alsoAllow: ["group:plugins"],
      deny: ["gateway", ...patterns],
      byProvider: {
        openai: { profile: "coding", alsoAllow: ["group:plugins"], deny: ["canvas"] },
      },
      sandbox: { tools: lists },
      subagents: { tools: lists },
    },
    agents: { list: [{ id: "a1", tools: { ...lists, byProvider: { openai: lists } } }] },
    channels: { telegram: { groups: { "1": { tools: lists } } } },
  };
}

const context: PolicyContext = {
  agentId: "a1",
  provider: "openai",
  model: "gpt-5.2",
  channel: "telegram",
  groupId: "1",
  sandboxed: true,
  subagentDepth: 1,
  senderIsOwner: true,
  surface: "model",
};

/** 200 patterns of the three usual kinds, most of which match something. */
function wildcards(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 3 === 0) return `kit${i % 100}_*`;
    return i % 3 === 1 ? `*_tool_${i}` : `*l_${i}*`;
  });
}

const reference = { hardening: new Set<string>() };

/**
 * Time of one call, after a warm-up; calls are timed in batches because the clock is coarse. The lowest tenth counts:
 * other programs on the machine only ever add time.
 */
function timeNs(work: () => unknown, budgetMs = 400): number {
  const until = performance.now() + budgetMs / 4;
  let calls = 0;
  const startedAtMs = performance.now();
  while (performance.now() < until) {
    work();
    calls += 1;
  }
  const perCallMs = (performance.now() - startedAtMs) / calls;
  const batch = Math.max(1, Math.ceil(0.5 / perCallMs));
  const samples: number[] = [];
  const end = performance.now() + budgetMs;
  while (performance.now() < end || samples.length < 5) {
    const before = performance.now();
    for (let i = 0; i < batch; i += 1) work();
    samples.push(((performance.now() - before) / batch) * 1e6);
  }
  samples.sort((a, b) => a - b);
  return samples[Math.floor(samples.length / 10)] ?? 0;
}

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
  ...[30, 2030].map(
    (count): Benchmark => ({
      name: `policy: full trace of ${count} tools against the answer alone`,
      run: async () => {
        const compiled = compilePolicy(everyStage([]), reference);
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
