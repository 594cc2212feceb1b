/** Connections to real servers: a toy that behaves and programs that do not, over every transport. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProcess } from "../exec/sessions/processTable.ts";
import { type Connection, connectServer } from "./connection.ts";
import { readDefinitions } from "./definitions.ts";
import { reasonOf } from "./problems.ts";
import type { StartPlan } from "./resolveSpec.ts";
import { toToolResult } from "./results.ts";
import { type HttpToyServer, startHttpToyServer } from "./testing/httpToyServer.ts";

const programs = join(dirname(fileURLToPath(import.meta.url)), "testing");
let dir: string;
let http: HttpToyServer;
const open: Connection[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sallyport-mcp-"));
  http = await startHttpToyServer();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.end()));
  await http.close();
  await rm(dir, { recursive: true, force: true });
});

function stdio(...args: string[]): StartPlan {
  const [script = "", ...rest] = args;
  const env = { PATH: process.env.PATH ?? "" };
  return { kind: "stdio", command: process.execPath, args: [join(programs, script), ...rest], env, cwd: dir };
}

function address(path: string, headers: Record<string, string> = {}): StartPlan {
  const transport =
    path.toLowerCase().includes("sse") || path === "/endlessEvent" ? "sse" : "streamable-http";
  return { kind: "http", transport, url: new URL(path, http.origin), headers };
}

async function connect(plan: StartPlan, timeoutMs = 20_000, onToolsChanged = () => {}): Promise<Connection> {
  const connection = await connectServer(plan, {
    version: "0",
    timeoutMs,
    signal: new AbortController().signal,
    onStderr: () => {},
    onToolsChanged,
  });
  open.push(connection);
  return connection;
}

/** @returns the code of the reason why a connection, or its list of tools, did not come about */
async function whyNot(plan: StartPlan, timeoutMs?: number): Promise<string> {
  try {
    const connection = await connect(plan, timeoutMs);
    await connection.listTools();
    return "ready";
  } catch (error) {
    return reasonOf(error).code;
  }
}

const never = () => new AbortController().signal;
const call = (connection: Connection, name: string, args: Record<string, unknown> = {}) =>
  connection.callTool(name, args, { signal: never(), onProgress: () => {} });

describe.each(["stdio", "/mcp", "/sse"])("a server over %s", (kind) => {
  const plan = () => (kind === "stdio" ? stdio("toyServer.mjs", dir) : address(kind));

  it("lists its tools and answers calls", async () => {
    const connection = await connect(plan());
    expect([connection.reportedName, connection.reportedVersion]).toEqual(["toy", "1.2.3"]);
    const { raw, isCut } = await connection.listTools();
    expect([raw.length, isCut]).toEqual([12, false]);
    expect(await call(connection, "echo", { text: "你好" })).toMatchObject({
      content: [{ type: "text", text: '{"text":"你好"}' }],
    });
    expect(await call(connection, "fail")).toMatchObject({ isError: true });
    await expect(call(connection, "broken")).rejects.toThrow("broken inside");
  });

  it("reports progress of a call", async () => {
    const connection = await connect(plan());
    const seen: number[] = [];
    await connection.callTool(
      "progress",
      {},
      { signal: never(), onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(seen).toEqual([1, 2, 3]);
  });

  it("closes on purpose without a reason", async () => {
    const connection = await connect(plan());
    await connection.end();
    expect(await connection.closed).toBeNull();
    await expect(call(connection, "echo")).rejects.toThrow();
  });
});

describe("a child process", () => {
  it("that ends during a call ends the call, and says how it ended", async () => {
    const connection = await connect(stdio("toyServer.mjs", dir));
    await expect(call(connection, "crash")).rejects.toMatchObject({
      data: { mcp: { code: "mcp.exited", params: { exitCode: 3 } } },
    });
    expect(await connection.closed).toEqual({ code: "mcp.exited", params: { exitCode: 3 } });
  });

  it("is refused everything that servers may ask of clients", async () => {
    const connection = await connect(stdio("toyServer.mjs", dir));
    const answer = toToolResult(await call(connection, "ask"), { server: "s", tool: "ask" });
    expect(JSON.stringify(answer.content)).toMatch(/refused -?\d+, refused -?\d+, refused -?\d+/);
  });

  it("is told of a call that nobody waits for any more, and the call ends though it does not answer", async () => {
    const connection = await connect(stdio("toyServer.mjs", dir));
    const controller = new AbortController();
    const slow = connection.callTool("slow", {}, { signal: controller.signal, onProgress: () => {} });
    await expect.poll(() => readFile(join(dir, "slow"), "utf8").catch(() => "")).not.toBe("");
    controller.abort(new Error("enough"));
    await expect(slow).rejects.toThrow("enough");
    await expect.poll(() => readFile(join(dir, "cancelled"), "utf8").catch(() => "")).not.toBe("");
  });

  it("leaves nothing behind, not even what left its session and does not end by itself", async () => {
    const connection = await connect(stdio("toyServer.mjs", dir));
    const answer = await call(connection, "child");
    const child = Number(/\d+/.exec(JSON.stringify(answer.content))?.[0]);
    expect(readProcess(child)).toBeDefined();
    const { pid } = connection;
    await connection.end();
    expect([pid, child].map((one) => readProcess(one ?? 0)?.isZombie ?? true)).toEqual([true, true]);
  });

  it.each([
    ["exit", "mcp.exited"],
    ["silent", "mcp.timeout"],
    ["hugeLine", "mcp.messageTooLarge"],
    ["badJson", "mcp.notMcp"],
    ["notification-flood", "mcp.flood"],
    ["blank-flood", "mcp.flood"],
    ["listDies", "mcp.exited"],
    ["hugeDescription", "mcp.messageTooLarge"],
    ["noList", "mcp.protocol"],
  ])("in the mode %s is given up: %s", async (mode, code) => {
    const timeoutMs = mode === "silent" ? 3000 : 20_000;
    const plan = stdio("hostileServer.mjs", mode, dir);
    const told = await whyNot(plan, timeoutMs);
    // A flood may begin behind the first answers.
    const isLate = told === "ready" && mode.endsWith("-flood");
    expect(isLate ? (await open.at(-1)?.closed)?.code : told).toBe(code);
    for (const connection of open.splice(0)) await connection.end();
    const pid = Number((await readFile(join(dir, "started"), "utf8")).trim());
    expect(readProcess(pid)?.isZombie ?? true).toBe(true);
  });

  it.each([
    ["hugeResult", "mcp.messageTooLarge"],
    ["dies", "mcp.exited"],
  ])("that answers a call with %s is given up: %s", async (mode, code) => {
    const connection = await connect(stdio("hostileServer.mjs", mode, dir));
    await expect(call(connection, "tool")).rejects.toMatchObject({ data: { mcp: { code } } });
    expect((await connection.closed)?.code).toBe(code);
  });

  it("that answers in another shape fails the call and goes on", async () => {
    const connection = await connect(stdio("hostileServer.mjs", "wrongResult", dir));
    await expect(call(connection, "tool")).rejects.toThrow();
    expect((await connection.listTools()).raw).toHaveLength(1);
  });

  it.each([
    ["endlessPages", 50, true],
    ["samePage", 2, true],
    ["manyTools", 500, true],
  ])("with %s gives a bounded list of %i tools", async (mode, count, cut) => {
    const connection = await connect(stdio("hostileServer.mjs", mode, dir));
    const { raw, isCut } = await connection.listTools();
    expect([raw.length, isCut]).toEqual([count, cut]);
  });

  it("with tricks in names and definitions offers only what can be understood", async () => {
    const connection = await connect(stdio("hostileServer.mjs", "names", dir));
    expect(connection.reportedName).toBe("hostile server");
    const { raw } = await connection.listTools();
    const { tools, leftOut } = readDefinitions(raw, {
      serverId: "srv",
      otherServerIds: [],
      reserved: new Set(["exec"]),
    });
    expect(tools.map((tool) => tool.name)).toEqual([
      "srv__exec",
      "srv____proto__",
      "srv__constructor",
      "srv__a-b-c",
      "srv__a-b-c-2",
      "srv__A-B-C-3",
      `srv__${"n".repeat(59)}`,
      "srv__good",
    ]);
    expect(tools[0]?.description).toBe("safe hidden text");
    expect(tools.at(-1)).toMatchObject({
      title: "Good name",
      inputSchema: { type: "object", description: "xy" },
    });
    expect(leftOut.map((one) => one.reason.code)).toEqual([
      "mcp.toolBadName",
      "mcp.toolBadName",
      "mcp.toolBadName",
      "mcp.toolBadDefinition",
      "mcp.toolBadDefinition",
      "mcp.toolBadDefinition",
      "mcp.toolListedTwice",
      "mcp.toolSchemaTooDeep",
      "mcp.toolSchemaTooLarge",
      "mcp.toolHiddenCharacters",
      "mcp.toolNeedsTask",
      "mcp.toolBadDefinition",
    ]);
  });

  it("with a description of two million characters shows its beginning", async () => {
    const connection = await connect(stdio("hostileServer.mjs", "bigDescription", dir));
    const { tools } = readDefinitions((await connection.listTools()).raw, {
      serverId: "s",
      otherServerIds: [],
      reserved: new Set(),
    });
    expect(tools[0]?.description.length).toBeLessThanOrEqual(2000);
  });

  it.each([
    ["no-such-program-of-anybody", "mcp.noProgram"],
    [".", "mcp.notExecutable"],
  ])("%s that cannot be started says so: %s", async (command, code) => {
    expect(await whyNot({ kind: "stdio", command, args: [], env: { PATH: "/bin" }, cwd: dir })).toBe(code);
  });
});

describe("an address", () => {
  it("gets its headers with every request", async () => {
    const connection = await connect(address("/mcp", { authorization: "Bearer of-the-entry" }));
    await connection.listTools();
    expect(new Set(http.authorizations)).toEqual(new Set(["Bearer of-the-entry"]));
  });

  it.each([
    ["/away", "mcp.redirect"],
    ["/denied", "mcp.httpStatus"],
    ["/missing", "mcp.httpStatus"],
    ["/endless", "mcp.messageTooLarge"],
    ["/endlessEvent", "mcp.messageTooLarge"],
  ])("%s is given up: %s", async (path, code) => {
    expect(await whyNot(address(path))).toBe(code);
  });

  it("that leads to another origin is not followed, and that one hears nothing", async () => {
    const other = await startHttpToyServer();
    const leading = await startHttpToyServer(`${other.origin}/`);
    const secret = { authorization: "Bearer secret" };
    for (const path of ["/away", "/elsewhereSse"]) {
      const plan: StartPlan = {
        kind: "http",
        transport: path === "/away" ? "streamable-http" : "sse",
        url: new URL(path, leading.origin),
        headers: secret,
      };
      expect(await whyNot(plan, 3000)).not.toBe("ready");
    }
    expect(other.authorizations).toEqual([]);
    await Promise.all([other.close(), leading.close()]);
  });

  it("where nobody listens says so", async () => {
    const gone = await startHttpToyServer();
    const plan: StartPlan = {
      kind: "http",
      transport: "sse",
      url: new URL("/sse", gone.origin),
      headers: {},
    };
    await gone.close();
    expect(await whyNot(plan, 3000)).toBe("mcp.refused");
    expect(await whyNot({ ...plan, transport: "streamable-http" }, 3000)).toBe("mcp.refused");
  });

  it("over HTTP that has forgotten the session is closed at the next call", async () => {
    const connection = await connect(address("/mcp"));
    http.drop();
    await expect(call(connection, "echo")).rejects.toThrow();
    expect((await connection.closed)?.code).toMatch(/^mcp\.(httpStatus|connect)$/);
  });

  it("over SSE whose stream ends is closed, so that a new session can begin", async () => {
    const connection = await connect(address("/sse"));
    http.drop();
    expect(await connection.closed).not.toBeNull();
  });
});
