/** Servers in a running runtime: who may start them, and what is left of them at the end. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readProcess } from "../exec/sessions/processTable.ts";
import type { CallOutcome } from "../runtimeTypes.ts";
import { connectTo, createTestRuntime, testCaller, testPanel } from "../testing/testRuntime.ts";
import { startHttpToyServer } from "./testing/httpToyServer.ts";
import { createToyDesk, type ToyDesk } from "./testing/toyDesk.ts";

let desk: ToyDesk;
beforeEach(async () => {
  desk = await createToyDesk();
});
afterEach(() => desk.dispose());

const isGone = (pid: number | undefined) => readProcess(pid ?? 0)?.isZombie ?? true;
const listed = (on = desk) =>
  on.runtime.tools
    .listTools(testCaller)
    .tools.map((tool) => tool.name)
    .filter((name) => name.startsWith("toy__"));

function call(
  tool: string,
  args: Record<string, unknown> = {},
  signal = new AbortController().signal,
): Promise<CallOutcome> {
  return desk.runtime.tools.callTool(testCaller, tool, args, { signal, holdMs: null });
}

const recorded = async () => {
  const { entries } = await desk.panel.rpc.call("ledger.list", { limit: 200 });
  return entries
    .toReversed()
    .map((entry) => entry.kind)
    .filter((kind) => kind.startsWith("mcpServer."));
};

describe("a server of the config", () => {
  it("is not started before a person confirmed exactly its entry, and is on record then", async () => {
    expect((await desk.server()).state).toEqual({ kind: "unconfirmed", isChanged: false });
    await expect(
      desk.panel.rpc.call("mcpServers.confirm", { name: "toy", digest: "0".repeat(64) }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT", data: { reason: "MCP_SERVER_STALE" } });
    expect(desk.started()).toEqual([]);
    const ready = await desk.ready();
    expect(desk.started()).toEqual([ready.state.kind === "ready" ? ready.state.pid : null]);
    expect(ready).toMatchObject({ id: "toy", transport: "stdio", envNames: [], log: "toy server up\n" });
    expect(ready.target).toContain("toyServer.mjs");
    expect(ready.tools.find((tool) => tool.remoteName === "echo")).toMatchObject({
      name: "toy__echo",
      title: "Echo",
      allowedFor: [],
      isChanged: false,
    });
    expect(await recorded()).toEqual(["mcpServer.confirmed", "mcpServer.started", "mcpServer.ready"]);
    const text = readFileSync(join(desk.stateDir, "sallyport.json5"), "utf8");
    expect(text).toContain(ready.digest);
  });

  it("is confirmed by nobody but a surface where a person decides", async () => {
    const window = connectTo(
      desk.runtime,
      { ...testPanel, id: "panel:other", approvalSurface: false },
      "other",
    );
    const { digest } = await desk.server();
    await expect(window.rpc.call("mcpServers.confirm", { name: "toy", digest })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    window.close();
    expect(desk.started()).toEqual([]);
  });

  it("is ended when its entry changes, and asks again, although only a secret is another", async () => {
    await desk.configure({ mcp: { servers: { toy: desk.toy({ env: { KEY: "one" } }) } } });
    await desk.ready();
    const [pid] = desk.started();
    await desk.configure({ mcp: { servers: { toy: desk.toy({ env: { KEY: "two" } }) } } });
    expect((await desk.server()).state).toEqual({ kind: "unconfirmed", isChanged: true });
    expect(listed()).toEqual([]);
    await vi.waitFor(() => expect(isGone(pid)).toBe(true), { timeout: 20_000 });
    expect(desk.started()).toEqual([pid]);
    // The entry of before is still confirmed.
    await desk.configure({ mcp: { servers: { toy: desk.toy({ env: { KEY: "one" } }) } } });
    await desk.becomes("ready");
    expect(desk.started()).toHaveLength(2);
  });

  it("goes on when something else in the file changes, and ends when it is taken out", async () => {
    await desk.ready();
    const [pid] = desk.started();
    await desk.configure({
      tools: { profile: "coding" },
      mcp: { servers: { other: { command: "x" }, toy: desk.toy() } },
    });
    expect((await desk.server()).state.kind).toBe("ready");
    await desk.configure({});
    await vi.waitFor(() => expect(isGone(pid)).toBe(true), { timeout: 20_000 });
    expect(desk.started()).toEqual([pid]);
  });

  it("is stopped, started again and taken back by a person", async () => {
    await desk.ready();
    await desk.panel.rpc.call("mcpServers.stop", { name: "toy" });
    expect((await desk.server()).state.kind).toBe("stopped");
    expect(desk.started().every(isGone)).toBe(true);
    await desk.panel.rpc.call("mcpServers.restart", { name: "toy" });
    await desk.becomes("ready");
    const withdrawn = await desk.panel.rpc.call("mcpServers.withdraw", { name: "toy" });
    expect(withdrawn.state).toEqual({ kind: "unconfirmed", isChanged: false });
    expect(desk.started().every(isGone)).toBe(true);
    await expect(desk.panel.rpc.call("mcpServers.restart", { name: "toy" })).rejects.toThrow("not confirmed");
    await expect(desk.panel.rpc.call("mcpServers.stop", { name: "none" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("that crashes is started again, and policy says meanwhile why its tools are not there", async () => {
    await desk.ready();
    const crash = call("toy__crash");
    await desk.decide("allow-once");
    expect(await crash).toMatchObject({ kind: "result", isError: true });
    const failed = await desk.becomes("failed");
    expect(failed.state).toMatchObject({ reason: { code: "mcp.exited", params: { exitCode: 3 } } });
    expect(listed()).toEqual([]);
    expect(await call("toy__echo")).toEqual({ kind: "unknownTool", tool: "toy__echo" });
    const { calls } = await desk.panel.rpc.call("calls.list", { limit: 1 });
    expect(calls[0]?.state).toMatchObject({
      kind: "hidden",
      reason: { code: "absent", params: { why: "mcp-server-down" } },
    });
    await desk.becomes("ready");
    expect(listed()).toContain("toy__echo");
    expect(desk.started()).toHaveLength(2);
  });

  it.each(["changesBefore", "changesAfter"])(
    "that changes its tools while they are listed for the first time is listed again: %s",
    async (mode) => {
      await desk.configure({ mcp: { servers: { toy: desk.hostile(mode) } } });
      await desk.ready();
      await vi.waitFor(
        async () => expect((await desk.server()).tools.map((tool) => tool.remoteName)).toEqual(["second"]),
        { timeout: 20_000 },
      );
    },
  );

  it("whose secrets come from a program asks again when that program is another", async () => {
    const withCommand = (command: string) => ({
      secrets: { providers: { vault: { source: "exec", command } } },
      mcp: { servers: { toy: desk.toy({ env: { KEY: { source: "exec", provider: "vault", id: "key" } } }) } },
    });
    await desk.configure(withCommand("/bin/false"));
    await desk.confirm();
    await desk.becomes("failed");
    await desk.configure(withCommand("/bin/true"));
    expect((await desk.server()).state).toEqual({ kind: "unconfirmed", isChanged: true });
  });

  it("that cannot be started says why, and is tried again later and later", async () => {
    await desk.configure({ mcp: { servers: { toy: desk.hostile("exit") } } });
    await desk.confirm();
    const failed = await desk.becomes("failed");
    expect(failed.state).toMatchObject({ reason: { code: "mcp.exited", params: { exitCode: 7 } } });
    // What it wrote is there without what a terminal would act on.
    expect(failed.log).toBe("cannot [31mwork[0m here\n");
    const retryIn = async () => {
      const { entries } = await desk.panel.rpc.call("ledger.list", { limit: 200 });
      return entries
        .flatMap(({ kind, data }) => (kind === "mcpServer.failed" ? [data.retryInMs] : []))
        .toReversed();
    };
    await vi.waitFor(async () => expect((await retryIn()).slice(0, 2)).toEqual([1000, 2000]), {
      timeout: 20_000,
    });
  });

  it("gets none of the desk's variables, and cannot pass for a person's program", async () => {
    await desk.dispose();
    desk = await createToyDesk({
      settings: { hardening: { rules: { "mcp.callsAsk": false } } },
      config: ({ toy }) => ({ mcp: { servers: { toy: toy({ env: { MINE: "m" }, cwd: "/" }) } } }),
    });
    await desk.ready();
    const answer = JSON.stringify(await call("toy__env"));
    expect(answer).toContain("SALLYPORT_EXEC_ID");
    expect(answer).toMatch(/MINE/);
    expect(answer).toMatch(/cwd[\\":]+\/[\\"]/);
    expect(answer).not.toMatch(/OPENCLAW|VITEST|npm_/);
  });

  it("is only looked at by a command of the terminal", async () => {
    await desk.ready();
    await desk.dispose();
    const again = await createToyDesk({
      settings: { hardening: { preset: "reference" } },
      config: ({ toy }) => ({ mcp: { servers: { toy: toy({ connectionTimeoutMs: 1 }) } } }),
    });
    await again.runtime.dispose();
    const looking = await createTestRuntime(again.stateDir, { startsServers: false });
    const panel = connectTo(looking);
    const before = again.started().length;
    expect((await panel.rpc.call("mcpServers.list", {})).servers[0]?.state.kind).toBe("stopped");
    expect(again.started()).toHaveLength(before);
    panel.close();
    await looking.dispose();
    desk = again;
  });

  it("that never answers holds up neither the app nor its end", async () => {
    await desk.configure({ mcp: { servers: { toy: desk.hostile("silent") } } });
    await desk.confirm();
    await vi.waitFor(() => expect(desk.started()).toHaveLength(1), { timeout: 20_000 });
    expect((await desk.server()).state.kind).toBe("starting");
    await desk.panel.rpc.call("mcpServers.stop", { name: "toy" });
    expect((await desk.server()).state.kind).toBe("stopped");
    expect(desk.started().every(isGone)).toBe(true);
  });

  it("is told of to whoever watches", async () => {
    const states = new Set<string>();
    const off = desk.panel.rpc.on("mcpServers.changed", ({ servers }) => {
      for (const { name, state } of servers) states.add(`${name} ${state.kind}`);
    });
    await desk.ready();
    await vi.waitFor(() => expect(states).toContain("toy ready"), { timeout: 20_000 });
    await desk.panel.rpc.call("mcpServers.stop", { name: "toy" });
    await vi.waitFor(() => expect(states).toContain("toy stopped"), { timeout: 20_000 });
    off();
  });

  it("starts straight from the config where the rule is off, and words about tools end with its entry", async () => {
    await desk.dispose();
    desk = await createToyDesk({ settings: { hardening: { rules: { "mcp.confirmStart": false } } } });
    await desk.becomes("ready");
    const first = call("toy__echo");
    await desk.decide("allow-always");
    await first;
    expect((await desk.server()).tools[0]?.allowedFor).toEqual(["main"]);
    // Another program under the same name, with the same definitions.
    await desk.configure({ mcp: { servers: { toy: desk.toy({ env: { OTHER: "1" } }) } } });
    await vi.waitFor(async () => expect(desk.started()).toHaveLength(2), { timeout: 20_000 });
    await desk.becomes("ready");
    expect((await desk.server()).tools[0]).toMatchObject({ allowedFor: [], isChanged: true });
    const second = call("toy__echo");
    expect((await desk.decide("deny")).askedBecause[0]?.code).toBe("mcp.callChanged");
    expect((await second).kind).toBe("refused");
  });

  it("over an address works as well", async () => {
    const http = await startHttpToyServer();
    await desk.configure({
      mcp: {
        servers: {
          toy: {
            url: `${http.origin}/mcp`,
            transport: "streamable-http",
            headers: { Authorization: "Bearer x" },
          },
        },
      },
    });
    const ready = await desk.ready();
    expect(ready).toMatchObject({
      transport: "streamable-http",
      headerNames: ["Authorization"],
      state: { pid: null },
    });
    const echo = call("toy__echo", { text: "far" });
    await desk.decide("allow-once");
    expect(JSON.stringify(await echo)).toContain("far");
    await http.close();
  });
});

describe("at the end", () => {
  it("no process of a server is left, not even one that does not want to end", async () => {
    await desk.configure({ mcp: { servers: { toy: desk.toy(), hard: desk.hostile("stubborn") } } });
    await desk.ready();
    await desk.ready("hard");
    const child = call("toy__child");
    await desk.decide("allow-once");
    const pids = [...desk.started(), Number(/---\\n(\d+)/.exec(JSON.stringify(await child))?.[1])];
    expect(pids.map(isGone)).toEqual([false, false, false]);
    await desk.runtime.dispose();
    expect(pids.map(isGone)).toEqual([true, true, true]);
  });
});

describe("the official example server", () => {
  it("brings its tools, and they answer", async () => {
    const program = fileURLToPath(
      import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
    );
    await desk.configure({
      mcp: { servers: { every: { command: process.execPath, args: [program, "stdio"] } } },
    });
    const ready = await desk.ready("every");
    const names = ready.tools.map((tool) => tool.name);
    expect(names).toContain("every__echo");
    expect(names.length + ready.leftOut.length).toBeGreaterThan(5);
    const echo = call("every__echo", { message: "through both gates" });
    await desk.decide("allow-once");
    expect(JSON.stringify(await echo)).toContain("through both gates");
  });
});
