/** The debugger on a large config: how long its answers take and how long they hold up everything else. */

import { createPolicyQuestions } from "../../electron/runtime/policy/policyQuestions.ts";
import { contract } from "../../shared/contract/index.ts";
import { createToolSupply } from "../../shared/policy/debug/index.ts";
import type { RegisteredTool } from "../../shared/policy/index.ts";
import { createClient, createMemoryPair, type Handlers, scopes, serve } from "../../shared/rpc/index.ts";

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

/** 30 core tools and 470 of plugins. */
const tools: RegisteredTool[] = [
  ...[
    ["read", "write", "edit", "apply_patch", "exec", "process", "browser", "canvas", "nodes", "cron"],
    ["gateway", "message", "tts", "image", "pdf", "web_search", "web_fetch", "agents_list", "session_status"],
    ["sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents"],
  ]
    .flat()
    .map((name): RegisteredTool => ({ name, owner: { kind: "core" } })),
  ...Array.from(
    { length: 475 },
    (_, i): RegisteredTool => ({
      name: `kit${i % 25}_tool_${i}`,
      owner: { kind: "plugin", pluginId: `kit${i % 25}` },
    }),
  ),
];

/** 20 agents, two models that count, 20 groups with a rule for one sender each: 19,866 contexts. */
const config = {
  tools: {
    profile: "coding",
    alsoAllow: ["group:plugins"],
    byProvider: { weakco: { deny: ["exec", "kit1_*"] }, "openai/small": { profile: "minimal" } },
  },
  agents: {
    list: Array.from({ length: 20 }, (_, i) => ({
      id: `agent${i}`,
      tools: { deny: [`kit${i % 25}`, "cron"], ...(i % 3 === 0 ? { profile: "messaging" } : {}) },
    })),
  },
  channels: {
    telegram: {
      groups: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [
          `-100${i}`,
          { tools: { deny: [`kit${i}_*`] }, toolsBySender: { [`id:${i + 1}`]: { allow: ["read", "kit3"] } } },
        ]),
      ),
    },
  },
};
const configText = JSON.stringify(config, null, 2);
const assertions = [
  "never agent0: exec",
  ...Array.from({ length: 18 }, (_, i) => `never agent${i + 1}: kit${(i + 1) % 25}`),
  "never *: cron",
].join("\n");

function ask() {
  const questions = createPolicyQuestions({
    saved: () => ({ value: config, positionOf: () => null, problems: [] }),
    savedAssertions: () => assertions,
    hardeningFor: () => new Set(),
    preset: () => "reference",
    toolsFor: () => tools,
    supplyFor: () => createToolSupply(() => tools),
    skillsFor: async () => [],
  });
  const handlers: Partial<Handlers<typeof contract>> = {
    "policy.trace": (input) => questions.trace(input),
    "policy.why": (input, { signal }) => questions.why(input, signal),
    "policy.check": (input, { signal }) => questions.check(input, signal),
  };
  const [clientSide, serverSide] = createMemoryPair();
  const stop = serve({
    contract,
    // Only these three are asked.
    handlers: handlers as Handlers<typeof contract>,
    transport: serverSide,
    principal: { kind: "panel", id: "bench", scopes: new Set(scopes), approvalSurface: false },
    connectionId: "bench",
  });
  return { rpc: createClient(contract, clientSide), stop };
}

interface Watched {
  totalMs: number;
  /** Longest time in which nothing else got its turn. */
  blockedMs: number;
}

async function watch(work: () => Promise<unknown>): Promise<Watched> {
  let blockedMs = 0;
  let lastMs = performance.now();
  let isDone = false;
  const tick = () => {
    const nowMs = performance.now();
    blockedMs = Math.max(blockedMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  const startedAtMs = performance.now();
  await work();
  const totalMs = performance.now() - startedAtMs;
  blockedMs = Math.max(blockedMs, performance.now() - lastMs);
  isDone = true;
  return { totalMs, blockedMs };
}

/** The median of several runs: one garbage collection of another program shall not decide. */
async function measure(work: (rpc: ReturnType<typeof ask>["rpc"]) => Promise<unknown>): Promise<Watched> {
  const { rpc, stop } = ask();
  try {
    await work(rpc);
    const runs: Watched[] = [];
    for (let i = 0; i < 7; i += 1) runs.push(await watch(() => work(rpc)));
    const median = (key: keyof Watched) => runs.map((run) => run[key]).sort((a, b) => a - b)[3] ?? 0;
    return { totalMs: median("totalMs"), blockedMs: median("blockedMs") };
  } finally {
    stop();
  }
}

function pair(name: string, goalMs: number, work: Parameters<typeof measure>[0]): Benchmark[] {
  return (["totalMs", "blockedMs"] as const).map((key) => ({
    name: `policy debugger: ${name}, ${key === "totalMs" ? "in all" : "longest time without a turn for others"}`,
    run: async () => {
      const measured = await measure(work);
      const measuredNs = measured[key] * 1e6;
      return {
        ratio: measured[key],
        goal: key === "totalMs" ? goalMs : 50,
        unit: "ms",
        floorNs: 0,
        measuredNs,
      };
    },
  }));
}

const context = { agentId: "agent0", provider: "openai", model: "gpt-5.2", senderIsOwner: true } as const;

export const benchmarks: Benchmark[] = [
  ...pair("why exec is missing, 20 agents and 20 groups", 1000, (rpc) =>
    rpc.call("policy.why", { tool: "exec", context: { ...context, surface: "model" }, configText }),
  ),
  ...pair("take read away, 20 agents and 20 groups", 1000, (rpc) =>
    rpc.call("policy.why", {
      tool: "read",
      context: { ...context, agentId: "agent1", surface: "model" },
      configText,
    }),
  ),
  ...pair("20 assertions over 19,866 contexts", 1000, (rpc) => rpc.call("policy.check", { configText })),
  ...pair("what-if with 500 tools", 50, (rpc) =>
    rpc.call("policy.trace", { context: { ...context, surface: "model" }, configText }),
  ),
];
