import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { contract } from "../../../../shared/contract/index.ts";
import type { RpcClient } from "../../../../shared/rpc/index.ts";
import type { Caller, CallOutcome, Runtime } from "../../runtimeTypes.ts";
import { connectTo as connectPanel, createTestRuntime } from "../../testing/testRuntime.ts";

let home: string;
let stateDir: string;
let runtime: Runtime;
let rpc: RpcClient<typeof contract>;
let closeRpc: () => void;
const servers: Server[] = [];

const caller: Caller = {
  id: "mcp:desk",
  label: "test client",
  agentId: "main",
  sessionKey: "agent:main:mcp:desk",
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
};

interface Options {
  sandbox?: Record<string, unknown>;
  config?: Record<string, unknown>;
  exec?: Record<string, unknown>;
  elevated?: Record<string, unknown>;
  defaults?: Record<string, unknown>;
  approvals?: unknown;
  settings?: string;
}

async function start(options: Options = {}) {
  const config = {
    agents: {
      defaults: { sandbox: { mode: "all", workspaceAccess: "rw", ...options.sandbox }, ...options.defaults },
    },
    tools: {
      profile: "coding",
      exec: { ...options.exec },
      ...(options.elevated === undefined ? {} : { elevated: options.elevated }),
    },
  };
  await writeFile(join(stateDir, "openclaw.json"), JSON.stringify(config));
  if (options.approvals !== undefined)
    await writeFile(join(stateDir, "exec-approvals.json"), JSON.stringify(options.approvals));
  if (options.settings !== undefined) await writeFile(join(stateDir, "sallyport.json5"), options.settings);
  runtime = await createTestRuntime(stateDir, {
    homeDir: home,
    baseEnv: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      HOME: home,
      SHELL: "/bin/sh",
      HOST_SECRET: "s3cret",
    },
  });
  ({ rpc, close: closeRpc } = connectPanel(runtime));
  await rpc.call("approvals.attend", {});
}

function exec(args: Record<string, unknown> | string): Promise<CallOutcome> {
  return tool("exec", typeof args === "string" ? { command: args } : args);
}

function tool(name: string, args: Record<string, unknown>): Promise<CallOutcome> {
  return runtime.tools.callTool(caller, name, args, { signal: new AbortController().signal, holdMs: null });
}

function textOf(outcome: CallOutcome): string {
  if (outcome.kind === "refused") return outcome.text;
  if (outcome.kind !== "result") throw new Error(`unexpected ${outcome.kind}`);
  return outcome.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function nextPending() {
  await expect.poll(async () => (await rpc.call("approvals.list", {})).pending.length).toBeGreaterThan(0);
  const [request] = (await rpc.call("approvals.list", {})).pending;
  if (request === undefined) throw new Error("nothing waits");
  return request;
}

async function listen(): Promise<number> {
  const server = createServer((socket) => socket.end("reached"));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

const connectTo = (port: number) => `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3'`;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sandboxed-"));
  stateDir = join(home, ".openclaw");
  await mkdir(stateDir, { mode: 0o700 });
});
afterEach(async () => {
  closeRpc?.();
  await runtime?.dispose();
  for (const server of servers.splice(0)) server.close();
  await rm(home, { recursive: true, force: true });
});

describe("a sandboxed session", () => {
  it("runs without asking, in its workspace, with its own environment only", async () => {
    await start({ sandbox: { docker: { env: { FROM_CONFIG: "c'$x" } } } });
    const outcome = await exec({
      command: "pwd; echo $HOME; env # the rest",
      env: { FROM_CALL: 'a "b"\nc', LD_PRELOAD: "/nonexistent.so" },
    });
    const text = textOf(outcome);
    expect(
      text
        .split("\n")
        .filter((line) => !line.startsWith("ERROR: ld.so"))
        .slice(0, 2),
    ).toEqual(["/workspace", "/workspace"]);
    expect(text).toContain(`FROM_CONFIG=c'$x`);
    expect(text).toContain('FROM_CALL=a "b"\nc\n');
    expect(text).not.toContain("SALLYPORT_SET_");
    expect(text).not.toContain("s3cret");
    expect(outcome).toMatchObject({ details: { cwd: "/workspace", exitCode: 0 } });
  });

  it("writes into the workspace and nowhere else", async () => {
    await start();
    const text = textOf(
      await exec(
        `echo kept > note; for f in /x /usr/x /etc/x ${home}/x /proc/sys/kernel/core_pattern; do (echo x > $f) 2>/dev/null && echo "wrote $f"; done; echo x > /tmp/own && echo tmp`,
      ),
    );
    expect(text).toBe("tmp");
    expect(await readFile(join(stateDir, "workspace", "note"), "utf8")).toBe("kept\n");
  });

  it("sees neither the state directory nor what links to it", async () => {
    await start();
    await mkdir(join(stateDir, "workspace"), { recursive: true });
    await symlink(stateDir, join(stateDir, "workspace", "state"));
    await symlink(join(stateDir, "sallyport-operator-token"), join(stateDir, "workspace", "token"));
    const text = textOf(
      await exec(
        `ls ${stateDir} state/ 2>/dev/null; cat token ../openclaw.json 2>/dev/null; ls -a / /workspace; true`,
      ),
    );
    expect(text).not.toContain("openclaw.json");
    expect(text).not.toContain("sallyport");
    expect(text).toContain("token");
    expect((await readFile(join(stateDir, "sallyport-operator-token"), "utf8")).length).toBeGreaterThan(10);
  });

  it("covers the state directory when the workspace is the home that holds it", async () => {
    await start({ defaults: { workspace: home } });
    await writeFile(join(home, "mine.txt"), "mine");
    const text = textOf(await exec("ls -A; ls -A .openclaw; touch .openclaw/x"));
    expect(text).toContain("mine.txt");
    expect(text).not.toContain("openclaw.json");
    await expect(stat(join(stateDir, "x"))).rejects.toThrow();
  });

  it("refuses a workspace inside the state directory that is none, and one that is it", async () => {
    await start({ defaults: { workspace: join(stateDir, "logs") } });
    expect(textOf(await exec("ls"))).toContain("part of the state directory");
    await runtime.dispose();
    await start({ defaults: { workspace: stateDir } });
    const outcome = await exec("ls");
    expect(textOf(outcome)).toContain("is the state directory");
    expect(outcome).toMatchObject({
      kind: "refused",
      details: { executed: false, reason: "hostUnavailable" },
    });
  });

  it("has no network: a listener on loopback is out of reach", async () => {
    const port = await listen();
    await start();
    const outcome = await exec(connectTo(port));
    expect(textOf(outcome)).not.toContain("reached");
    expect(outcome).toMatchObject({ isError: false, details: { exitCode: 1 } });
  });

  it("asks when it shares the network of this machine, and reaches it then", async () => {
    const port = await listen();
    await start({ sandbox: { docker: { network: "bridge" } } });
    const outcome = exec(connectTo(port));
    const request = await nextPending();
    expect(request).toMatchObject({
      host: "sandbox",
      askedBecause: [{ code: "sandboxNetwork" }],
      runsAs: { kind: "typed", shell: "/bin/sh -l -c" },
    });
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
    expect(textOf(await outcome)).toContain("reached");
  });

  it("keeps its own workspace without access, and shows the agent's read-only with ro", async () => {
    await start({ sandbox: { workspaceAccess: "ro" } });
    await mkdir(join(stateDir, "workspace"), { recursive: true });
    await writeFile(join(stateDir, "workspace", "plan.txt"), "the plan");
    const text = textOf(await exec("cat /agent/plan.txt; touch /agent/x || echo kept; touch own; ls"));
    expect(text).toContain("the plan");
    expect(text).toContain("kept");
    expect(text).toMatch(/own$/);
    await runtime.dispose();
    await start({ sandbox: { workspaceAccess: "none" } });
    expect(textOf(await exec("ls; ls /agent 2>/dev/null; true"))).toBe("own");
  });

  it("takes a folder of the workspace by either name, and warns about any other", async () => {
    await start();
    await mkdir(join(stateDir, "workspace", "sub"), { recursive: true });
    expect(textOf(await exec({ command: "pwd", workdir: "/workspace/sub" }))).toBe("/workspace/sub");
    expect(textOf(await exec({ command: "pwd", workdir: join(stateDir, "workspace", "sub") }))).toBe(
      "/workspace/sub",
    );
    expect(textOf(await exec({ command: "pwd", workdir: "sub" }))).toBe("/workspace/sub");
    expect(textOf(await exec({ command: "pwd", workdir: "/etc" }))).toContain(
      'workdir "/etc" is unavailable; using "/workspace"',
    );
  });

  it("leaves a command in the background, and its end takes the whole tree along", async () => {
    await start();
    const started = await exec({ command: "setsid sleep 61 & echo ready; sleep 62", background: true });
    if (started.kind !== "result") throw new Error(textOf(started));
    const { sessionId } = started.details as { sessionId: string };
    await expect
      .poll(async () => textOf(await tool("process", { action: "log", sessionId })))
      .toContain("ready");
    const { processes } = await rpc.call("processes.list", {});
    expect(processes[0]?.treeSize).toBeGreaterThanOrEqual(4);
    expect(await rpc.call("processes.end", { id: sessionId })).toEqual({ gone: true, remaining: [] });
  });

  it("prepends configured folders to PATH after the profile", async () => {
    await start({ exec: { pathPrepend: ["/workspace/bin"] } });
    expect(textOf(await exec("echo $PATH; env | grep -c PREPEND"))).toMatch(
      /^\/workspace\/bin:\/usr\/local\/sbin:.*\n0/,
    );
  });

  it("holds the memory limit, and says which limits do not hold", async () => {
    await start({ sandbox: { docker: { memory: "256m", cpus: 1 } } });
    const text = textOf(await exec("head -c 600000000 /dev/zero | tail -c 500000000 | wc -c"));
    expect(text).toContain("cannot hold these limits of the sandbox here: cpus");
    expect(text).not.toMatch(/^500000000$/m);
  });

  it("has no terminal and says so", async () => {
    await start();
    expect(textOf(await exec({ command: "test -t 1 || echo none", pty: true }))).toContain("no terminal");
  });
});

describe("leaving the sandbox", () => {
  it("always asks, also for what is on the allowlist, and runs on this machine then", async () => {
    await start({
      approvals: {
        version: 1,
        agents: { main: { allowlist: [{ pattern: "/bin/*" }, { pattern: "/usr/bin/*" }] } },
      },
    });
    const outcome = exec({ command: "uname -s", host: "gateway" });
    const request = await nextPending();
    expect(request).toMatchObject({ host: "gateway", askedBecause: [{ code: "leavesSandbox" }] });
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
    expect(textOf(await outcome)).toBe("Linux");
  });

  it("is refused to an agent whose host is fixed", async () => {
    await start({ exec: { host: "sandbox" } });
    expect(textOf(await exec({ command: "uname", host: "gateway" }))).toContain("exec host not allowed");
  });

  it("answers that no node is paired", async () => {
    await start();
    expect(textOf(await exec({ command: "uname", host: "node" }))).toContain("no node is paired");
  });

  it("by elevated is for listed clients, asks, and does not override a deny in the approvals file", async () => {
    await start();
    expect(textOf(await exec({ command: "id", elevated: true }))).toContain("tools.elevated.allowFrom");
    await runtime.dispose();
    const elevated = { allowFrom: { mcp: ["desk"] } };
    await start({ elevated });
    const outcome = exec({ command: "echo up", elevated: true });
    const request = await nextPending();
    expect(request.askedBecause.map((reason) => reason.code)).toEqual(
      expect.arrayContaining(["elevatedRequested", "leavesSandbox"]),
    );
    await rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
    expect(textOf(await outcome)).toContain("denied");
    await runtime.dispose();
    await start({ elevated, defaults: { elevatedDefault: "full" } });
    expect(textOf(await exec({ command: "echo up; echo $HOME" }))).toBe(`up\n${home}`);
    await runtime.dispose();
    await start({
      elevated,
      defaults: { elevatedDefault: "full" },
      approvals: { version: 1, defaults: { security: "deny" } },
    });
    expect(textOf(await exec({ command: "echo up" }))).toContain("security=deny");
  });
});

describe("a deny that a person wrote", () => {
  it("holds in the sandbox: approvals file, config, unreadable file", async () => {
    await start({ approvals: { version: 1, agents: { main: { security: "deny" } } } });
    expect(textOf(await exec("echo x"))).toContain("exec denied");
    await runtime.dispose();
    await start({ exec: { security: "deny" }, approvals: { version: 1 } });
    expect(textOf(await exec("echo x"))).toContain("exec denied");
    await runtime.dispose();
    await start({ approvals: { version: 9 } });
    expect(textOf(await exec("echo x"))).toContain("exec denied");
  });

  it("is not looked at with the rule off, as in the reference", async () => {
    await start({
      approvals: { version: 1, agents: { main: { security: "deny" } } },
      settings: '{ hardening: { rules: { "exec.sandboxKeepsDeny": false } } }',
    });
    expect(textOf(await exec("echo x"))).toBe("x");
  });
});
