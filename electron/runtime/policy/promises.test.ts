/** Promises in a real runtime: proved only of what real clients meet, and kept when they stop to mean anything. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contract } from "../../../shared/contract/index.ts";
import { createClient, createMemoryPair, type RpcClient, serve } from "../../../shared/rpc/index.ts";
import { systemClock } from "../clock.ts";
import { createConfigStore, createSettingsStore } from "../config/index.ts";
import { silentLogger } from "../logging/logger.ts";
import { type Caller, operatorScopes, type Runtime } from "../runtimeTypes.ts";
import { createTestRuntime } from "../testing/testRuntime.ts";
import { type AssertionDeskDeps, createAssertionDesk } from "./assertionDesk.ts";

let stateDir: string;
let runtime: Runtime | undefined;
let rpc: RpcClient<typeof contract>;
let stop: () => void | Promise<void> = () => {};

async function start(config: string, settings?: string): Promise<Runtime> {
  await writeFile(path.join(stateDir, "openclaw.json"), config);
  if (settings !== undefined) await writeFile(path.join(stateDir, "sallyport.json5"), settings);
  const started = await createTestRuntime(stateDir);
  runtime = started;
  const [clientSide, serverSide] = createMemoryPair();
  stop = serve({
    contract,
    handlers: started.handlers,
    transport: serverSide,
    principal: { kind: "operator", id: "operator:test", scopes: operatorScopes, approvalSurface: false },
    events: started.events,
    connectionId: "test",
  });
  rpc = createClient(contract, clientSide);
  return started;
}

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "promises-"));
});
afterEach(async () => {
  await stop();
  await runtime?.dispose();
  runtime = undefined;
  await rm(stateDir, { recursive: true, force: true });
});

const client: Caller = {
  id: "mcp:x",
  label: "x",
  agentId: "main",
  sessionKey: "agent:main:mcp:x",
  isOwner: true,
  provider: null,
  model: null,
  surface: "mcp",
};
const toolsOf = (started: Runtime, caller = client) =>
  started.tools.listTools(caller).tools.map(({ name }) => name);
const kindsOf = async (assertions: string) =>
  (await rpc.call("policy.check", { assertions })).results.map(({ kind }) => kind);

describe("what is proved", () => {
  it("is what a real client finds: a list of one missing tool restricts nothing under the rules of OpenClaw", async () => {
    const started = await start(
      `{ tools: { allow: ["apply_patch"] } }`,
      `{ hardening: { preset: "reference" } }`,
    );
    expect(toolsOf(started)).toContain("exec");
    const [result] = (await rpc.call("policy.check", { assertions: "never *: exec" })).results;
    expect(result).toMatchObject({ kind: "refuted", tool: "exec" });
  });

  it("is that tools are there, not that nothing removes them", async () => {
    const started = await start("{}");
    expect(toolsOf(started)).not.toContain("apply_patch");
    expect(toolsOf(started)).not.toContain("image");
    expect(await kindsOf("always main: apply_patch\nalways main: image\nalways main: read")).toEqual([
      "refuted",
      "refuted",
      "proved",
    ]);
    expect(await kindsOf("always main when provider=openai: apply_patch")).toEqual(["proved"]);
  });

  it("looks at the sign-in that switches the search of a model on", async () => {
    await start(`{ tools: { web: { search: { openaiCodex: { enabled: true } } } } }`);
    expect(await kindsOf("always main when provider=openai-codex role=main: web_search")).toEqual([
      "refuted",
    ]);
  });
});

describe("the sandbox", () => {
  const config = `{ agents: { defaults: { sandbox: { mode: "non-main" } } } }`;

  it("counts as the config says, in every question, and the answers say so", async () => {
    const started = await start(config);
    const context = { agentId: "main", sessionKey: client.sessionKey, surface: "mcp" as const };
    const { trace, sandboxFromConfig } = await rpc.call("policy.trace", { context });
    expect(sandboxFromConfig).toBe(true);
    expect(trace.columns.find(({ id }) => id === "sandbox")?.state).toBe("active");
    const reached = trace.result.tools;
    // The client is no owner in this question, which does not say so.
    expect(reached).toEqual(toolsOf(started, { ...client, isOwner: false }));
    const explained = await rpc.call("policy.explain", { context });
    expect(explained.tools).toEqual(reached);
    const why = await rpc.call("policy.why", { tool: "web_fetch", context });
    expect(why).toMatchObject({ sandboxFromConfig: true, answer: { state: "removed" } });
    const main = { agentId: "main", surface: "model" as const };
    expect(await rpc.call("policy.trace", { context: main })).toMatchObject({ sandboxFromConfig: false });
    for (const other of [{ subagentDepth: 1 }, { channel: "telegram", groupId: "1" }]) {
      const asked = { ...main, ...other };
      expect(await rpc.call("policy.findings", { context: asked })).toMatchObject({
        sandboxFromConfig: true,
      });
    }
    const said = await rpc.call("policy.trace", { context: { ...context, sandboxed: false } });
    expect(said).not.toHaveProperty("sandboxFromConfig");
    const edited = await rpc.call("policy.compare", {
      a: { context },
      b: { context, configText: "{}" },
    });
    expect(edited.comparison.gained).toContain("web_fetch");
    expect(edited.sandboxFromConfig).toEqual({ a: true, b: false });
  });

  it("is not read into a recorded case, which brings its tools and says what is so", async () => {
    await start("{}");
    const answer = await rpc.call("policy.explain", {
      config: { agents: { defaults: { sandbox: { mode: "all" } } } },
      context: { agentId: "main", surface: "model" },
      tools: { coreTools: ["read", "message"], pluginTools: [] },
      preset: "reference",
    });
    expect(answer.tools).toEqual(["read", "message"]);
  });
});

describe("a promise that says nothing any more", () => {
  const settings = `{ assertions: { text: "never support when sandboxed=true: exec", onFail: "block" } }`;
  const config = `{ agents: { list: [{ id: "support", sandbox: { mode: "all" }, tools: { deny: ["exec"] } }] } }`;

  it("keeps a config from being written as much as a broken one", async () => {
    await start(config, settings);
    await expect(
      rpc.call("config.setPath", { path: "agents.list.0.sandbox.mode", value: "off" }),
    ).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("No context that this config can tell apart fits"),
      data: { reason: "assertionsRefuted", results: [expect.objectContaining({ kind: "invalid" })] },
    });
    expect(await readFile(path.join(stateDir, "openclaw.json"), "utf8")).toBe(config);
    const view = await rpc.call("config.setPath", { path: "tools.deny", value: ["write"] });
    expect(view).not.toHaveProperty("warnings");
  });

  it("is not saved in the first place", async () => {
    await start("{}");
    await expect(
      rpc.call("policy.assertions.set", { text: "never support: exce", onFail: "block" }),
    ).rejects.toMatchObject({ data: { reason: "assertionsRefuted" } });
  });

  it("is asked about again when the tools have changed", async () => {
    const { config: store, settings: settingsStore } = await stores();
    let basis = "one";
    const asked: string[] = [];
    const desk = createAssertionDesk({
      settings: settingsStore,
      config: store,
      hardening: () => new Set(),
      check: async (_candidate, text) => {
        asked.push(`${basis}: ${text}`);
        return [];
      },
      basis: () => basis,
      publish: () => {},
      record: () => {},
      logger: silentLogger,
    });
    try {
      await desk.guardFor("x", false).guard({});
      await desk.guardFor("x", false).guard({});
      basis = "two";
      await desk.guardFor("x", false).guard({});
      expect(asked).toEqual(["one: never *: ghost", "two: never *: ghost"]);
    } finally {
      desk.dispose();
    }
  });
});

/** The parts of the stores that a desk reads, with one promise saved. */
async function stores(): Promise<Pick<AssertionDeskDeps, "config" | "settings">> {
  await writeFile(path.join(stateDir, "sallyport.json5"), `{ assertions: { text: "never *: ghost" } }`);
  const shared = { logger: silentLogger, clock: systemClock };
  const config = await createConfigStore({ ...shared, path: path.join(stateDir, "openclaw.json") });
  const settings = await createSettingsStore({ ...shared, path: path.join(stateDir, "sallyport.json5") });
  stop = async () => {
    await Promise.all([config.dispose(), settings.dispose()]);
  };
  return { config, settings };
}
