/** Keys that a person stores: used by the tools, never seen by a command, never sent back. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "./net/testServer.ts";
import type { Runtime } from "./runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection, testCaller } from "./testing/testRuntime.ts";

const key = "tvly-0123456789abcdef";
let stateDir: string;
let runtime: Runtime;
let panel: TestConnection;
let service: TestServer;
let status: number;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "secrets-runtime-"));
  status = 200;
  service = await startTestServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${key}`;
    response.writeHead(isKnown ? status : 401, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ results: [{ title: "晴", url: "https://example.com/", content: "sunny", score: 1 }] }),
    );
  });
  const config = {
    tools: {
      profile: "full",
      exec: { security: "full", ask: "off" },
      web: { search: { provider: "tavily" } },
    },
    plugins: {
      entries: {
        tavily: { enabled: true, config: { webSearch: { baseUrl: service.url("", "127.0.0.1") } } },
      },
    },
  };
  await writeFile(join(stateDir, "openclaw.json"), JSON.stringify(config));
  runtime = await createTestRuntime(stateDir);
  panel = connectTo(runtime);
});
afterEach(async () => {
  panel.close();
  await runtime.dispose();
  await service.close();
  await rm(stateDir, { recursive: true, force: true });
});

const tavily = async () =>
  (await panel.rpc.call("secrets.list", {})).services.find(({ id }) => id === "search.tavily");
const presence = async (name: string) => {
  const { sections } = await panel.rpc.call("tools.list", {});
  return sections.flatMap(({ tools }) => tools).find((tool) => tool.name === name)?.presence;
};
const hasSearch = () => runtime.tools.listTools(testCaller).tools.some(({ name }) => name === "web_search");

describe("a stored key", () => {
  it("brings its tool at once, is used by it, and leaves with it", async () => {
    expect(await tavily()).toMatchObject({
      state: { kind: "missing" },
      name: "TAVILY_API_KEY",
      canTest: true,
    });
    expect(hasSearch()).toBe(false);
    expect(await presence("web_search")).toMatchObject({ kind: "absent" });
    let changes = 0;
    runtime.tools.onListChanged(() => {
      changes += 1;
    });
    const view = await panel.rpc.call("secrets.set", { name: "TAVILY_API_KEY", value: key });
    expect(JSON.stringify(view)).not.toContain(key);
    expect(view.stored).toMatchObject([{ name: "TAVILY_API_KEY", masked: "••••cdef" }]);
    expect(await tavily()).toMatchObject({ state: { kind: "stored", variable: "TAVILY_API_KEY" } });
    expect(hasSearch()).toBe(true);
    expect(await presence("web_search")).toEqual({ kind: "registered" });
    expect(changes).toBeGreaterThan(0);
    const outcome = await runtime.tools.callTool(
      testCaller,
      "web_search",
      { query: "天气" },
      { signal: new AbortController().signal, holdMs: null },
    );
    expect(JSON.stringify(outcome)).toContain("sunny");
    await panel.rpc.call("secrets.remove", { name: "TAVILY_API_KEY" });
    expect(hasSearch()).toBe(false);
    await expect(panel.rpc.call("secrets.remove", { name: "TAVILY_API_KEY" })).rejects.toThrow(
      /No key is stored/,
    );
  });

  it("is tested with one small request, and the answer says what is wrong", async () => {
    expect(await panel.rpc.call("secrets.test", { service: "search.tavily" })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/has no key yet/),
    });
    await panel.rpc.call("secrets.set", { name: "TAVILY_API_KEY", value: "wrong-0123456789" });
    const refused = await panel.rpc.call("secrets.test", { service: "search.tavily" });
    expect(refused).toMatchObject({ ok: false, message: expect.stringMatching(/401.*key is wrong/s) });
    expect(refused.message).not.toContain("wrong-0123456789");
    await panel.rpc.call("secrets.set", { name: "TAVILY_API_KEY", value: key });
    expect(await panel.rpc.call("secrets.test", { service: "search.tavily" })).toMatchObject({ ok: true });
    await expect(panel.rpc.call("secrets.test", { service: "openai" })).rejects.toThrow(/no test for openai/);
  });

  it("stands in no command's environment, and only its name is on the record", async () => {
    await panel.rpc.call("secrets.set", { name: "TAVILY_API_KEY", value: key });
    const outcome = await runtime.tools.callTool(
      testCaller,
      "exec",
      { command: "env", host: "gateway" },
      { signal: new AbortController().signal, holdMs: 50 },
    );
    expect(JSON.stringify(outcome)).not.toContain(key);
    const { entries } = await panel.rpc.call("ledger.list", {});
    expect(entries.find(({ kind }) => kind === "secret.stored")).toMatchObject({
      data: { name: "TAVILY_API_KEY" },
    });
    expect(JSON.stringify(entries)).not.toContain(key);
    // Without a keyring the file holds it in the open, and the view says so.
    expect(await readFile(join(stateDir, "sallyport-secrets.json"), "utf8")).toContain(key);
    expect((await panel.rpc.call("secrets.list", {})).protection).toEqual({ kind: "file" });
  });
});
