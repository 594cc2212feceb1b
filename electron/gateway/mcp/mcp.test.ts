import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../runtime/logging/logger.ts";
import { createGateway, type Gateway } from "../createGateway.ts";
import { createFakeRuntime, type FakeRuntime, fixtureListing } from "../testing/fakeRuntime.ts";
import { createProgressReporter } from "./progress.ts";

let runtime: FakeRuntime;
let gateway: Gateway;
const clients: Client[] = [];

beforeEach(async () => {
  runtime = createFakeRuntime();
  gateway = await createGateway({
    runtime,
    panelDir: null,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await gateway.close();
});

async function connect(
  token = "client-token-a",
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: "test-client", version: "9" }, { taskStore: new InMemoryTaskStore() });
  await client.connect(transport);
  clients.push(client);
  return { client, transport };
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

function post(body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(`${gateway.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

describe("who may come in", () => {
  it.each([
    ["no token", {}],
    ["an unknown token", { authorization: "Bearer nonsense" }],
    ["another scheme", { authorization: "Basic Y2xpZW50LXRva2VuLWE=" }],
    ["the token in the wrong header", { "x-token": "client-token-a" }],
  ])("answers 401 with a sentence to a request with %s", async (_name, headers) => {
    const answer = await post(initialize, headers as Record<string, string>);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringMatching(/panel under Clients/) },
    });
  });

  it("refuses a page of another origin even with the right token", async () => {
    const answer = await post(initialize, {
      authorization: "Bearer client-token-a",
      origin: "http://evil.example",
    });
    expect(answer.status).toBe(403);
  });

  it("does not let one client into another's session", async () => {
    runtime.tokens.set("client-token-b", "b");
    const { transport } = await connect();
    const headers = { authorization: "Bearer client-token-b", "mcp-session-id": String(transport.sessionId) };
    expect((await post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, headers)).status).toBe(404);
  });

  it("ends the sessions of a revoked client", async () => {
    const { client } = await connect();
    runtime.revoke("a");
    await expect(client.listTools()).rejects.toThrow();
    expect(runtime.connectedClients).toEqual([]);
  });

  it("refuses requests without a session and bodies that are no JSON-RPC", async () => {
    const headers = { authorization: "Bearer client-token-a" };
    expect((await post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, headers)).status).toBe(400);
    expect((await post([1, 2], headers)).status).toBe(400);
    expect((await post({ x: "y".repeat(5_000_000) }, headers)).status).toBe(413);
  });
});

describe("tools", () => {
  it("lists exactly the tools of the caller, with their prompt lines as instructions", async () => {
    runtime.visible.set("read", fixtureListing("read"));
    const { client } = await connect();
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["echo", "read"]);
    expect(client.getInstructions()).toBe("echo: a fixture\nread: a fixture");
    expect(runtime.connectedClients).toEqual([{ clientId: "a", name: "test-client" }]);
  });

  it("answers for a hidden tool exactly as for one that never was", async () => {
    const { client } = await connect();
    const messageFor = (name: string) =>
      client.callTool({ name }).then(
        () => "no error",
        (error: { code: number; message: string }) => `${error.code} ${error.message}`,
      );
    expect(await messageFor("exec")).toBe("-32602 MCP error -32602: Unknown tool: exec");
    expect((await messageFor("never")).replace("never", "exec")).toBe(await messageFor("exec"));
    expect(await messageFor("approval_wait")).toBe("-32602 MCP error -32602: Unknown tool: approval_wait");
    expect(await messageFor("__proto__")).toBe("-32602 MCP error -32602: Unknown tool: __proto__");
  });

  it("gives content and structured details of a result", async () => {
    const { client } = await connect();
    expect(await client.callTool({ name: "echo", arguments: { a: 1 } })).toMatchObject({
      content: [{ type: "text", text: 'echo {"a":1}' }],
      structuredContent: { got: { a: 1 } },
      isError: false,
    });
  });

  it("marks a refused command as an error that says it was not executed", async () => {
    runtime.onCall = async () => ({
      kind: "refused",
      toolCallId: "c",
      text: "not executed: a person denied it",
      details: { reason: "denied" },
    });
    const { client } = await connect();
    expect(await client.callTool({ name: "echo" })).toMatchObject({
      isError: true,
      content: [{ text: "not executed: a person denied it" }],
      structuredContent: { status: "not-executed", reason: "denied" },
    });
  });

  it("lists what is wrong with invalid arguments", async () => {
    runtime.onCall = async () => ({
      kind: "invalid",
      tool: "echo",
      issues: [{ path: "timeoutMs", message: "expected number" }],
    });
    const { client } = await connect();
    const answer = await client.callTool({ name: "echo" });
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain("timeoutMs: expected number");
  });

  it("hides the text of an unexpected failure", async () => {
    runtime.onCall = async () => {
      throw new Error("password is hunter2");
    };
    const { client } = await connect();
    const error = await client.callTool({ name: "echo" }).catch((thrown: Error) => thrown.message);
    expect(error).toMatch(/failed inside Sallyport/);
    expect(error).not.toContain("hunter2");
  });

  it("tells the client when its list changes, and only then", async () => {
    const { client } = await connect();
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    runtime.visible.set("late", fixtureListing("late"));
    // The stream for such news opens after the handshake: say it until it is heard.
    await expect
      .poll(() => {
        runtime.listChanged("agent:main:mcp:a");
        return changes;
      })
      .toBeGreaterThan(0);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("late");
    const heard = changes;
    runtime.listChanged("agent:main:mcp:someone-else");
    await client.ping();
    expect(changes).toBe(heard);
  });

  it("passes cancellation on to the call", async () => {
    const aborted = new Promise<void>((resolve) => {
      runtime.onCall = (_caller, _tool, _args, { signal }) =>
        new Promise((done) => {
          signal.addEventListener("abort", () => {
            resolve();
            done({ kind: "cancelled", toolCallId: "c" });
          });
          started();
        });
    });
    let started = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const { client } = await connect();
    const controller = new AbortController();
    const call = client.callTool({ name: "echo" }, undefined, { signal: controller.signal });
    await running;
    controller.abort("no longer needed");
    await expect(call).rejects.toThrow();
    await aborted;
  });

  it("reports progress to a client that asked for it", async () => {
    runtime.onCall = async (_caller, _tool, _args, options) => {
      options.onProgress?.("waiting for a person");
      options.onProgress?.("waiting for a person");
      options.onProgress?.("running");
      return { kind: "result", toolCallId: "c", content: [], isError: false };
    };
    const { client } = await connect();
    const seen: (string | undefined)[] = [];
    await client.callTool({ name: "echo" }, undefined, {
      onprogress: ({ progress, message }) => seen.push(`${progress} ${message}`),
    });
    expect(seen).toEqual(["1 waiting for a person", "2 running"]);
  });

  it("repeats the last progress while nothing changes", async () => {
    const seen: string[] = [];
    const reporter = createProgressReporter((progress, message) => seen.push(`${progress} ${message}`), {
      repeatMs: 5,
    });
    reporter.report("waiting");
    await expect.poll(() => seen.length).toBeGreaterThan(2);
    reporter.stop();
    expect(seen.slice(0, 3)).toEqual(["1 waiting", "2 waiting", "3 waiting"]);
  });
});

describe("waiting for a person", () => {
  beforeEach(() => {
    runtime.onCall = async () => {
      runtime.openApprovals.add("agent:main:mcp:a");
      return {
        kind: "pending",
        toolCallId: "c",
        approvalId: "abcdef0123456789",
        command: "rm -r build",
        expiresAtMs: 1_900_000_000_000,
      };
    };
  });

  it("answers approval-pending after the hold, and approval_wait gives the output to a client that came back", async () => {
    const first = await connect();
    expect(await first.client.callTool({ name: "echo" })).toMatchObject({
      structuredContent: {
        status: "approval-pending",
        approvalId: "abcdef0123456789",
        approvalSlug: "abcdef01",
        command: "rm -r build",
      },
    });
    await first.client.close();

    const { client } = await connect();
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["echo", "approval_wait"]);
    const waits: (number | null)[] = [];
    runtime.onWait = async (_caller, approvalId, { holdMs }) => {
      waits.push(holdMs);
      return {
        kind: "result",
        toolCallId: "c",
        content: [{ type: "text", text: `ran ${approvalId}` }],
        isError: false,
      };
    };
    const wait = (args: Record<string, unknown>) =>
      client.callTool({ name: "approval_wait", arguments: args });
    expect(await wait({ approvalId: "abcdef0123456789" })).toMatchObject({
      content: [{ text: "ran abcdef0123456789" }],
    });
    await wait({ approvalId: "abcdef0123456789", waitMs: 5 });
    expect(waits).toEqual([200, 5]);
    expect(await wait({ waitMs: -1 })).toMatchObject({
      isError: true,
      structuredContent: { status: "invalid" },
    });
  });

  it("runs as a task for a client that supports tasks, without the hold", async () => {
    let answer = () => {};
    runtime.onCall = (_caller, _tool, _args, { holdMs, onProgress }) =>
      new Promise((resolve) => {
        expect(holdMs).toBeNull();
        onProgress?.("waiting for a person");
        answer = () =>
          resolve({
            kind: "result",
            toolCallId: "c",
            content: [{ type: "text", text: "done" }],
            isError: false,
          });
      });
    const { client } = await connect();
    await client.listTools();
    const states: string[] = [];
    const stream = client.experimental.tasks.callToolStream(
      { name: "echo", arguments: {} },
      CallToolResultSchema,
      {
        task: { ttl: 60_000 },
      },
    );
    for await (const message of stream) {
      states.push(message.type);
      if (message.type === "taskStatus" && message.task.statusMessage === "waiting for a person") answer();
      if (message.type === "result") expect(message.result).toMatchObject({ content: [{ text: "done" }] });
      if (message.type === "error") throw message.error;
    }
    expect(states[0]).toBe("taskCreated");
    expect(states.at(-1)).toBe("result");
  });

  it("keeps no more than 256 tasks of a session, and none for ever", async () => {
    runtime.onCall = () => Promise.resolve({ kind: "result", toolCallId: "c", content: [], isError: false });
    const { client } = await connect();
    await client.listTools();
    const create = (ttl: number) =>
      client.request(
        { method: "tools/call", params: { name: "echo", arguments: {}, task: { ttl } } },
        CreateTaskResultSchema,
      );
    const first = await create(0);
    expect(first.task.ttl).toBe(1000);
    const results = await Promise.allSettled(Array.from({ length: 270 }, () => create(60_000)));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(String(refused[0]?.reason)).toContain("256 tasks");
  });

  it("cancels the call when its task is cancelled", async () => {
    const aborted = new Promise<void>((resolve) => {
      runtime.onCall = (_caller, _tool, _args, { signal }) =>
        new Promise((done) => {
          signal.addEventListener("abort", () => {
            resolve();
            done({ kind: "cancelled", toolCallId: "c" });
          });
        });
    });
    const { client } = await connect();
    await client.listTools();
    for await (const message of client.experimental.tasks.callToolStream(
      { name: "echo", arguments: {} },
      CallToolResultSchema,
      { task: {} },
    )) {
      if (message.type !== "taskCreated") continue;
      await client.experimental.tasks.cancelTask(message.task.taskId);
      break;
    }
    await aborted;
  });

  it("answers a hidden tool asked for as a task like any unknown tool", async () => {
    const { client } = await connect();
    const stream = client.experimental.tasks.callToolStream(
      { name: "exec", arguments: {} },
      CallToolResultSchema,
      {
        task: {},
      },
    );
    for await (const message of stream) {
      if (message.type === "error") expect(message.error.message).toContain("Unknown tool: exec");
      else expect(message.type).toBe("error");
    }
  });
});
