import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { contract } from "../../shared/contract/index.ts";
import type { RpcClient } from "../../shared/rpc/index.ts";
import type { Caller, Runtime } from "./runtimeTypes.ts";
import { connectTo, createTestRuntime } from "./testing/testRuntime.ts";
import { defineTool, textResult } from "./tools/defineTool.ts";

let stateDir: string;
let runtime: Runtime;
let rpc: RpcClient<typeof contract>;
let closeRpc: () => void;

const caller: Caller = {
  id: "mcp:test",
  label: "test client",
  agentId: "main",
  sessionKey: "agent:main:mcp:test",
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
};

async function start(config?: string, approvals?: string) {
  if (config !== undefined) await writeFile(join(stateDir, "openclaw.json"), config);
  if (approvals !== undefined) await writeFile(join(stateDir, "exec-approvals.json"), approvals);
  runtime = await createTestRuntime(stateDir, {
    extraTools: [
      defineTool({
        name: "fixture_echo",
        title: "Echo",
        description: "Gives the text back.",
        promptLine: "Give a text back",
        risk: "read",
        input: z.object({ text: z.string().describe("Any text") }),
        execute: async ({ text }) => textResult(text, { text }),
      }),
    ],
  });
  ({ rpc, close: closeRpc } = connectTo(runtime));
}

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "runtime-"));
});
afterEach(async () => {
  closeRpc?.();
  await runtime?.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

const coding = `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } } // mine`;

function call(tool: string, args: unknown, holdMs: number | null = null) {
  return runtime.tools.callTool(caller, tool, args, { signal: new AbortController().signal, holdMs });
}

async function nextPending() {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { pending } = await rpc.call("approvals.list", {});
    if (pending[0] !== undefined) return pending[0];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("nothing waits");
}

describe("the runtime", () => {
  it("asks, a person allows, it runs, and the ledger holds every step", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const outcome = call("exec", { command: "echo hello from here" });
    const request = await nextPending();
    expect(request).toMatchObject({ command: "echo hello from here", agentId: "main", host: "gateway" });
    expect(request.segments?.[0]).toMatchObject({ verdict: "asks", argv: ["echo", "hello", "from", "here"] });
    expect(request.segments?.[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
    expect(await outcome).toMatchObject({
      kind: "result",
      isError: false,
      content: [{ text: "hello from here" }],
    });
    const { entries } = await rpc.call("ledger.list", {});
    expect(entries.map((entry) => entry.kind).reverse()).toEqual([
      "call.proposed",
      "call.running",
      "approval.requested",
      "call.awaitingApproval",
      "approval.decided",
      "call.running",
      "call.succeeded",
    ]);
    expect(await rpc.call("ledger.verify", {})).toMatchObject({ ok: true });
  });

  it("gives a denied caller no output and passes the note on", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const outcome = call("exec", { command: "echo secret" });
    const request = await nextPending();
    await rpc.call("approvals.resolve", { id: request.id, decision: "deny", note: "not now" });
    const answer = await outcome;
    expect(answer).toMatchObject({ kind: "refused", details: { status: "denied", executed: false } });
    expect(answer.kind === "refused" && answer.text).toContain("not now");
    expect(answer.kind === "refused" && answer.text).toContain("Not executed");
  });

  it("does not ask again after always, and keeps the file private", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const first = call("exec", { command: "uname -s" });
    const request = await nextPending();
    expect(request.always.kind).toBe("offered");
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-always", digest: request.digest });
    expect(await first).toMatchObject({ kind: "result", isError: false });
    expect(await call("exec", { command: "uname -s" })).toMatchObject({ kind: "result", isError: false });
    const file = JSON.parse(await readFile(join(stateDir, "exec-approvals.json"), "utf8"));
    expect(file.agents.main.allowlist).toHaveLength(1);
  });

  it("refuses at once when nobody can be asked, and says how to change that", async () => {
    await start(coding);
    const answer = await call("exec", { command: "echo x" });
    expect(answer).toMatchObject({ kind: "refused" });
    expect(answer.kind === "refused" && answer.text).toContain("approvals watch");
  });

  it("hands a waiting call back after holdMs, and its outcome is fetched later", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const handedBack = await call("exec", { command: "echo later" }, 50);
    expect(handedBack).toMatchObject({ kind: "pending", command: "echo later" });
    if (handedBack.kind !== "pending") return;
    expect(runtime.tools.hasOpenApproval(caller.sessionKey)).toBe(true);
    expect(runtime.tools.hasOpenApproval("agent:main:mcp:other")).toBe(false);
    const request = await nextPending();
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
    const options = { signal: new AbortController().signal, holdMs: 5000 };
    const stranger = { ...caller, sessionKey: "agent:main:mcp:other" };
    expect(await runtime.tools.waitApproval(stranger, handedBack.approvalId, options)).toMatchObject({
      kind: "invalid",
    });
    expect(await runtime.tools.waitApproval(caller, handedBack.approvalId, options)).toMatchObject({
      kind: "result",
      content: [{ text: "later" }],
    });
    expect(runtime.tools.hasOpenApproval(caller.sessionKey)).toBe(false);
  });

  it("keeps a waiting request when its caller goes away, and cancels it when the caller cancels", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const gone = new AbortController();
    void runtime.tools.callTool(
      caller,
      "exec",
      { command: "echo a" },
      { signal: new AbortController().signal, detached: gone.signal, holdMs: null },
    );
    await nextPending();
    gone.abort();
    expect((await rpc.call("approvals.list", {})).pending).toHaveLength(1);
    const cancelled = new AbortController();
    void runtime.tools.callTool(
      caller,
      "exec",
      { command: "echo b" },
      { signal: cancelled.signal, holdMs: null },
    );
    await expect.poll(async () => (await rpc.call("approvals.list", {})).pending.length).toBe(2);
    cancelled.abort();
    await expect.poll(async () => (await rpc.call("approvals.list", {})).pending.length).toBe(1);
  });

  it("answers a hidden tool exactly as an unknown one, and tells only the operator why", async () => {
    await start(`{ tools: { profile: "coding", deny: ["exec"] } }`);
    expect(await call("exec", { command: 1 })).toEqual({ kind: "unknownTool", tool: "exec" });
    expect(await call("no_such_tool", {})).toEqual({ kind: "unknownTool", tool: "no_such_tool" });
    const { calls } = await rpc.call("calls.list", {});
    const hidden = calls.find((entry) => entry.tool === "exec");
    expect(hidden?.state).toMatchObject({
      kind: "hidden",
      reason: { params: { path: "tools.deny[0]", stage: "tools.allow" } },
    });
  });

  it("lists a fixture tool only where policy lets it through", async () => {
    await start(`{ tools: { allow: ["fixture_echo"] } }`);
    expect(runtime.tools.listTools(caller).tools.map((tool) => tool.name)).toEqual(["fixture_echo"]);
    expect(await call("fixture_echo", { text: "hi" })).toMatchObject({
      kind: "result",
      content: [{ text: "hi" }],
    });
    expect(await call("fixture_echo", { text: 1 })).toMatchObject({
      kind: "invalid",
      issues: [{ path: "text" }],
    });
  });

  it("shows an unmapped client only what minimal names, whatever the config grants", async () => {
    await start(`{ tools: { exec: {}, alsoAllow: ["fixture_echo"] } }`);
    const unmapped: Caller = { ...caller, overlay: "unmapped" };
    expect(runtime.tools.listTools(unmapped).tools.map((tool) => tool.name)).toEqual(["session_status"]);
  });

  it("applies a changed config to the next call without a restart", async () => {
    await start(coding);
    expect(runtime.tools.listTools(caller).tools.map((tool) => tool.name)).toContain("exec");
    await writeFile(join(stateDir, "openclaw.json"), `{ tools: { profile: "minimal" } }`);
    await expect
      .poll(() => runtime.tools.listTools(caller).tools.map((tool) => tool.name), { timeout: 5000 })
      .toEqual(["session_status"]);
  });

  it("runs on stricter defaults when the config is broken at start, and leaves the file alone", async () => {
    const broken = `{ tools: { profile: "coding", } `;
    await start(broken);
    expect(runtime.tools.listTools(caller).tools).toEqual([]);
    const status = await rpc.call("app.status", {});
    expect(status.config).toMatchObject({ state: "broken" });
    expect(status.config.problems[0]?.line).toBe(1);
    expect(await readFile(join(stateDir, "openclaw.json"), "utf8")).toBe(broken);
  });

  it("denies every command while the approvals file is broken, and never overwrites it", async () => {
    const broken = `{ "version": 1, "agents": `;
    await start(coding, broken);
    await rpc.call("approvals.attend", {});
    expect(await call("exec", { command: "echo x" })).toMatchObject({
      kind: "refused",
      details: { executed: false },
    });
    await expect(rpc.call("exec.approvals.allowlistAdd", { pattern: "/bin/echo" })).rejects.toThrow();
    expect(await readFile(join(stateDir, "exec-approvals.json"), "utf8")).toBe(broken);
  });

  it("says in its status whether a prompt can reach a person, before and after one comes", async () => {
    await start(coding);
    expect((await rpc.call("app.status", {})).prompt).toEqual({ reach: "noPanel", checkAtStart: "pending" });
    await rpc.call("approvals.attend", {});
    expect((await rpc.call("app.status", {})).prompt.reach).toBe("reachable");
  });

  it("refuses to run a program that changed between the prompt and the click", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const script = join(stateDir, "tool.sh");
    await writeFile(script, "#!/bin/sh\necho good\n");
    await chmod(script, 0o755);
    const outcome = call("exec", { command: script });
    const request = await nextPending();
    await writeFile(script, "#!/bin/sh\necho evil\n");
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
    expect(await outcome).toMatchObject({ kind: "refused", details: { reason: "fileChanged" } });
  });

  it("runs a command once when a retry joined its request, and gives both the result", async () => {
    await start(coding);
    await rpc.call("approvals.attend", {});
    const command = "echo once >> joined.txt; wc -l < joined.txt";
    const outcomes = [call("exec", { command }), call("exec", { command })];
    await expect.poll(async () => (await nextPending()).joinedCount).toBe(2);
    const request = await nextPending();
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
    const both = await Promise.all(outcomes);
    expect(both.map((outcome) => outcome.kind)).toEqual(["result", "result"]);
    expect(await readFile(join(stateDir, "workspace", "joined.txt"), "utf8")).toBe("once\n");
  });

  it("starts no later part of a chain that was changed while an earlier part ran", async () => {
    await start(coding);
    const first = join(stateDir, "first.sh");
    const second = join(stateDir, "second.sh");
    const marker = join(stateDir, "marker");
    await writeFile(second, `#!/bin/sh\necho second >> ${marker}\n`, { mode: 0o755 });
    // The first part swaps the second one, which is on the list as well.
    await writeFile(first, `#!/bin/sh\nprintf '#!/bin/sh\\necho evil >> ${marker}\\n' > ${second}\n`, {
      mode: 0o755,
    });
    for (const pattern of [first, second])
      await rpc.call("exec.approvals.allowlistAdd", { pattern, agentId: "main" });
    const outcome = await call("exec", { command: `${first} && ${second}` });
    await expect(readFile(marker, "utf8")).rejects.toThrow();
    expect(JSON.stringify(outcome)).toContain("Nothing more was started");
  });

  it("treats full as allowlist until a person confirms it, and ends it with restore", async () => {
    await start(`{ tools: { exec: { security: "full", ask: "off" } } }`);
    await rpc.call("approvals.attend", {});
    expect((await rpc.call("app.status", {})).mode).toMatchObject({
      security: "allowlist",
      ask: "on-miss",
      broad: { kind: "unconfirmed" },
    });
    await expect(
      rpc.call("mode.confirmBroad", { words: "yes", endsAtMs: Date.now() + 60_000 }),
    ).rejects.toThrow("run without asking");
    const mode = await rpc.call("mode.confirmBroad", {
      words: "run without asking",
      endsAtMs: Date.now() + 60_000,
    });
    expect(mode).toMatchObject({ security: "full", broad: { kind: "confirmed", agents: ["main"] } });
    expect(await call("exec", { command: "echo free; echo y" })).toMatchObject({
      kind: "result",
      content: [{ text: "free\ny" }],
    });
    expect(await rpc.call("mode.restore", {})).toMatchObject({
      security: "allowlist",
      broad: { kind: "unconfirmed" },
    });
  });

  it("leaves a server running in the background, polls it and ends it", async () => {
    await start(
      coding,
      JSON.stringify({
        version: 1,
        agents: { main: { allowlist: [{ pattern: "/bin/*" }, { pattern: "/usr/bin/*" }] } },
      }),
    );
    await rpc.call("approvals.attend", {});
    const started = await call("exec", { command: "sleep 60", background: true });
    expect(started).toMatchObject({ kind: "result", details: { status: "running" } });
    if (started.kind !== "result") return;
    const { sessionId } = started.details as { sessionId: string };
    expect(await call("process", { action: "list" })).toMatchObject({
      kind: "result",
      details: { sessions: [{ sessionId }] },
    });
    expect((await rpc.call("processes.list", {})).processes).toMatchObject([{ id: sessionId, treeSize: 1 }]);
    expect(await rpc.call("processes.end", { id: sessionId })).toEqual({ gone: true, remaining: [] });
  });
});
