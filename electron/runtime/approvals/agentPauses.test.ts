import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Principal } from "../../../shared/rpc/index.ts";
import type { ToolDecision } from "../calls/createCalls.ts";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { type Caller, operatorScopes } from "../runtimeTypes.ts";
import type { Ledger, LedgerInput } from "../storage/index.ts";
import { testCaller } from "../testing/testRuntime.ts";
import { defineTool, type ToolCallContext, textResult } from "../tools/defineTool.ts";
import { createAgentPauses } from "./agentPauses.ts";

const surface: Principal = { kind: "panel", id: "panel:main", scopes: operatorScopes, approvalSurface: true };
const window: Principal = { ...surface, id: "panel:other", approvalSurface: false };
const clock = createManualClock();

function setUp() {
  const recorded: LedgerInput[] = [];
  const ledger: Pick<Ledger, "append"> = {
    append: (entry) => {
      recorded.push(entry);
    },
  } as Pick<Ledger, "append">;
  const pauses = createAgentPauses({
    clock,
    logger: silentLogger,
    ledger: ledger as Ledger,
    knownAgents: () => ["main", "Support Desk"],
  });
  const run = async (tool: string, input: unknown, caller: Caller = testCaller) => {
    const decide = pauses.guard((): ToolDecision => {
      const definition = defineTool({
        name: tool,
        title: tool,
        description: tool,
        promptLine: tool,
        risk: "execute",
        input: z.unknown(),
        execute: async () => textResult("ran"),
      });
      return { kind: "visible", tool: definition, canBackground: true };
    });
    const decision = decide(caller, tool);
    if (decision.kind !== "visible") throw new Error("hidden");
    return decision.tool.execute(input, { agentId: caller.agentId } as ToolCallContext);
  };
  return { pauses, recorded, run };
}

describe("a paused agent", () => {
  it.each(["exec", "read", "write", "edit", "apply_patch"])("is denied %s, with the reason", async (tool) => {
    const { pauses, run } = setUp();
    pauses.pause("main", surface);
    const result = await run(tool, {});
    expect(result.refusal).toMatchObject({
      kind: "denied",
      by: { kind: "system", reason: { code: "agentPaused", params: { agent: "main" } } },
    });
    expect(JSON.stringify(result.content)).toContain("paused by the operator");
    expect(JSON.stringify(result.content)).toContain("Not executed");
    expect(pauses.list()).toMatchObject([{ agentId: "main", deniedCount: 1, by: "panel:main" }]);
  });

  it("may look at its processes and end them, and type nothing into them", async () => {
    const { pauses, run } = setUp();
    pauses.pause("main", surface);
    for (const action of ["list", "poll", "log", "kill", "clear", "remove"])
      expect((await run("process", { action })).refusal, action).toBeUndefined();
    for (const action of ["write", "send-keys", "submit", "paste"])
      expect((await run("process", { action })).refusal?.kind, action).toBe("denied");
  });

  it("keeps its other tools, and other agents keep all of theirs", async () => {
    const { pauses, run } = setUp();
    pauses.pause("main", surface);
    expect((await run("web_fetch", {})).refusal).toBeUndefined();
    expect((await run("exec", {}, { ...testCaller, agentId: "support" })).refusal).toBeUndefined();
  });

  it("runs again after it was resumed; both are on record", async () => {
    const { pauses, recorded, run } = setUp();
    pauses.pause("main", surface);
    pauses.pause("main", surface);
    await run("exec", {});
    expect(pauses.resume("MAIN", surface)).toBe(true);
    expect(pauses.resume("main", surface)).toBe(false);
    expect((await run("exec", {})).refusal).toBeUndefined();
    expect(recorded.map(({ kind, agentId, callerId }) => [kind, agentId, callerId])).toEqual([
      ["agent.paused", "main", "panel:main"],
      ["agent.resumed", "main", "panel:main"],
    ]);
    expect(recorded[1]?.data).toMatchObject({ deniedCount: 1 });
  });

  it("is named as policy names it; a name that nothing knows is refused", () => {
    const { pauses } = setUp();
    pauses.pause("support desk", surface);
    expect(pauses.list().map((one) => one.agentId)).toEqual(["support-desk"]);
    for (const name of ["mian", "constructor", "__proto__", " "])
      expect(() => pauses.pause(name, surface), name).toThrow(/no agent/);
  });

  it("is resumed by the approval surface only; any window may pause", () => {
    const { pauses } = setUp();
    pauses.pause("main", window);
    expect(() => pauses.resume("main", window)).toThrow(/approval surface/);
    expect(pauses.list()).toHaveLength(1);
  });
});
