import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import type { Caller } from "../runtimeTypes.ts";
import { defineTool, textResult } from "../tools/defineTool.ts";
import { type Calls, createCalls, type FinalOutcome } from "./createCalls.ts";
import { showArgs } from "./shownArgs.ts";

const callerOf = (session: string): Caller => ({
  id: `mcp:${session}`,
  label: session,
  agentId: "main",
  sessionKey: `agent:main:mcp:${session}`,
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
});

let release: () => void;
let calls: Calls;

beforeEach(() => {
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wait = defineTool({
    name: "wait",
    title: "Wait",
    description: "Waits.",
    promptLine: "Wait",
    risk: "read",
    input: z.object({ text: z.unknown() }),
    execute: async () => {
      await gate;
      return textResult("done");
    },
  });
  calls = createCalls({
    clock: systemClock,
    logger: silentLogger,
    loopGuard: { ask: () => ({ kind: "passed", ended: () => {} }) },
    decide: (_caller, tool) =>
      tool === "wait"
        ? { kind: "visible", tool: wait, canBackground: false }
        : { kind: "hidden", reason: { code: "unknown", params: {} } },
  });
});
afterEach(() => {
  release();
  calls.dispose();
});

const textOf = (outcome: FinalOutcome) => (outcome.kind === "result" ? JSON.stringify(outcome.content) : "");

it("a flood of one session is refused, keeps nothing, and leaves other sessions alone", async () => {
  const flooder = callerOf("flooder");
  const open = Array.from({ length: 256 }, () => calls.start(flooder, "wait", { text: "x" }));
  const held = calls.list(10_000).length;
  for (let n = 0; n < 2000; n += 1)
    expect(textOf(await calls.start(flooder, "wait", { text: "x" }).outcome)).toContain(
      "too many calls open",
    );
  // A hidden tool and one that nobody has answer the same as well.
  expect(textOf(await calls.start(flooder, "hidden", {}).outcome)).toContain("too many calls open");
  expect(calls.list(10_000)).toHaveLength(held);
  const other = calls.start(callerOf("other"), "wait", { text: "x" });
  release();
  expect(textOf(await other.outcome)).toContain("done");
  for (const call of open) expect(textOf(await call.outcome)).toContain("done");
  expect(textOf(await calls.start(flooder, "wait", { text: "x" }).outcome)).toContain("done");
});

it("huge arguments are taken one call at a time", async () => {
  const flooder = callerOf("flooder");
  const huge = { text: "x".repeat(9 * 1024 * 1024) };
  const first = calls.start(flooder, "wait", huge);
  expect(textOf(await calls.start(flooder, "wait", huge).outcome)).toContain("too many calls open");
  release();
  expect(textOf(await first.outcome)).toContain("done");
});

it("arguments nested deeper than the stack end in an answer, and free what they took", async () => {
  const caller = callerOf("deep");
  const deep: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  expect(showArgs(deep)).toContain("too deep");
  release();
  for (let n = 0; n < 3; n += 1)
    expect(textOf(await calls.start(caller, "wait", { text: deep }).outcome)).toContain("done");
});

it("a call that breaks on its way still ends, in the list too", async () => {
  const broken = createCalls({
    clock: systemClock,
    logger: silentLogger,
    decide: () => {
      throw new Error("no policy");
    },
    loopGuard: { ask: () => ({ kind: "passed", ended: () => {} }) },
  });
  const { outcome, toolCallId } = broken.start(callerOf("broken"), "wait", {});
  // The log has the cause; the caller gets its number.
  expect(textOf(await outcome)).toContain(toolCallId);
  expect(broken.snapshot(toolCallId)?.state).toMatchObject({
    kind: "failed",
    message: expect.stringContaining(toolCallId),
  });
});
