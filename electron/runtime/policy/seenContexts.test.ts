/** Pickers begin with what really happened: sessions that called tools, in a real runtime over its contract. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Caller, Runtime } from "../runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection } from "../testing/testRuntime.ts";

let stateDir: string;
let runtime: Runtime;
let panel: TestConnection;

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "seen-"));
  await writeFile(
    path.join(stateDir, "openclaw.json"),
    `{ agents: { list: [{ id: "coder" }, { id: "support" }] } }`,
  );
  runtime = await createTestRuntime(stateDir);
  panel = connectTo(runtime);
});
afterEach(async () => {
  panel.close();
  await runtime.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

const call = (caller: Caller) =>
  runtime.tools.callTool(caller, "nothing", {}, { signal: new AbortController().signal, holdMs: null });
const callerOf = (agentId: string, key: string, over: Partial<Caller> = {}): Caller => ({
  id: "panel",
  label: "panel",
  agentId,
  sessionKey: `agent:${agentId}:${key}`,
  isOwner: true,
  provider: null,
  model: null,
  surface: "panel",
  ...over,
});
const seen = async () => (await panel.rpc.call("policy.contexts", {})).seen;

it("offers sessions that called tools, newest first and once each, before clients that have not", async () => {
  const idle = await panel.rpc.call("clients.create", { name: "Idle" });
  const busy = await panel.rpc.call("clients.create", { name: "Busy" });
  const mapped = runtime.clients.callerOf(busy.client.id);
  expect(mapped).not.toBeNull();
  await call(callerOf("coder", "panel"));
  if (mapped !== null) await call(mapped);
  await call(callerOf("support", "main", { id: "http", surface: "http" }));
  await call(callerOf("coder", "panel"));
  const found = await seen();
  expect(found.map(({ label }) => label)).toEqual([
    "agent:coder:panel",
    "HTTP · agent:support:main",
    "Busy",
    "Idle",
  ]);
  expect(found[0]?.context).toMatchObject({ agentId: "coder", sandboxed: false });
  expect(found[0]?.context).not.toHaveProperty("senderIsOwner");
  expect(found[1]?.context.surface).toBe("http");
  expect(idle.client.name).toBe("Idle");
});
