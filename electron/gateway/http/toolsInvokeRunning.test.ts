/** `POST /tools/invoke` on a real runtime: what it refuses is in the ledger, and its calls pass the loop guard. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { silentLogger } from "../../runtime/logging/logger.ts";
import type { Runtime } from "../../runtime/runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection } from "../../runtime/testing/testRuntime.ts";
import { defineTool, textResult } from "../../runtime/tools/defineTool.ts";
import { createGateway, type Gateway } from "../createGateway.ts";

const config = `{
  tools: {
    deny: ["web_fetch"],
    loopDetection: { enabled: true, warningThreshold: 1, criticalThreshold: 2, globalCircuitBreakerThreshold: 3 },
  },
  gateway: { auth: { token: "a-token-of-this-test-0123456789" }, tools: { deny: ["session_status"] } },
}
`;
const echo = defineTool({
  name: "echo",
  title: "Echo",
  description: "Says it again.",
  promptLine: "Says it again",
  risk: "read",
  input: z.object({ text: z.string().describe("What to say") }),
  execute: async ({ text }) => textResult(text),
});

let stateDir: string;
let runtime: Runtime;
let gateway: Gateway;
let panel: TestConnection;

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "invoke-running-"));
  await writeFile(path.join(stateDir, "openclaw.json"), config);
  runtime = await createTestRuntime(stateDir, { extraTools: [echo] });
  gateway = await createGateway({
    runtime,
    panelDir: null,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
  panel = connectTo(runtime);
});
afterEach(async () => {
  panel.close();
  await gateway.close();
  await runtime.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

async function invoke(body: object): Promise<{ status: number; body: { error?: { type: string } } }> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/tools/invoke`, {
    method: "POST",
    headers: { authorization: "Bearer a-token-of-this-test-0123456789", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as { error?: { type: string } } };
}

/** Entries about calls, oldest first. */
async function recorded() {
  const { entries } = await panel.rpc.call("ledger.list", { limit: 100 });
  return entries.filter(({ kind }) => kind.startsWith("call.")).toReversed();
}

it("writes every refused tool to the ledger with the rule behind it, and tells the caller nothing of it", async () => {
  for (const tool of ["web_fetch", "session_status", "exec", "nothing", "__proto__"]) {
    const answer = await invoke({ tool, args: { of: tool } });
    expect(answer).toEqual({
      status: 404,
      body: { ok: false, error: { type: "not_found", message: `Tool not available: ${tool}` } },
    });
  }
  const entries = await recorded();
  expect(entries.map(({ kind }) => kind)).toEqual(
    Array.from({ length: 5 }, () => ["call.proposed", "call.hidden"]).flat(),
  );
  expect(entries.every(({ callerId }) => callerId === "http")).toBe(true);
  const hidden = entries.filter(({ kind }) => kind === "call.hidden").map(({ data }) => data);
  expect(hidden).toMatchObject([
    { tool: "web_fetch", state: { reason: { code: "removedByPolicy", params: { path: "tools.deny[0]" } } } },
    { tool: "session_status", state: { reason: { params: { path: "gateway.tools.deny[0]" } } } },
    { tool: "exec", state: { reason: { code: "absent" } } },
    { tool: "nothing", state: { reason: { code: "unknownTool" } } },
    { tool: "__proto__", state: { reason: { code: "unknownTool" } } },
  ]);
  expect(JSON.stringify(entries.filter(({ kind }) => kind === "call.proposed"))).toContain("web_fetch");
});

it("blocks a call that repeats itself, answers 403 and records by which rule", async () => {
  const again = { tool: "echo", args: { text: "hello" } };
  for (let round = 0; round < 3; round += 1) expect((await invoke(again)).status).toBe(200);
  const blocked = await invoke(again);
  expect(blocked.status).toBe(403);
  expect(blocked.body.error?.type).toBe("tool_call_blocked");
  expect((await invoke({ tool: "echo", args: { text: "other" } })).status).toBe(200);
  expect((await invoke({ ...again, sessionKey: "agent:main:other" })).status).toBe(200);
  const denied = (await recorded()).filter(({ kind }) => kind === "call.denied");
  expect(denied).toMatchObject([
    {
      data: {
        state: { by: { kind: "rule", ruleId: "tools.loopDetection" }, reason: { code: "loopDetected" } },
      },
    },
  ]);
});
