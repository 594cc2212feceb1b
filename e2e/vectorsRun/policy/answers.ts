/** One function per kind of recorded policy case: what the engine answers, in the words of the recording. */

import { resolveAgentsList } from "../../../shared/policy/agentsList.ts";
import { listKnownTools, presentTools } from "../../../shared/policy/availability.ts";
import { toolGroups } from "../../../shared/policy/catalog.ts";
import { catalogAnswer } from "../../../shared/policy/catalogAnswers.ts";
import { compilePolicy } from "../../../shared/policy/compile.ts";
import { validatePolicyConfig } from "../../../shared/policy/configSchema.ts";
import { resolveElevated } from "../../../shared/policy/elevated.ts";
import { evaluatePolicy } from "../../../shared/policy/evaluate.ts";
import { decideHttpInvoke, type HttpCaller } from "../../../shared/policy/httpInvoke.ts";
import {
  detectLoop,
  type LoopCall,
  type LoopRecord,
  recordLoopCall,
  resolveLoopDetection,
} from "../../../shared/policy/loopDetection.ts";
import { promptOrder } from "../../../shared/policy/promptOrder.ts";
import { resolveSandboxPolicy } from "../../../shared/policy/sandboxPolicy.ts";
import { createWarningMemory } from "../../../shared/policy/strip.ts";
import { resolveSubagentPolicy } from "../../../shared/policy/subagentPolicy.ts";
import { contextOf, type Json, type PolicyCase, toolsOf } from "./cases.ts";

const reference: ReadonlySet<string> = new Set();

const compile = (config: unknown) => compilePolicy(config, { hardening: reference });

type Answer = (input: never) => unknown;

function pipeline(input: Json): Json {
  const result = evaluatePolicy(compile(input.config), contextOf(input), toolsOf(input));
  return {
    agentId: result.agentId,
    profile: result.profile,
    providerProfile: result.providerProfile,
    preFilters: result.preFilters,
    stages: result.stages.map(({ label, removed, surviving }) => ({ label, removed, surviving })),
    tools: result.tools,
    warnings: createWarningMemory().admit(result.warnings),
  };
}

function catalog(): Json {
  const answer = catalogAnswer("main", [], { includePlugins: false });
  return {
    sections: answer.groups.map(({ id, label, tools }) => ({
      id,
      label,
      tools: tools.map((tool) => ({ id: tool.id, profiles: tool.defaultProfiles })),
    })),
    profiles: answer.profiles.map((profile) => profile.id),
    groups: Object.fromEntries(toolGroups),
  };
}

interface RecordedCalls {
  tool?: string;
  args?: unknown;
  result?: unknown;
  times?: number;
  seq?: RecordedCalls[];
}

/** Repeats and alternations written out; `$n` is another result at each call. */
function writeOut(recorded: readonly RecordedCalls[]): { call: LoopCall; result: unknown }[] {
  const calls: { call: LoopCall; result: unknown }[] = [];
  for (const { tool, args, result, times = 1, seq } of recorded) {
    for (let round = 0; round < times; round += 1) {
      for (const one of seq ?? [{ tool, args, result }]) {
        const outcome = one.result === "$n" ? `result ${calls.length}` : (one.result ?? "ok");
        calls.push({ call: { tool: one.tool ?? "", args: one.args }, result: outcome });
      }
    }
  }
  return calls;
}

function loop(input: { loopDetection: unknown; agentLoopDetection?: unknown; calls: RecordedCalls[] }): Json {
  const resolved = resolveLoopDetection(input.loopDetection, input.agentLoopDetection);
  const calls = writeOut(input.calls);
  const firstEvents: Json[] = [];
  const seen = new Set<string>();
  let history: LoopRecord[] = [];
  calls.forEach(({ call, result }, index) => {
    const verdict = detectLoop(history, call, resolved);
    if (verdict.kind !== "ok") {
      const { kind: level, detector, count } = verdict;
      if (!seen.has(`${level} ${detector}`)) firstEvents.push({ call: index + 1, level, detector, count });
      seen.add(`${level} ${detector}`);
    }
    if (verdict.kind !== "critical") history = recordLoopCall(history, call, result, resolved);
  });
  return { resolved, firstEvents, totalCalls: calls.length };
}

/** Only the tools that the recording covers are compared. */
const recordedAvailability = new Set(["read", "edit", "write", "apply_patch", "exec", "process", "message"]);

function availability(input: Json): Json {
  const present = presentTools(input.config, input as Parameters<typeof presentTools>[1]);
  return { present: present.filter((name) => recordedAvailability.has(name)) };
}

interface DedupeInput {
  runs?: string[][];
  generate?: {
    first: string[];
    thenOneRunEach: { fixed: string[]; prefix: string; from: number; to: number };
    last: string[];
  };
}

function warningDedupe({ runs, generate }: DedupeInput): Json {
  const memory = createWarningMemory();
  const tools = toolsOf({ coreTools: ["read"] });
  const warn = (allow: string[]) =>
    memory.admit(evaluatePolicy(compile({ tools: { allow } }), { surface: "model" }, tools).warnings).length;
  if (generate === undefined) return { warningsPerRun: (runs ?? []).map(warn) };
  const { first, thenOneRunEach, last } = generate;
  const counts = [warn(first)];
  for (let i = thenOneRunEach.from; i <= thenOneRunEach.to; i += 1) {
    counts.push(warn([...thenOneRunEach.fixed, `${thenOneRunEach.prefix}${i}`]));
  }
  counts.push(warn(last));
  return { warningsPerRun: [counts.at(0), counts.at(-1)], runCount: counts.length };
}

interface HttpInput extends Json {
  config: unknown;
  body?: unknown;
  method?: string;
  auth?: boolean;
  authMode?: string;
  scopes?: string | string[];
  headers?: Record<string, string>;
}

function httpInvoke(input: HttpInput): Json {
  const headers = new Map(
    Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const scopes = headers.get("x-openclaw-scopes") ?? input.scopes ?? [];
  const caller: HttpCaller =
    input.authMode === "none" || input.authMode === "trusted-proxy"
      ? { kind: "scoped", scopes: typeof scopes === "string" ? scopes.split(",") : scopes }
      : { kind: input.auth === false ? "rejected" : "secret" };
  const tools =
    input.coreTools === undefined && input.pluginTools === undefined
      ? listKnownTools(input.config, {})
      : toolsOf(input);
  const decision = decideHttpInvoke(
    compile(input.config),
    {
      method: input.method ?? "POST",
      caller,
      body: input.body,
      ...(headers.has("x-openclaw-message-channel")
        ? { channel: headers.get("x-openclaw-message-channel") }
        : {}),
      ...(headers.has("x-openclaw-account-id") ? { accountId: headers.get("x-openclaw-account-id") } : {}),
    },
    () => tools,
  );
  if (decision.reachable) return { reachable: true };
  const { reachable, status, errorType } = decision;
  return errorType === undefined ? { reachable, status } : { reachable, status, errorType };
}

const answers = new Map<string, Answer>([
  ["pipeline", pipeline],
  ["catalog", catalog],
  [
    "sandbox-policy",
    (input: { config: unknown; agentId: string }) => resolveSandboxPolicy(input.config, input.agentId),
  ],
  [
    "subagent-policy",
    (input: { config: unknown; depth: number | null }) => resolveSubagentPolicy(input.config, input.depth),
  ],
  [
    "elevated",
    (input: { config: unknown } & Parameters<typeof resolveElevated>[1]) =>
      resolveElevated(input.config, input),
  ],
  [
    "agents-list",
    (input: { config: unknown; agentId: string }) => resolveAgentsList(input.config, input.agentId),
  ],
  ["loop", loop],
  ["availability", availability],
  [
    "config-validate",
    (input: { config: unknown }) => {
      const issues = validatePolicyConfig(input.config);
      return { valid: issues.length === 0, issuePaths: issues.map((issue) => issue.path) };
    },
  ],
  ["prompt-order", (input: { toolNames: string[] }) => ({ listed: promptOrder(input.toolNames) })],
  ["warning-dedupe", warningDedupe],
  ["http-invoke", httpInvoke],
] as [string, Answer][]);

/** @returns what the engine says, or undefined for a kind that nobody knows here */
export function answerCase(one: PolicyCase): unknown {
  return answers.get(one.kind)?.(one.input as never);
}
