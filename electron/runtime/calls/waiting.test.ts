import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { ToolCallState } from "../../../shared/contract/index.ts";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import type { Caller } from "../runtimeTypes.ts";
import { defineTool, type ToolCallContext, textResult } from "../tools/defineTool.ts";
import { type Calls, createCalls } from "./createCalls.ts";

const caller: Caller = {
  id: "mcp:one",
  label: "one",
  agentId: "main",
  sessionKey: "agent:main:mcp:one",
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
};

let calls: Calls | undefined;
afterEach(() => calls?.dispose());

/** Runs one call of a tool that reports as given, and lists the states that it went through. */
async function statesOf(report: (context: ToolCallContext) => void): Promise<ToolCallState["kind"][]> {
  const tool = defineTool({
    name: "act",
    title: "Act",
    description: "Acts.",
    promptLine: "Act",
    risk: "write",
    input: z.object({}),
    execute: async (_input, context) => {
      report(context);
      return textResult("done");
    },
  });
  calls = createCalls({
    clock: systemClock,
    logger: silentLogger,
    loopGuard: { ask: () => ({ kind: "passed", ended: () => {} }) },
    decide: () => ({ kind: "visible", tool, canBackground: false }),
  });
  const states: ToolCallState["kind"][] = [];
  calls.events.on("recorded", ({ call }) => states.push(call.state.kind));
  const outcome = await calls.start(caller, "act", {}).outcome;
  expect(outcome).toMatchObject({ kind: "result", isError: false });
  return states;
}

it("a wait for a person is a state of its own, with a way back", async () => {
  const states = await statesOf(({ reportWaiting }) => {
    reportWaiting({ approvalId: "approval" });
    reportWaiting(null);
  });
  expect(states).toEqual(["proposed", "running", "awaitingApproval", "running", "succeeded"]);
});

it("the end of a wait that never began changes nothing: a refusal without a person keeps its own words", async () => {
  const states = await statesOf(({ reportWaiting }) => reportWaiting(null));
  expect(states).toEqual(["proposed", "running", "succeeded"]);
});
