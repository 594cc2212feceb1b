/** Calls by hand: whoever starts one gets the rights of his connection and the limits of the session that he names. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import type { Principal } from "../../../shared/rpc/index.ts";
import type { Runtime } from "../runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection } from "../testing/testRuntime.ts";
import { defineTool, textResult } from "../tools/defineTool.ts";

let stateDir: string;
let runtime: Runtime;
let ran: { tool: string; isOwner: boolean; agentId: string }[];
let release: () => void;
const closers: (() => Promise<void> | void)[] = [];

const fixture = (name: string, ownerOnly: boolean, until?: Promise<void>) =>
  defineTool({
    name,
    title: name,
    description: "Writes down who called.",
    promptLine: "Write down who called",
    risk: "write",
    input: z.object({}),
    ownerOnly,
    execute: async (_input, { senderIsOwner, agentId }) => {
      ran.push({ tool: name, isOwner: senderIsOwner, agentId });
      await until;
      return textResult("ran");
    },
  });

async function start(config: unknown): Promise<void> {
  await writeFile(path.join(stateDir, "openclaw.json"), JSON.stringify(config));
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  runtime = await createTestRuntime(stateDir, {
    extraTools: [
      fixture("fixture_any", false),
      fixture("fixture_owner", true),
      fixture("fixture_wait", false, until),
    ],
  });
  closers.push(() => runtime.dispose());
}

function connectWith(scopes: Principal["scopes"]): TestConnection["rpc"] {
  const principal: Principal = { kind: "operator", id: "device:phone", scopes, approvalSurface: false };
  const connection = connectTo(runtime, principal, "phone");
  closers.push(() => connection.close());
  return connection.rpc;
}

const writerScopes: Principal["scopes"] = new Set(["operator.read", "operator.write"]);
const adminScopes: Principal["scopes"] = new Set(["operator.read", "operator.write", "operator.admin"]);

async function call(
  rpc: TestConnection["rpc"],
  tool: string,
  place: { agentId?: string; sessionKey?: string } = {},
) {
  const { toolCallId } = await rpc.call("calls.start", { tool, args: {}, ...place });
  return (await rpc.call("calls.wait", { toolCallId })).call.state.kind;
}

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "calls-by-hand-"));
  ran = [];
  release = () => {};
});
afterEach(async () => {
  release();
  for (const close of closers.splice(0).reverse()) await close();
  await rm(stateDir, { recursive: true, force: true });
});

it("only who may administer is the owner", async () => {
  await start({});
  const writer = connectWith(writerScopes);
  expect(await call(writer, "fixture_any")).toBe("succeeded");
  for (const tool of ["fixture_owner", "gateway"]) expect(await call(writer, tool), tool).toBe("hidden");
  expect(await call(connectWith(adminScopes), "fixture_owner")).toBe("succeeded");
  expect(ran).toEqual([
    { tool: "fixture_any", isOwner: false, agentId: "main" },
    { tool: "fixture_owner", isOwner: true, agentId: "main" },
  ]);
});

it("the agent of the session decides, and no other can be named beside it", async () => {
  await start({
    agents: {
      list: [
        { id: "open", default: true },
        { id: "locked", tools: { deny: ["fixture_any"] } },
      ],
    },
  });
  const rpc = connectWith(adminScopes);
  expect(await call(rpc, "fixture_any")).toBe("succeeded");
  expect(await call(rpc, "fixture_any", { sessionKey: "agent:locked:main" })).toBe("hidden");
  await expect(
    call(rpc, "fixture_any", { agentId: "open", sessionKey: "agent:locked:main" }),
  ).rejects.toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("locked") });
  await expect(call(rpc, "fixture_any", { agentId: "nobody" })).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
  expect(ran).toHaveLength(1);
});

it("the session of an MCP client keeps the limits of that client", async () => {
  await start({});
  const rpc = connectWith(adminScopes);
  const { client } = await rpc.call("clients.create", { name: "editor" });
  const { sessionKey } = client;
  // Not mapped to an agent yet: what `minimal` names and nothing else.
  expect(await call(rpc, "fixture_any", { sessionKey })).toBe("hidden");
  expect(await call(rpc, "session_status", { sessionKey })).toBe("succeeded");
  await rpc.call("clients.update", { id: client.id, agentId: "main" });
  expect(await call(rpc, "fixture_any", { sessionKey })).toBe("succeeded");
  for (const other of [sessionKey.toUpperCase(), `${sessionKey}:thread:1`, "agent:main:mcp:gone"])
    await expect(call(rpc, "fixture_any", { sessionKey: other }), other).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
});

it("a session with too much open says so instead of naming a call that is none", async () => {
  await start({});
  const rpc = connectWith(adminScopes);
  for (let count = 0; count < 256; count += 1)
    await rpc.call("calls.start", { tool: "fixture_wait", args: {} });
  await expect(rpc.call("calls.start", { tool: "fixture_wait", args: {} })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("too many calls open"),
  });
});
