/** Grants, edits and explanations through the whole runtime: what a person chooses is what counts. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalRequest, contract, GrantLifetime } from "../../shared/contract/index.ts";
import type { RpcClient } from "../../shared/rpc/index.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Caller, Runtime } from "./runtimeTypes.ts";
import { connectTo, createTestRuntime } from "./testing/testRuntime.ts";

let stateDir: string;
let runtime: Runtime;
let rpc: RpcClient<typeof contract>;
let closeRpc: () => void;
let aheadMs: number;

/** The system's clock, moved forward by a test. */
const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
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
const coding = `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }`;

async function start(config = coding) {
  await writeFile(join(stateDir, "openclaw.json"), config);
  await boot();
}

async function boot() {
  runtime = await createTestRuntime(stateDir, { clock });
  ({ rpc, close: closeRpc } = connectTo(runtime));
  await rpc.call("approvals.attend", {});
}

async function stop() {
  closeRpc();
  await runtime.dispose();
}

beforeEach(async () => {
  aheadMs = 0;
  stateDir = await mkdtemp(join(tmpdir(), "grants-runtime-"));
});
afterEach(async () => {
  await stop();
  await rm(stateDir, { recursive: true, force: true });
});

const exec = (args: Record<string, unknown>, by: Caller = caller) =>
  runtime.tools.callTool(by, "exec", args, { signal: new AbortController().signal, holdMs: null });

async function pendingFor(command: string): Promise<ApprovalRequest> {
  let found: ApprovalRequest | undefined;
  await expect
    .poll(async () => {
      const { pending } = await rpc.call("approvals.list", {});
      found = pending.find((request) => request.command === command);
      return found !== undefined;
    })
    .toBe(true);
  if (found === undefined) throw new Error("unreachable");
  return found;
}

/** Asks, and answers with a grant. */
async function grant(
  command: string,
  scopeId: string,
  lifetime: GrantLifetime,
  args: Record<string, unknown> = {},
) {
  const outcome = exec({ command, ...args });
  const { id, digest } = await pendingFor(command);
  const decision = await rpc.call("approvals.resolve", {
    id,
    decision: "allow-always",
    digest,
    grant: { scopeId, lifetime },
  });
  return { outcome: await outcome, decision };
}

/** Whether a command waits for a person; a waiting one is denied. */
async function asks(
  command: string,
  args: Record<string, unknown> = {},
  by: Caller = caller,
): Promise<boolean> {
  const outcome = exec({ command, ...args }, by);
  const ended = outcome.then(() => "ended" as const);
  const waits = pendingFor(command).then((request) => request);
  const first = await Promise.race([ended, waits]);
  if (first === "ended") {
    waits.catch(() => {});
    return false;
  }
  await rpc.call("approvals.resolve", { id: first.id, decision: "deny" });
  await outcome;
  return true;
}

describe("a grant chosen in the prompt", () => {
  it("covers its shape for this session only, and ends with the app", async () => {
    await start();
    const { outcome, decision } = await grant("touch a one", "argumentShape", { kind: "session" });
    expect(outcome).toMatchObject({ kind: "result", isError: false });
    expect(decision).toMatchObject({ outcome: "allowed-always", stored: [] });
    expect(decision.grantId).toBeDefined();
    expect(await asks("touch a two")).toBe(false);
    const otherSession = { ...caller, sessionKey: "agent:main:mcp:other" };
    expect(await asks("touch a two", {}, otherSession)).toBe(true);
    await stop();
    await boot();
    expect(await asks("touch a two")).toBe(true);
    expect((await rpc.call("grants.list", {})).grants).toEqual([]);
  });

  it("asks for whatever its scope does not name", async () => {
    await start();
    await grant("touch a one", "argumentShape", { kind: "agent" });
    expect(await asks("touch a two")).toBe(false);
    for (const other of [
      "touch b one",
      "touch a -c",
      "touch a ../x",
      "touch a one two",
      "touch a",
      "touch a two && uname",
    ])
      expect(await asks(other), other).toBe(true);
    expect(await asks("touch a two", { env: { LANG: "C" } })).toBe(true);
    await mkdir(join(stateDir, "elsewhere"));
    expect(await asks("touch a two", { workdir: join(stateDir, "elsewhere") })).toBe(true);
    const otherAgent = { ...caller, agentId: "support", sessionKey: "agent:support:mcp:test" };
    expect(await asks("touch a two", {}, otherAgent)).toBe(true);
  });

  it("of minutes ends at its time, and one that was revoked at once", async () => {
    await start();
    await grant("uname -s", "exactCommand", { kind: "minutes", minutes: 5 });
    expect(await asks("uname -s")).toBe(false);
    const otherSession = { ...caller, sessionKey: "agent:main:mcp:other" };
    expect(await asks("uname -s", {}, otherSession)).toBe(true);
    aheadMs = 5 * 60_000;
    expect(await asks("uname -s")).toBe(true);
    expect((await rpc.call("grants.list", {})).grants).toEqual([]);
    const { decision } = await grant("uname -r", "exactCommand", { kind: "allAgents" });
    expect(await asks("uname -r", {}, otherSession)).toBe(false);
    expect(await rpc.call("grants.revoke", { id: decision.grantId ?? "" })).toEqual({ revoked: true });
    expect(await asks("uname -r")).toBe(true);
    expect(await readFile(join(stateDir, "sallyport.json5"), "utf8")).not.toContain("uname");
  });

  it("never touches the approvals file, and says in list and ledger what it is for", async () => {
    await start();
    const { decision } = await grant("uname -s", "program", { kind: "agent" });
    await asks("uname -a");
    const { grants } = await rpc.call("grants.list", {});
    expect(grants).toMatchObject([
      {
        id: decision.grantId,
        kind: "program",
        programs: ["uname"],
        agentId: "main",
        sessionKey: null,
        madeFor: "uname -s",
        createdBy: "panel:test",
        keptIn: "file",
        useCount: 1,
        lastUsedCommand: "uname -a",
      },
    ]);
    expect((await rpc.call("exec.approvals.get", {})).entries).toEqual([]);
    const { entries } = await rpc.call("ledger.list", {});
    const kinds = entries.map((entry) => entry.kind);
    expect(kinds).toContain("grant.created");
    expect(kinds).toContain("grant.used");
    expect(await rpc.call("ledger.verify", {})).toMatchObject({ ok: true });
  });

  it("is withheld, with the reason, for what may never be granted", async () => {
    await start();
    for (const [command, code] of [
      ["sh -c 'uname'", "always.inlineEval"],
      ["sh -s", "always.shell"],
      ["find . -name x", "always.interpreter"],
      ["uname > x", "always.notAnalyzable"],
      ["ls *", "always.expands"],
    ] as const) {
      const outcome = exec({ command });
      const { id, digest, always } = await pendingFor(command);
      const reason = always.kind === "withheld" ? always.reason : always.scopesWithheld;
      expect(reason?.code, command).toBe(code);
      expect(always.kind === "offered" ? always.scopes : []).toEqual([]);
      const refusal = rpc.call("approvals.resolve", {
        id,
        decision: "allow-always",
        digest,
        grant: { scopeId: "exactCommand", lifetime: { kind: "session" } },
      });
      await expect(refusal, command).rejects.toThrow();
      await rpc.call("approvals.resolve", { id, decision: "deny" });
      await outcome;
    }
    expect((await rpc.call("grants.list", {})).grants).toEqual([]);
  });

  it("is taken back, and the request goes on waiting, when the command would still ask", async () => {
    await start();
    const outcome = exec({ command: "uname -s" });
    const { id, digest } = await pendingFor("uname -s");
    await writeFile(
      join(stateDir, "openclaw.json"),
      `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "always" } } }`,
    );
    await expect
      .poll(async () => (await rpc.call("app.status", {})).mode.ask, { timeout: 5000 })
      .toBe("always");
    const choice = { scopeId: "exactCommand", lifetime: { kind: "agent" as const } };
    await expect(
      rpc.call("approvals.resolve", { id, decision: "allow-always", digest, grant: choice }),
    ).rejects.toThrow("not kept");
    expect((await rpc.call("grants.list", {})).grants).toEqual([]);
    expect((await rpc.call("approvals.list", {})).pending).toHaveLength(1);
    await rpc.call("approvals.resolve", { id, decision: "deny" });
    await outcome;
  });

  it("for a script counts only while its content is the same, and the prompt says so", async () => {
    await start();
    const script = join(stateDir, "tool.sh");
    await writeFile(script, "#!/bin/sh\necho good\n", { mode: 0o755 });
    for (const scopeId of ["exactCommand", "program"]) {
      await writeFile(script, "#!/bin/sh\necho good\n");
      const { decision } = await grant(script, scopeId, { kind: "agent" });
      expect((await rpc.call("grants.list", {})).grants[0]?.pinnedFiles).toEqual([script]);
      expect(await asks(script)).toBe(false);
      await writeFile(script, "#!/bin/sh\necho evil\n");
      const outcome = exec({ command: script });
      const request = await pendingFor(script);
      expect(request.warnings).toContainEqual({
        level: "warn",
        reason: { code: "grantFileChanged", params: { path: script } },
      });
      await rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
      await outcome;
      await rpc.call("grants.revoke", { id: decision.grantId ?? "" });
    }
  });

  it("previews which past commands it covers, and which near ones still ask and why", async () => {
    await start();
    for (const command of ["touch a one", "touch a two", "touch a -c", "touch b one", "uname"])
      await asks(command);
    await asks("touch a two");
    const outcome = exec({ command: "touch a three" });
    const { id } = await pendingFor("touch a three");
    const preview = await rpc.call("approvals.previewGrant", {
      id,
      scopeId: "argumentShape",
      lifetime: { kind: "session" },
    });
    expect(preview.covered.map((past) => [past.command, past.count])).toEqual([
      ["touch a three", 1],
      ["touch a two", 2],
      ["touch a one", 1],
    ]);
    expect(preview).toMatchObject({ lookedAt: 7, coveredCount: 4, isEnough: true, notEnoughBecause: [] });
    const near = preview.nearest.map((past) => [
      past.command,
      past.difference.code,
      past.difference.params.word,
    ]);
    expect(near).toContainEqual(["touch a -c", "differs.flag", "-c"]);
    expect(near).toContainEqual(["touch b one", "differs.word", "b"]);
    expect(near).toHaveLength(2);
    expect((await rpc.call("grants.list", {})).grants).toEqual([]);
    await rpc.call("approvals.resolve", { id, decision: "deny" });
    await outcome;
  });
});

describe("an edited command", () => {
  async function waiting(command: string) {
    const outcome = exec({ command });
    return { outcome, request: await pendingFor(command) };
  }

  it("runs instead of the asked one, and agent, list and ledger say that the operator edited it", async () => {
    await start();
    const { outcome, request } = await waiting("echo asked");
    const preview = await rpc.call("approvals.explainEdit", { id: request.id, command: "echo edited" });
    if (preview.kind !== "ready") throw new Error("refused");
    expect(preview.request).toMatchObject({
      command: "echo edited",
      editedFrom: "echo asked",
      always: { kind: "withheld" },
    });
    expect(preview.request.digest).not.toBe(request.digest);
    const decision = await rpc.call("approvals.resolve", {
      id: request.id,
      decision: "allow-once",
      digest: preview.request.digest,
      editedCommand: "echo edited",
    });
    expect(decision).toMatchObject({ command: "echo asked", editedCommand: "echo edited" });
    const answer = await outcome;
    expect(answer).toMatchObject({ kind: "result", details: { editedByOperator: true, ran: "echo edited" } });
    const text = answer.kind === "result" && answer.content[0]?.type === "text" ? answer.content[0].text : "";
    expect(text).toContain("Edited by operator");
    expect(text).not.toContain("asked\n");
    const { entries } = await rpc.call("ledger.list", {});
    expect(JSON.stringify(entries.find((entry) => entry.kind === "approval.decided")?.data)).toContain(
      "echo edited",
    );
  });

  it("needs the digest of its own preview", async () => {
    await start();
    const { outcome, request } = await waiting("echo asked");
    const { id } = request;
    const other = await rpc.call("approvals.explainEdit", { id, command: "echo other" });
    const otherDigest = other.kind === "ready" ? other.request.digest : "";
    for (const digest of [request.digest, otherDigest, "0", undefined]) {
      const answer = rpc.call("approvals.resolve", {
        id,
        decision: "allow-once",
        editedCommand: "echo edited",
        ...(digest === undefined ? {} : { digest }),
      });
      await expect(answer).rejects.toThrow();
    }
    // The original's digest does not let anything else through, and still lets the original through.
    await rpc.call("approvals.resolve", { id, decision: "allow-once", digest: request.digest });
    expect(await outcome).toMatchObject({ content: [{ text: "asked" }] });
  });

  it("is refused by both gates as a command of the agent would be, and the request goes on waiting", async () => {
    await start();
    const { outcome, request } = await waiting("echo asked");
    const { id } = request;
    for (const command of ["sallyport approvals resolve x allow-once", "  "]) {
      expect(await rpc.call("approvals.explainEdit", { id, command }), command).toMatchObject({
        kind: "refused",
      });
      await expect(
        rpc.call("approvals.resolve", { id, decision: "allow-once", editedCommand: command, digest: "x" }),
      ).rejects.toThrow();
    }
    await writeFile(join(stateDir, "openclaw.json"), `{ tools: { profile: "coding", deny: ["exec"] } }`);
    await expect
      .poll(() => rpc.call("approvals.explainEdit", { id, command: "echo edited" }), { timeout: 5000 })
      .toMatchObject({ kind: "refused", reason: { code: "toolHidden" } });
    expect((await rpc.call("approvals.list", {})).pending).toHaveLength(1);
    await rpc.call("approvals.resolve", { id, decision: "deny" });
    await outcome;
  });

  it("is bound to the files of the edited command", async () => {
    await start();
    const script = join(stateDir, "tool.sh");
    await writeFile(script, "#!/bin/sh\necho good\n", { mode: 0o755 });
    const { outcome, request } = await waiting("echo asked");
    const preview = await rpc.call("approvals.explainEdit", { id: request.id, command: script });
    if (preview.kind !== "ready") throw new Error("refused");
    await writeFile(script, "#!/bin/sh\necho evil\n");
    await expect(
      rpc.call("approvals.resolve", {
        id: request.id,
        decision: "allow-once",
        digest: preview.request.digest,
        editedCommand: script,
      }),
    ).rejects.toThrow("changed");
    await rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
    await outcome;
  });

  it("cannot be made lasting", async () => {
    await start();
    const { outcome, request } = await waiting("echo asked");
    const { id, digest } = request;
    for (const extra of [
      { editedCommand: "echo x" },
      { editedCommand: "echo x", grant: { scopeId: "exactCommand", lifetime: { kind: "session" as const } } },
    ])
      await expect(
        rpc.call("approvals.resolve", { id, decision: "allow-always", digest, ...extra }),
      ).rejects.toThrow("only be allowed once");
    await rpc.call("approvals.resolve", { id, decision: "deny" });
    await outcome;
  });
});

describe("explanations and hygiene", () => {
  it("explains a waiting command word by word", async () => {
    await start();
    const outcome = exec({ command: "rm -rf build" });
    const { id } = await pendingFor("rm -rf build");
    const { words } = await rpc.call("approvals.explain", { id });
    expect(words.map((word) => [word.text, word.codes[0] ?? null, word.isDanger])).toEqual([
      ["rm", "rm", false],
      ["-rf", "rm -fr", true],
      ["build", null, false],
    ]);
    await rpc.call("approvals.resolve", { id, decision: "deny" });
    await outcome;
  });

  it("says which entries are shadowed or were never used, and which grants an entry makes needless", async () => {
    await start();
    await grant("uname -s", "program", { kind: "agent" });
    const resolved = (await rpc.call("grants.list", {})).grants[0]?.stores[0]?.[0]?.text ?? "";
    const folder = resolved.slice(0, resolved.lastIndexOf("/"));
    await rpc.call("exec.approvals.allowlistAdd", { pattern: resolved, agentId: "main" });
    await rpc.call("exec.approvals.allowlistAdd", { pattern: `${folder}/*`, agentId: "*" });
    const view = await rpc.call("exec.approvals.get", {});
    let { entries } = view;
    const codes = (pattern: string) =>
      entries.find((entry) => entry.pattern === pattern)?.findings.map((finding) => finding.code);
    expect(codes(resolved)).toContain("entry.shadowed");
    expect(codes(`${folder}/*`)).toContain("entry.tooBroad");
    expect(codes(`${folder}/*`)).not.toContain("entry.shadowed");
    const findings = (await rpc.call("grants.list", {})).grants[0]?.findings.map((finding) => finding.code);
    expect(findings).toContain("grant.shadowed");
    aheadMs = 40 * 86_400_000;
    const later = (await rpc.call("grants.list", {})).grants[0]?.findings.map((finding) => finding.code);
    expect(later).toContain("grant.unused");
    const file = {
      version: 1,
      agents: { main: { allowlist: [{ pattern: "/bin/true" }, { pattern: resolved, lastUsedAt: 1 }] } },
    };
    ({ entries } = await rpc.call("exec.approvals.set", { file, baseHash: view.hash }));
    expect(codes("/bin/true")).toContain("entry.neverUsed");
    expect(codes(resolved)).toContain("entry.unused");
  });
});
