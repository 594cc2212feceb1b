/** The built programs as a person and an MCP client start them: processes, signals, exit codes, stdio. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { nodeTarget } from "../dev/build/targets.mjs";
import { connectGateway } from "../gateway/gatewayClient.ts";
import { isAlive, readGatewayFile } from "../runtime/storage/index.ts";

const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
let outDir: string;
let homeDir: string;
let stateDir: string;
let env: Record<string, string>;
const children: ChildProcess[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  // Below the project, so that the native modules are found.
  await mkdir(path.join(rootDir, "node_modules/.cache"), { recursive: true });
  outDir = await mkdtemp(path.join(rootDir, "node_modules/.cache/sallyport-programs-"));
  const target = nodeTarget(rootDir, outDir);
  if (target === null) throw new Error("nothing to build");
  const input = {
    headless: path.join(rootDir, "electron/headless/index.ts"),
    cli: path.join(rootDir, "electron/cli/index.ts"),
  };
  const rolldownOptions = { ...target.build?.rolldownOptions, input };
  await build({ ...target, build: { ...target.build, rolldownOptions } });
  await mkdir(path.join(outDir, "renderer"));
  await writeFile(path.join(outDir, "renderer/index.html"), "<!doctype html><title>Sallyport</title>");
}, 120_000);

afterAll(() => rm(outDir, { recursive: true, force: true }));

beforeEach(async () => {
  homeDir = await mkdtemp(path.join(os.tmpdir(), "sallyport-programs-"));
  stateDir = path.join(homeDir, ".openclaw");
  const binDir = path.join(homeDir, "bin");
  await mkdir(binDir);
  await writeFile(
    path.join(binDir, "sallyport"),
    `#!/bin/sh\nexec '${process.execPath}' '${path.join(outDir, "cli/index.js")}' "$@"\n`,
    { mode: 0o755 },
  );
  env = {
    PATH: `${binDir}:${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: homeDir,
    OPENCLAW_GATEWAY_PORT: "0",
  };
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await endApp();
  await rm(homeDir, { recursive: true, force: true });
});

/** Ends the app that a bridge left running in the background. */
async function endApp(): Promise<void> {
  const state = await readGatewayFile(path.join(stateDir, "sallyport-gateway.json"));
  if (state.kind !== "running") return;
  process.kill(state.info.pid, "SIGTERM");
  await expect.poll(() => isAlive(state.info.pid), { timeout: 15_000 }).toBe(false);
}

function run(
  command: string,
  args: string[],
  more: { env?: Record<string, string> } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { env: { ...env, ...more.env }, cwd: homeDir }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

const sallyport = (...args: string[]) => run("sallyport", args);

async function startHeadless(args: string[] = []) {
  const child = spawn(process.execPath, [path.join(outDir, "headless/index.js"), "--json", ...args], {
    env,
    cwd: homeDir,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return {
    child,
    ready: JSON.parse(text) as {
      port: number;
      url: string;
      panelUrl: string | null;
      mcpUrl: string;
      pid: number;
    },
  };
}

async function bridge(name = "stdio"): Promise<Client> {
  const transport = new StdioClientTransport({
    command: path.join(homeDir, "bin/sallyport"),
    args: ["mcp", "--client", name],
    env,
    cwd: homeDir,
    stderr: "pipe",
  });
  const client = new Client({ name: "through-stdio", version: "1" });
  await client.connect(transport);
  clients.push(client);
  return client;
}

it("runs headless, opens the panel once, refuses a second instance, and ends on a signal", async () => {
  const { child, ready } = await startHeadless();
  expect(await (await fetch(`${ready.url}/health`)).json()).toEqual({ ok: true, status: "live" });
  expect((await fetch(String(ready.panelUrl), { redirect: "manual" })).status).toBe(303);
  const again = await sallyport("gateway", "panel-url");
  expect((await fetch(again.stdout.trim(), { redirect: "manual" })).status).toBe(303);

  const second = await run(process.execPath, [path.join(outDir, "headless/index.js")]);
  expect(second).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/^sallyport: .*already runs/),
  });

  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect((await sallyport("gateway", "status")).code).toBe(1);
});

it("names a taken port and leaves nothing behind", async () => {
  const other = net.createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as net.AddressInfo;
  const taken = await sallyport("gateway", "run", "--port", String(port));
  const forScripts = await sallyport("gateway", "run", "--json", "--port", String(port));
  other.close();
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Starting Sallyport [^]*Port ${port}`)),
  });
  expect(forScripts).toMatchObject({ code: 1, stderr: expect.stringMatching(/^sallyport: Port /) });
  // The state directory is free again.
  await startHeadless();
});

it("the stdio bridge starts the app, and a new client sees only what minimal names until it is mapped", async () => {
  const [client, other] = await Promise.all([bridge("fresh"), bridge("other")]);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["session_status"]);
  await expect(client.callTool({ name: "exec", arguments: { command: "uname" } })).rejects.toThrow(
    "Unknown tool: exec",
  );
  expect((await other.listTools()).tools).toHaveLength(1);
  const hidden = await sallyport("tools", "list", "--client", "fresh");
  expect(hidden).toMatchObject({ code: 1, stderr: expect.stringContaining("not mapped") });
  const token = await readFile(path.join(stateDir, "sallyport-mcp-fresh.token"), "utf8");
  expect(token.trim().length).toBeGreaterThan(20);
});

it("the stdio bridge outlives a restart of the app", async () => {
  const client = await bridge();
  expect((await client.listTools()).tools).toHaveLength(1);
  await endApp();
  const { ready } = await startHeadless();
  expect((await client.listTools()).tools).toHaveLength(1);
  expect(JSON.parse((await sallyport("gateway", "status", "--json")).stdout).gateway).toMatchObject({
    pid: ready.pid,
    mcpSessions: 1,
  });
});

it("the stdio bridge writes nothing but the protocol, and ends with its input", async () => {
  await startHeadless();
  const child = spawn("sallyport", ["mcp"], { env, cwd: homeDir, stdio: ["pipe", "pipe", "pipe"] });
  children.push(child);
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } } })}\n`,
  );
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  await expect.poll(() => stdout, { timeout: 15_000 }).toContain('"serverInfo"');
  child.stdin.end();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

it("the custom tool of the try-it works as written, and both gates can be seen refusing", async () => {
  const script = [
    "set -e",
    "mkdir -p ~/.openclaw/workspace/tools",
    "cat > ~/.openclaw/workspace/tools/disk-usage.sh << 'EOF'",
    "#!/bin/bash",
    'TARGET="$' + '{1:-/}"',
    'echo "=== Disk Usage Report ==="',
    'echo "Target: $TARGET"',
    'df -h "$TARGET" | tail -1 | awk \'{print "Total:", $2, "| Used:", $3, "| Available:", $4, "| Usage:", $5}\'',
    "EOF",
    "chmod +x ~/.openclaw/workspace/tools/disk-usage.sh",
    "cat > ~/.openclaw/openclaw.json << 'EOF'",
    "{",
    '  "tools": {',
    '    "profile": "coding",                  // the first gate',
    '    "exec": {',
    '      "security": "allowlist",            // the second gate',
    '      "ask": "on-miss"',
    "    }",
    "  }",
    "}",
    "EOF",
    'sallyport approvals allowlist add "~/.openclaw/workspace/tools/disk-usage.sh"',
  ].join("\n");
  const prepared = await run("bash", ["-c", script]);
  expect(prepared).toMatchObject({ code: 0, stdout: expect.stringContaining("Added ~/.openclaw") });

  await startHeadless();
  const client = await bridge("agent");
  await mapTo("main", "agent");
  await expect.poll(async () => (await client.listTools()).tools.map((tool) => tool.name)).toContain("exec");
  const exec = async (command: string) => {
    const result = (await client.callTool({ name: "exec", arguments: { command } })) as CallToolResult;
    return { isError: result.isError === true, text: JSON.stringify(result.content) };
  };
  const report = await exec("~/.openclaw/workspace/tools/disk-usage.sh /tmp");
  expect(report.text).toContain("=== Disk Usage Report ===");
  expect(report.isError).toBe(false);

  // Gate two: exec is known, this command may not run.
  const refused = await exec("uname -a");
  expect(refused.isError).toBe(true);
  expect(refused.text).not.toContain("Linux");
  // Gate one: exec does not exist.
  await sallyport("config", "set", "tools.deny", '["exec"]');
  await expect
    .poll(async () => (await client.listTools()).tools.map((tool) => tool.name))
    .not.toContain("exec");
  await expect(exec("uname -a")).rejects.toThrow("Unknown tool: exec");
  expect((await sallyport("tools", "explain", "exec")).stdout).toMatch(/gate one[\s\S]*tools\.deny/);
});

it("a command of an agent cannot use the command line to approve itself", async () => {
  await mkdir(stateDir, { recursive: true });
  await writeFile(
    path.join(stateDir, "openclaw.json"),
    '{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }',
  );
  // A program on the list, as an agent could have written one.
  const helper = path.join(homeDir, "helper.sh");
  await writeFile(
    helper,
    [
      "#!/bin/sh",
      "unset OPENCLAW_SHELL SALLYPORT_EXEC_ID",
      // In pieces: written out, the text of the script alone would have been refused.
      "a=appro; b=vals",
      'sallyport "$a$b" allowlist add /bin/uname 2>&1',
      // Not refused by the command line, but by the Gateway: as any other program that has read the token.
      "sallyport gateway status 2>&1",
      "exit 0",
    ].join("\n"),
    { mode: 0o755 },
  );
  await sallyport("approvals", "allowlist", "add", helper);
  await startHeadless();
  const client = await bridge("agent");
  await mapTo("main", "agent");
  await expect.poll(async () => (await client.listTools()).tools.map((tool) => tool.name)).toContain("exec");
  const result = await client.callTool({ name: "exec", arguments: { command: helper } });
  expect(JSON.stringify(result)).toContain("A command that an agent runs may not change what may run");
  expect(JSON.stringify(result)).toContain("A command that an agent runs may not act as a person");
  expect((await sallyport("approvals", "get")).stdout).not.toContain("/bin/uname");
});

it("works for mcporter, a client that nobody here wrote, over stdio and over HTTP", async () => {
  await mkdir(stateDir, { recursive: true });
  await writeFile(path.join(stateDir, "openclaw.json"), '{ tools: { profile: "coding" } }');
  await writeFile(
    path.join(stateDir, "exec-approvals.json"),
    JSON.stringify({ version: 1, agents: { "*": { allowlist: [{ pattern: "/**/uname" }] } } }),
  );
  const { ready } = await startHeadless();
  // The first call makes the client known; then a person maps it.
  const configFile = path.join(homeDir, "mcporter.json");
  const writeServers = (servers: Record<string, unknown>) =>
    writeFile(configFile, JSON.stringify({ mcpServers: servers, imports: [] }));
  await writeServers({ desk: { command: "sallyport", args: ["mcp", "--client", "porter"] } });
  const mcporter = (...args: string[]) =>
    run(process.execPath, [
      path.join(rootDir, "node_modules/mcporter/dist/cli.js"),
      "--config",
      configFile,
      ...args,
    ]);
  const listed = await mcporter("list", "desk", "--schema");
  expect(listed.stdout).toContain("session_status");
  expect(listed.stdout).not.toContain("workdir");
  await mapTo("main", "porter");
  const called = await mcporter("call", "desk.exec", "command=uname -s");
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining("Linux") });

  const token = (await readFile(path.join(stateDir, "sallyport-mcp-porter.token"), "utf8")).trim();
  await writeServers({ desk: { url: ready.mcpUrl, headers: { Authorization: `Bearer ${token}` } } });
  const overHttp = await mcporter("call", "desk.exec", "command=uname -s");
  expect(overHttp).toMatchObject({ code: 0, stdout: expect.stringContaining("Linux") });
  const hidden = await mcporter("call", "desk.gateway");
  expect(`${hidden.stdout}${hidden.stderr}`).toContain("Unknown tool: gateway");
}, 60_000);

/** What a person does in the Clients view. */
async function mapTo(agentId: string, name: string): Promise<void> {
  const state = await readGatewayFile(path.join(stateDir, "sallyport-gateway.json"));
  if (state.kind !== "running") throw new Error("no app runs");
  const rpc = await connectGateway({ ...state.info, version: "1" });
  const { clients: known } = await rpc.call("clients.list", {});
  const client = known.find((candidate) => candidate.name === name);
  if (client === undefined) throw new Error("the client is not known");
  await rpc.call("clients.update", { id: client.id, agentId });
  rpc.close();
}
