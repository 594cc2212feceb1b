/** The work that the benchmarks of the policy engine share: tools, configs, a context, and the clock. */

import { listKnownTools } from "../../shared/policy/availability.ts";
import type { PolicyContext, RegisteredTool } from "../../shared/policy/types.ts";

export interface BenchmarkResult {
  ratio: number;
  goal: number;
  unit: string;
  floorNs: number;
  measuredNs: number;
  /** Why there is no measurement here; the numbers mean nothing then. */
  notMeasured?: string;
}

export interface Benchmark {
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
export function toolsWith(pluginTools: number): RegisteredTool[] {
  const tools = listKnownTools({}, allThere);
  for (let i = 0; i < pluginTools; i += 1) {
    tools.push({ name: `kit${i % 100}_tool_${i}`, owner: { kind: "plugin", pluginId: `kit${i % 100}` } });
  }
  return tools;
}

/** Every stage has a policy. */
export function everyStage(patterns: readonly string[]): unknown {
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

/** A sub-agent in a sandboxed group session: all nine stages speak. */
export const context = {
  agentId: "a1",
  provider: "openai",
  model: "gpt-5.2",
  channel: "telegram",
  groupId: "1",
  sandboxed: true,
  subagentDepth: 1,
  senderIsOwner: true,
  surface: "model",
} as const satisfies PolicyContext;

/** 200 patterns of the three usual kinds, most of which match something. */
export function wildcards(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 3 === 0) return `kit${i % 100}_*`;
    return i % 3 === 1 ? `*_tool_${i}` : `*l_${i}*`;
  });
}

export const reference = { hardening: new Set<string>() };

/**
 * Time of one call, after a warm-up; calls are timed in batches because the clock is coarse. The lowest tenth counts:
 * other programs on the machine only ever add time.
 */
export function timeNs(work: () => unknown, budgetMs = 400): number {
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
