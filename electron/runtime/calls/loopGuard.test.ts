import { expect, it } from "vitest";
import { resolveLoopDetection } from "../../../shared/policy/index.ts";
import { type Logger, silentLogger } from "../logging/logger.ts";
import type { Caller, CallOutcome } from "../runtimeTypes.ts";
import { createLoopGuard, type LoopGuard } from "./loopGuard.ts";

const callerOf = (sessionKey: string): Caller => ({
  id: "mcp:a",
  label: "a",
  agentId: "main",
  sessionKey,
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
});
const one = callerOf("agent:main:one");
const strict = { enabled: true, warningThreshold: 1, criticalThreshold: 2, globalCircuitBreakerThreshold: 3 };

const resultOf = (text: string): CallOutcome => ({
  kind: "result",
  toolCallId: "c",
  content: [{ type: "text", text }],
  details: { durationMs: Math.random() },
  isError: false,
});

const guardWith = (config: unknown, logger: Logger = silentLogger) =>
  createLoopGuard({ settingsFor: () => resolveLoopDetection(config), logger });

/** @returns whether the call was let through */
function call(guard: LoopGuard, caller = one, args: unknown = { a: 1, b: 2 }, result = "same"): boolean {
  const answer = guard.ask(caller, "read", args);
  if (answer.kind === "passed") answer.ended(resultOf(result));
  return answer.kind === "passed";
}

it("blocks the call that repeats itself without progress, and only in its session", () => {
  const guard = guardWith(strict);
  expect([1, 2, 3, 4, 5].map(() => call(guard))).toEqual([true, true, true, false, false]);
  expect(call(guard, one, { b: 2, a: 1 })).toBe(false);
  expect(call(guard, one, { a: 1, b: 3 })).toBe(true);
  expect(call(guard, callerOf("agent:main:two"))).toBe(true);
  expect(guard.ask(one, "read", { a: 1, b: 2 })).toMatchObject({
    kind: "blocked",
    reason: {
      code: "loopDetected",
      params: { tool: "read", detector: "global_circuit_breaker", count: "3" },
    },
    text: expect.stringContaining("Not executed"),
  });
});

it("lets a call through whose result changes, and counts calls that are still running", () => {
  const guard = guardWith(strict);
  expect(["1", "2", "3", "4", "5"].every((text) => call(guard, one, {}, text))).toBe(true);
  const poll = () => guard.ask(one, "process", { action: "poll", id: "p" });
  const running = [poll(), poll(), poll()];
  expect(running.map((answer) => answer.kind)).toEqual(["passed", "passed", "passed"]);
  for (const answer of running) if (answer.kind === "passed") answer.ended(resultOf("nothing new"));
  expect(poll().kind).toBe("blocked");
});

it("is off unless switched on, and without a session", () => {
  const off = guardWith({});
  expect(Array.from({ length: 40 }, () => call(off)).every(Boolean)).toBe(true);
  const on = guardWith(strict);
  expect(Array.from({ length: 40 }, () => call(on, callerOf(""))).every(Boolean)).toBe(true);
});

it("logs a warning once per ten repeats, and never refuses for it", () => {
  const seen: [string, Record<string, unknown> | undefined][] = [];
  const guard = guardWith(
    { enabled: true },
    { ...silentLogger, warn: (event, fields) => seen.push([event, fields]) },
  );
  for (let round = 0; round < 25; round += 1) expect(call(guard, one, {}, String(round))).toBe(true);
  expect(seen.map(([event, fields]) => [event, fields?.detector, fields?.count])).toEqual([
    ["loop.warning", "generic_repeat", 10],
    ["loop.warning", "generic_repeat", 20],
  ]);
});

it("takes what is nested deeper than the stack", () => {
  const guard = guardWith(strict);
  const deep: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  expect([1, 2, 3, 4].map(() => call(guard, one, { deep }))).toEqual([true, true, true, false]);
});

it("forgets the session that called least recently", () => {
  const guard = guardWith(strict);
  for (let round = 0; round < 3; round += 1) call(guard);
  expect(call(guard)).toBe(false);
  for (let other = 0; other < 512; other += 1) call(guard, callerOf(`agent:main:${other}`));
  expect(call(guard)).toBe(true);
});
