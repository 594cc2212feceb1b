/** Pauses, previews of a rule and allowlist entries through the whole runtime. */

import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalRequest, contract } from "../../shared/contract/index.ts";
import type { RpcClient } from "../../shared/rpc/index.ts";
import type { Caller, Runtime } from "./runtimeTypes.ts";
import { connectTo, createTestRuntime, testCaller } from "./testing/testRuntime.ts";

let stateDir: string;
let runtime: Runtime;
let rpc: RpcClient<typeof contract>;
let closeRpc: () => void;

async function boot() {
  runtime = await createTestRuntime(stateDir);
  ({ rpc, close: closeRpc } = connectTo(runtime));
  await rpc.call("approvals.attend", {});
}
async function stop() {
  closeRpc();
  await runtime.dispose();
}

beforeEach(async () => {
  stateDir = await realpath(await mkdtemp(join(tmpdir(), "approval-rules-")));
  await writeFile(
    join(stateDir, "openclaw.json"),
    `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } },
       agents: { list: [{ id: "main", default: true }, { id: "helper" }] } }`,
  );
  await boot();
});
afterEach(async () => {
  await stop();
  await rm(stateDir, { recursive: true, force: true });
});

const call = (tool: string, args: Record<string, unknown>, by: Caller = testCaller) =>
  runtime.tools.callTool(by, tool, args, { signal: new AbortController().signal, holdMs: null });
const exec = (command: string, by: Caller = testCaller) => call("exec", { command }, by);
const helper: Caller = { ...testCaller, agentId: "helper", sessionKey: "agent:helper:mcp:test" };

async function waiting(count: number): Promise<ApprovalRequest[]> {
  let pending: ApprovalRequest[] = [];
  const countNow = async () => {
    ({ pending } = await rpc.call("approvals.list", {}));
    return pending.length;
  };
  await expect.poll(countNow, { timeout: 15_000 }).toBe(count);
  return pending;
}
const denyAll = async (pending: ApprovalRequest[]) => {
  for (const { id } of pending) await rpc.call("approvals.resolve", { id, decision: "deny" });
};

describe("pausing an agent", () => {
  it("denies what is new at once, leaves what waits, and goes on after a resume", async () => {
    const before = exec("uname -s");
    const [old] = await waiting(1);
    await rpc.call("approvals.pauseAgent", { agentId: "main" });
    const denied = await exec("uname -r");
    expect(denied).toMatchObject({ kind: "refused", details: { executed: false, reason: "agentPaused" } });
    expect(JSON.stringify(denied)).toContain("paused by the operator");
    // The same command as the one that waits is a new request all the same.
    expect(await exec("uname -s")).toMatchObject({ kind: "refused" });
    const target = join(stateDir, "workspace-note.txt");
    expect(await call("write", { path: target, content: "x" })).toMatchObject({ kind: "refused" });
    await expect(readFile(target)).rejects.toThrow();
    const [still] = await waiting(1);
    expect(still).toEqual(old);

    const other = exec("uname -m", helper);
    await waiting(2);
    expect((await rpc.call("approvals.pauses", {})).paused).toMatchObject([
      { agentId: "main", deniedCount: 3 },
    ]);
    // What waits may still be allowed.
    await rpc.call("approvals.resolve", {
      id: old?.id ?? "",
      digest: old?.digest ?? "",
      decision: "allow-once",
    });
    expect(await before).toMatchObject({ kind: "result", isError: false });
    expect((await rpc.call("approvals.resumeAgent", { agentId: "main" })).resumed).toBe(true);
    const after = exec("uname -r");
    await denyAll(await waiting(2));
    await Promise.all([other, after]);
  });

  it("also holds commands that a rule would let through, and is forgotten with the app", async () => {
    const path = (await rpc.call("tools.list", {})) && "/usr/bin/uname";
    await rpc.call("exec.approvals.allowlistAdd", { pattern: path, agentId: "main" });
    const real = await realpath(path);
    if (real !== path) await rpc.call("exec.approvals.allowlistAdd", { pattern: real, agentId: "main" });
    expect(await exec("uname -s")).toMatchObject({ kind: "result" });
    await rpc.call("approvals.pauseAgent", { agentId: "main" });
    expect(await exec("uname -s")).toMatchObject({ kind: "refused", details: { reason: "agentPaused" } });
    await stop();
    await boot();
    expect((await rpc.call("approvals.pauses", {})).paused).toEqual([]);
    expect(await exec("uname -s")).toMatchObject({ kind: "result" });
    const { entries } = await rpc.call("ledger.list", { limit: 200 });
    expect(entries.map((entry) => entry.kind)).toContain("agent.paused");
  });

  it("an agent cannot resume itself through a command", async () => {
    const outcome = await exec("sallyport approvals resume main");
    expect(outcome).toMatchObject({ kind: "refused", details: { reason: "selfApproval" } });
  });
});

describe("the preview of a rule", () => {
  it("tells which waiting requests it covers and why not the others; saving answers one", async () => {
    const calls = ["echo alpha one", "echo alpha two", "echo alpha three four", "echo other one", "uname -s"]
      .map((command) => exec(command))
      .concat(exec("echo alpha five", helper));
    const pending = await waiting(6);
    const first = pending.find((one) => one.command === "echo alpha one");
    if (first === undefined) throw new Error("unreachable");
    const commandOf = new Map(pending.map((one) => [one.id, `${one.agentId}: ${one.command}`]));
    const scopes = first.always.kind === "offered" ? (first.always.scopes ?? []) : [];
    expect(scopes.map((scope) => scope.id)).toContain("argumentShape");
    const preview = async (scopeId: string, kind: "session" | "agent" | "allAgents") => {
      const result = await rpc.call("approvals.previewRule", { id: first.id, scopeId, lifetime: { kind } });
      return {
        covered: result.covered.map(({ id }) => commandOf.get(id)),
        left: Object.fromEntries(result.left.map(({ id, reason }) => [commandOf.get(id), reason.code])),
      };
    };
    expect((await preview("exactCommand", "session")).covered).toEqual(["main: echo alpha one"]);
    const shape = await preview("argumentShape", "session");
    // In the order in which they came, which calls made at once do not promise.
    expect(shape.covered.sort()).toEqual(["main: echo alpha one", "main: echo alpha two"]);
    expect(shape.left).toEqual({
      "main: echo alpha three four": "differs.extraWord",
      "main: echo other one": "differs.word",
      "main: uname -s": "differs.program",
      "helper: echo alpha five": "differs.agent",
    });
    const all = await preview("program", "allAgents");
    expect(all.covered).toHaveLength(5);
    await expect(preview("nothing", "session")).rejects.toThrow(/offers no scope/);
    expect((await rpc.call("grants.list", {})).grants).toEqual([]);

    // A preview allowed nothing; saving answers the one request that was named, with its digest.
    await waiting(6);
    await rpc.call("approvals.resolve", {
      id: first.id,
      digest: first.digest,
      decision: "allow-always",
      grant: { scopeId: "argumentShape", lifetime: { kind: "session" } },
    });
    await denyAll(await waiting(5));
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome.kind === "result")).toHaveLength(1);
    expect(await exec("echo alpha six")).toMatchObject({ kind: "result" });
  });
});

describe("entries of the allowlist", () => {
  it("come with their source, their uses and findings; a check stores nothing", async () => {
    await writeFile(
      join(stateDir, "exec-approvals.json"),
      JSON.stringify({ version: 1, agents: { main: { allowlist: [{ pattern: "/usr/bin/env" }] } } }),
    );
    await expect.poll(async () => (await rpc.call("exec.approvals.get", {})).entries.length).toBe(1);
    const check = await rpc.call("exec.approvals.allowlistCheck", { pattern: "uname", agentId: "main" });
    expect(check).toMatchObject({ isListed: false, findings: [{ code: "entry.neverMatches" }] });
    expect(
      (await rpc.call("exec.approvals.allowlistCheck", { pattern: "/usr/bin/env", agentId: "main" }))
        .isListed,
    ).toBe(true);
    const real = await realpath("/usr/bin/uname");
    const patterns = [...new Set(["/usr/bin/uname", real])];
    for (const pattern of patterns)
      await rpc.call("exec.approvals.allowlistAdd", { pattern, agentId: "main" });
    await exec("uname -s");
    await exec("uname -s && uname -r");

    const asked = exec("echo hello");
    const [request] = await waiting(1);
    const offered = request?.always.kind === "offered" ? request.always.stores : [];
    expect(offered.length).toBeGreaterThan(0);
    await rpc.call("approvals.resolve", {
      id: request?.id ?? "",
      digest: request?.digest ?? "",
      decision: "allow-always",
    });
    await asked;
    const sources = async () =>
      Object.fromEntries(
        (await rpc.call("exec.approvals.get", {})).entries.map((one) => [one.pattern, one.source]),
      );
    const expected = {
      "/usr/bin/env": "file",
      ...Object.fromEntries(patterns.map((pattern) => [pattern, "hand"])),
      ...Object.fromEntries(offered.map(({ pattern }) => [pattern, "always"])),
    };
    expect(await sources()).toEqual(expected);
    const { entries } = await rpc.call("exec.approvals.get", {});
    expect(entries.find((one) => one.pattern === "/usr/bin/uname")?.useCount).toBe(2);
    // The ledger remembers where they came from.
    await stop();
    await boot();
    expect(await sources()).toEqual(expected);
    await rpc.call("exec.approvals.allowlistRemove", { pattern: "/usr/bin/uname", agentId: "main" });
    await rpc.call("exec.approvals.allowlistAdd", { pattern: "/usr/bin/uname", agentId: "main" });
    expect((await sources())["/usr/bin/uname"]).toBe("hand");
  });

  it("are not offered while the file cannot be read, and a change of the file is announced", async () => {
    let announced = 0;
    rpc.on("exec.approvals.changed", () => {
      announced += 1;
    });
    await writeFile(join(stateDir, "exec-approvals.json"), "{ broken");
    await expect.poll(() => announced, { timeout: 15_000 }).toBeGreaterThan(0);
    const view = await rpc.call("exec.approvals.get", {});
    expect(view).toMatchObject({ state: "broken", entries: [] });
    await expect(
      rpc.call("exec.approvals.allowlistAdd", { pattern: "/usr/bin/uname", agentId: "main" }),
    ).rejects.toThrow();
  });
});
