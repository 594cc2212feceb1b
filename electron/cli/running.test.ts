/** Commands against a running headless Sallyport, with a real MCP client on the other side. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectGateway } from "../gateway/gatewayClient.ts";
import { type Headless, startHeadless } from "../headless/startHeadless.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
let headless: Headless;
const clients: Client[] = [];

const start = () =>
  startHeadless({
    env: cli.env,
    homeDir: cli.homeDir,
    port: 0,
    panelDir: null,
    version: "0.0.1",
    logger: silentLogger,
  });

beforeEach(async () => {
  cli = await createCliHarness();
  await mkdir(cli.stateDir, { recursive: true });
  await writeFile(
    path.join(cli.stateDir, "openclaw.json"),
    '{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }',
  );
  headless = await start();
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await headless.dispose();
  await cli.cleanUp();
});

/** An MCP client that a person has mapped to the agent `main`. */
async function mappedClient(): Promise<Client> {
  const { gateway, runtime } = headless;
  const { token, rpc } = await operator();
  const made = await rpc.call("clients.create", { name: "tester", agentId: "main" });
  rpc.close();
  expect(token).toBe(runtime.gatewaySettings().operatorToken);
  const client = new Client({ name: "tester", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${made.token}` } },
    }),
  );
  clients.push(client);
  return client;
}

async function operator() {
  const { operatorToken: token } = headless.runtime.gatewaySettings();
  const rpc = await connectGateway({
    address: "127.0.0.1",
    port: headless.gateway.port,
    token,
    version: "1",
  });
  return { rpc, token };
}

/** Starts `approvals watch`; gives its lines and a way to end it. */
function watch() {
  const controller = new AbortController();
  const lines: { event: string; request?: { id: string; digest: string; command: string } }[] = [];
  const done = cli.run(["approvals", "watch", "--json"], {
    signal: controller.signal,
    onStdout: (text) => {
      for (const line of text.split("\n").filter((each) => each !== "")) lines.push(JSON.parse(line));
    },
  });
  const attended = expect.poll(async () => {
    const { rpc } = await operator();
    const { operatorConnections } = await rpc.call("gateway.status", {});
    rpc.close();
    return operatorConnections;
  });
  return {
    lines,
    ready: () => attended.toBeGreaterThan(1),
    end: async () => {
      controller.abort();
      return done;
    },
    waiting: async () => {
      await expect.poll(() => lines.some((line) => line.event === "requested")).toBe(true);
      const request = lines.findLast((line) => line.event === "requested")?.request;
      if (request === undefined) throw new Error("no request");
      return request;
    },
  };
}

const textOf = (result: unknown) => JSON.stringify((result as CallToolResult).content);

describe("gateway", () => {
  it("says where it runs, and refuses a second instance on the same state directory", async () => {
    const status = await cli.run(["gateway", "status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      running: true,
      gateway: { port: headless.gateway.port },
    });
    const { stdout } = await cli.run(["gateway", "status"]);
    expect(stdout).toContain("security allowlist, ask on-miss");
    expect(stdout).toMatch(/^ {2}waiting {3}0 approvals\n {2}running {3}0 processes$/m);
    expect(stdout).toMatch(/^ {2}panels {4}0 open, 1 operator connection$/m);
    await expect(start()).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("already runs"),
      data: { alreadyRuns: true },
    });
    expect((await cli.run(["gateway", "status"])).code).toBe(0);
  });

  it("is found again after the operator token was changed in the config", async () => {
    await cli.run(["config", "set", "gateway.auth.token", "a-token-that-was-chosen-by-hand"]);
    await expect.poll(async () => (await cli.run(["gateway", "status", "--json"])).code).toBe(0);
    expect(headless.runtime.gatewaySettings().operatorToken).toBe("a-token-that-was-chosen-by-hand");
  });

  it("says that there is no panel, or that nothing runs", async () => {
    expect(await cli.run(["gateway", "panel-url"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("serves no panel"),
    });
    await headless.dispose();
    expect(await cli.run(["gateway", "status", "--json"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"running": false'),
    });
    headless = await start();
  });
});

describe("an agent asks, a person decides in a terminal", () => {
  it("allows once what was shown, and the agent gets the output", async () => {
    const client = await mappedClient();
    const watching = watch();
    await watching.ready();
    const call = client.callTool({ name: "exec", arguments: { command: "uname -s" } });
    const { id, digest } = await watching.waiting();

    const listed = await cli.run(["approvals", "pending"]);
    expect(listed.stdout).toContain("uname -s");
    const noTerminal = await cli.run(["approvals", "resolve", id, "allow-once"]);
    expect(noTerminal).toMatchObject({ code: 1, stderr: expect.stringContaining(`--digest ${digest}`) });
    const stale = await cli.run(["approvals", "resolve", id, "allow-once", "--digest", "0".repeat(64)]);
    expect(stale.code).toBe(1);
    const no = await cli.run(["approvals", "resolve", id, "allow-once"], { answers: ["no"] });
    expect(no).toMatchObject({ code: 1, stderr: expect.stringContaining("still waits") });
    const yes = await cli.run(["approvals", "resolve", id.slice(0, 8), "allow-once"], { answers: ["yes"] });
    expect(yes).toMatchObject({ code: 0, stdout: expect.stringContaining("allowed once by cli") });
    expect(yes.stderr).toMatch(/uname -s[\s\S]*sha256[\s\S]*digest/);
    expect(textOf(await call)).toContain("Linux");
    await expect.poll(() => watching.lines.at(-1)?.event).toBe("resolved");
    expect((await watching.end()).code).toBe(0);
  });

  it("denies with a note; the agent reads that nothing was executed", async () => {
    const client = await mappedClient();
    const watching = watch();
    await watching.ready();
    const call = client.callTool({ name: "exec", arguments: { command: "uname -s" } });
    const { id } = await watching.waiting();
    const denied = await cli.run([
      "approvals",
      "resolve",
      id,
      "deny",
      "--note",
      "use the report instead",
      "--json",
    ]);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      outcome: "denied",
      by: { kind: "person", principalId: "cli" },
    });
    const result = (await call) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("use the report instead");
    expect(textOf(result)).not.toContain("Linux");
    await watching.end();
  });

  it("always: the second call runs without a prompt", async () => {
    const client = await mappedClient();
    const watching = watch();
    await watching.ready();
    const call = client.callTool({ name: "exec", arguments: { command: "uname -s" } });
    const { id } = await watching.waiting();
    const allowed = await cli.run(["approvals", "resolve", id, "allow-always", "--yes"]);
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining("Stored ") });
    await call;
    expect(textOf(await client.callTool({ name: "exec", arguments: { command: "uname -s" } }))).toContain(
      "Linux",
    );
    expect(watching.lines.filter((line) => line.event === "requested")).toHaveLength(1);
    await watching.end();
  });

  it("an answer after the hold is fetched with approval_wait", async () => {
    await writeFile(path.join(cli.stateDir, "sallyport.json5"), "{ approvals: { holdMs: 300 } }");
    await expect.poll(() => headless.runtime.gatewaySettings().holdMs).toBe(300);
    const client = await mappedClient();
    const watching = watch();
    await watching.ready();
    const pending = (await client.callTool({
      name: "exec",
      arguments: { command: "uname -s" },
    })) as CallToolResult;
    expect(pending.structuredContent).toMatchObject({ status: "approval-pending", command: "uname -s" });
    const approvalId = String(pending.structuredContent?.approvalId);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("approval_wait");
    await cli.run(["approvals", "resolve", approvalId, "allow-once", "--yes"]);
    const args = { name: "approval_wait", arguments: { approvalId, waitMs: 10_000 } };
    expect(textOf(await client.callTool(args))).toContain("Linux");
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain("approval_wait");
    await expect(client.callTool(args)).rejects.toThrow("Unknown tool: approval_wait");
    await watching.end();
  });

  it("without a person who can be reached the command is refused, and says why", async () => {
    const client = await mappedClient();
    const result = (await client.callTool({
      name: "exec",
      arguments: { command: "uname -s" },
    })) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(textOf(result)).not.toContain("Linux");
  });

  it("the two gates refuse differently: a hidden tool does not exist, a refused command says so", async () => {
    const client = await mappedClient();
    await cli.run(["config", "set", "tools.deny", '["process"]']);
    await expect
      .poll(async () => (await client.listTools()).tools.map((tool) => tool.name))
      .not.toContain("process");
    const hidden = await client
      .callTool({ name: "process", arguments: {} })
      .catch((error: Error) => error.message);
    expect(hidden).toBe("MCP error -32602: Unknown tool: process");
    await cli.run(["config", "set", "tools.exec.security", "deny"]);
    await expect
      .poll(async () => textOf(await client.callTool({ name: "exec", arguments: { command: "uname -s" } })))
      .toMatch(/security/);
    expect((await cli.run(["tools", "explain", "process", "--client", "tester"])).stdout).toMatch(
      /gate one[\s\S]*tools\.deny/,
    );
    expect((await cli.run(["exec", "explain", "uname -s"])).stdout).toContain("It would be refused.");
  });
});

it("runs the script of Try it to its end, through the same prompts", async () => {
  const { rpc } = await operator();
  await rpc.call("approvals.attend", {});
  const runs: { steps: { step: string; state: string; detail: string }[]; isRunning: boolean }[] = [];
  rpc.on("tryout.changed", (event) => {
    runs.push(event);
  });
  const decided = new Set<string>();
  rpc.on("approvals.changed", ({ pending }) => {
    for (const { id, digest } of pending) {
      if (decided.has(id)) continue;
      decided.add(id);
      void rpc.call("approvals.resolve", { id, digest, decision: "allow-once" });
    }
  });
  await rpc.call("tryout.start", {});
  await expect.poll(() => runs.at(-1)?.isRunning, { timeout: 25_000 }).toBe(false);
  const steps = runs.at(-1)?.steps ?? [];
  expect(steps.map((step) => `${step.step} ${step.state}`)).toEqual([
    "listTools done",
    "askCommand done",
    "startProcess done",
    "hiddenTool done",
    "cleanUp done",
  ]);
  expect(steps[3]?.detail).toContain("Unknown tool: gateway");
  rpc.close();
});
