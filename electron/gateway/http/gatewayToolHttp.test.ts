/** The gateway tool and agents_list over `POST /tools/invoke` on a real runtime: who reaches them, and what they show. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLogger } from "../../runtime/logging/logger.ts";
import type { Runtime } from "../../runtime/runtimeTypes.ts";
import { createTestRuntime } from "../../runtime/testing/testRuntime.ts";
import { createGateway, type Gateway } from "../createGateway.ts";

const token = "a-token-of-this-test-0123456789";
const apiKey = "sk-of-this-test-0123456789";
const hook = "hook-secret-of-this-test";

const configWith = (gateway: Record<string, unknown>, name = "Desk") =>
  JSON.stringify({
    gateway,
    models: { providers: { acme: { apiKey, headers: { "x-acme": "header-of-this-test" } } } },
    hooks: { enabled: true, token: hook },
    ui: { assistant: { name } },
    agents: {
      list: [
        { id: "main", subagents: { allowAgents: ["*"] } },
        { id: "ops", name: "Operations" },
      ],
    },
  });

let stateDir: string;
let runtime: Runtime | null = null;
let gateway: Gateway | null = null;

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "gateway-http-"));
});
afterEach(async () => {
  await gateway?.close();
  await runtime?.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

async function start(config: Record<string, unknown>, name?: string): Promise<void> {
  await writeFile(path.join(stateDir, "openclaw.json"), configWith(config, name));
  runtime = await createTestRuntime(stateDir);
  gateway = await createGateway({
    runtime,
    panelDir: null,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
}

async function invoke(tool: string, args: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway?.url}/tools/invoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ tool, args }),
  });
  return { status: answer.status, text: await answer.text() };
}

it("gives the config to the owner without any secret, and only where gateway.tools.allow names the tool", async () => {
  await start({ auth: { token } });
  expect((await invoke("gateway", { action: "config.get" })).status).toBe(404);
  await gateway?.close();
  await runtime?.dispose();
  // A secret that somebody put where no secret is looked for is hidden as well.
  await start({ auth: { token }, tools: { allow: ["gateway"] } }, `was ${apiKey}`);
  const { status, text } = await invoke("gateway", { action: "config.get" });
  expect(status).toBe(200);
  const { result } = JSON.parse(text) as { result: { details: { result: Record<string, unknown> } } };
  expect(result.details.result).toMatchObject({ valid: true, config: { hooks: { enabled: true } } });
  for (const secret of [token, apiKey, hook, "header-of-this-test"]) expect(text).not.toContain(secret);
  expect(text).toContain("__OPENCLAW_REDACTED__");
});

it("does not exist for a caller that is no owner", async () => {
  await start({ auth: { mode: "none" }, tools: { allow: ["gateway"] } });
  const asked = { action: "config.get" };
  const none = { authorization: "" };
  const write = await invoke("gateway", asked, { ...none, "x-openclaw-scopes": "operator.write" });
  expect(write.status).toBe(404);
  const admin = { ...none, "x-openclaw-scopes": "operator.write,operator.admin" };
  expect((await invoke("gateway", asked, admin)).status).toBe(200);
});

it("answers a wrong action as bad input, and a protected setting as blocked with its name", async () => {
  await start({ auth: { token }, tools: { allow: ["gateway"] } });
  expect((await invoke("gateway", { action: "nope" })).status).toBe(400);
  const before = await readFile(path.join(stateDir, "openclaw.json"), "utf8");
  const blocked = await invoke("gateway", {
    action: "config.patch",
    raw: '{ tools: { allow: ["*"] }, gateway: { auth: { token: "mine" } } }',
  });
  expect(blocked.status).toBe(403);
  const { error } = JSON.parse(blocked.text) as { error: { type: string; message: string } };
  expect(error.type).toBe("tool_call_blocked");
  expect(error.message).toMatch(/tools\.allow.*gateway\.auth\.token|gateway\.auth\.token.*tools\.allow/);
  // Nobody is there who could be asked.
  const asked = await invoke("gateway", { action: "config.patch", raw: '{ ui: { seamColor: "#fff" } }' });
  expect(asked.status).toBe(403);
  expect(asked.text).toMatch(/nobody can be asked/);
  expect(await readFile(path.join(stateDir, "openclaw.json"), "utf8")).toBe(before);
});

it("lists the agents that may be given work", async () => {
  await start({ auth: { token } });
  const { status, text } = await invoke("agents_list", {});
  expect(status).toBe(200);
  const { result } = JSON.parse(text) as { result: { details: unknown } };
  expect(result.details).toEqual({
    requester: "main",
    allowAny: true,
    agents: [
      { id: "main", configured: true },
      { id: "ops", name: "Operations", configured: true },
    ],
  });
});
