import { describe, expect, it } from "vitest";
import type { Principal } from "../../../shared/rpc/index.ts";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { operatorScopes } from "../runtimeTypes.ts";
import { type ApprovalDraft, type Approvals, createApprovals } from "./createApprovals.ts";
import { createPresence } from "./presence.ts";

const person: Principal = { kind: "panel", id: "panel:panel", scopes: operatorScopes, approvalSurface: true };

function draft(over: Partial<ApprovalDraft> = {}): ApprovalDraft {
  return {
    kind: "exec",
    agentId: "main",
    sessionKey: "agent:main:mcp:a",
    callerId: "mcp:a",
    callerLabel: "client",
    toolCallId: "call",
    command: "git push",
    segments: [],
    analysisProblem: null,
    runsAs: { kind: "typed", shell: "/bin/sh -c" },
    host: "gateway",
    cwd: "/w",
    env: [],
    pty: false,
    background: false,
    timeoutMs: null,
    askedBecause: [{ code: "allowlistMiss", params: {} }],
    warnings: [],
    rule: { security: "allowlist", ask: "on-miss", sources: [] },
    always: { kind: "offered", stores: [{ pattern: "/usr/bin/git", agentId: "main" }] },
    onExpiry: "deny",
    lifetimeMs: 1000,
    storeAlways: async () => [{ pattern: "/usr/bin/git", agentId: "main" }],
    ...over,
  };
}

function setUp(options: { attended?: boolean; locked?: boolean; isPaused?: () => boolean } = {}) {
  const clock = createManualClock();
  const screen = { locked: options.locked ?? false };
  const presence = createPresence({
    screenLock: { isLocked: () => screen.locked },
    waitForOperator: () => false,
  });
  if (options.attended ?? true) presence.attend("panel");
  const pauseOf = () => (options.isPaused?.() === true ? { code: "agentPaused", params: {} } : null);
  const approvals = createApprovals({ clock, logger: silentLogger, presence, earlier: [], pauseOf });
  const ask = (over: Partial<ApprovalDraft> = {}, signal = new AbortController().signal) =>
    approvals.request(draft(over), signal, () => {});
  return { clock, presence, approvals, ask, screen };
}

function only(approvals: Approvals) {
  const [request] = approvals.pending();
  if (request === undefined) throw new Error("nothing waits");
  return request;
}

describe("a request for approval", () => {
  it("is allowed once with the digest of what was shown", async () => {
    const { approvals, ask } = setUp();
    const answer = ask();
    const { id, digest } = only(approvals);
    await approvals.resolve({ id, decision: "allow-once", digest }, person);
    expect(await answer).toMatchObject({
      outcome: "allowed-once",
      by: { kind: "person", principalId: "panel:panel" },
    });
    expect(approvals.pending()).toEqual([]);
  });

  it("refuses an allow without a digest or with a stale one, and keeps waiting", async () => {
    const { approvals, ask } = setUp();
    void ask();
    const { id } = only(approvals);
    await expect(approvals.resolve({ id, decision: "allow-once" }, person)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await expect(
      approvals.resolve({ id, decision: "allow-once", digest: "0" }, person),
    ).rejects.toMatchObject({
      data: { reason: "APPROVAL_STALE" },
    });
    expect(approvals.pending()).toHaveLength(1);
    approvals.dispose();
  });

  it("needs the whole id for an allow, a prefix does for a denial", async () => {
    const { approvals, ask } = setUp();
    const answer = ask();
    const { id, digest } = only(approvals);
    const prefix = id.slice(0, 8);
    await expect(
      approvals.resolve({ id: prefix, decision: "allow-once", digest }, person),
    ).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await approvals.resolve({ id: prefix, decision: "deny", note: "use a fork" }, person);
    expect(await answer).toMatchObject({ outcome: "denied", note: "use a fork" });
  });

  it("answers a second click as no longer waiting", async () => {
    const { approvals, ask } = setUp();
    void ask();
    const { id, digest } = only(approvals);
    await approvals.resolve({ id, decision: "deny" }, person);
    await expect(approvals.resolve({ id, decision: "allow-once", digest }, person)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("is refused to a window that is not the approval surface", async () => {
    const { approvals, ask } = setUp();
    void ask();
    const { id, digest } = only(approvals);
    const other = { ...person, approvalSurface: false };
    await expect(approvals.resolve({ id, decision: "allow-once", digest }, other)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    approvals.dispose();
  });

  it("expires as expired, not as a person's denial", async () => {
    const { clock, approvals, ask } = setUp();
    const answer = ask();
    clock.advance(1001);
    expect(await answer).toMatchObject({ outcome: "expired", by: { kind: "expiry" } });
    expect(approvals.recent()[0]).toMatchObject({ outcome: "expired", by: { kind: "expiry" } });
  });

  it("joins an identical request of the same session and answers both", async () => {
    const { approvals, ask } = setUp();
    const answers = [ask(), ask()];
    expect(approvals.pending()).toHaveLength(1);
    const { id, digest, joinedCount } = only(approvals);
    expect(joinedCount).toBe(2);
    await approvals.resolve({ id, decision: "allow-once", digest }, person);
    expect((await Promise.all(answers)).map((answer) => answer.outcome)).toEqual([
      "allowed-once",
      "allowed-once",
    ]);
  });

  it("does not join when anything that is shown differs", () => {
    const { approvals, ask } = setUp();
    void ask();
    void ask({ cwd: "/elsewhere" });
    void ask({ env: [{ name: "A", shown: "1", isMasked: false }] });
    void ask({ sessionKey: "agent:main:mcp:b" });
    expect(approvals.pending()).toHaveLength(4);
    approvals.dispose();
  });

  it("does not join two requests whose masked values differ", () => {
    const { approvals, ask } = setUp();
    const env = [{ name: "TOKEN", shown: "ghp_••••••", isMasked: true }];
    void ask({ env, hiddenValues: { TOKEN: "ghp_one" } });
    void ask({ env, hiddenValues: { TOKEN: "ghp_two" } });
    expect(approvals.pending()).toHaveLength(2);
    expect(JSON.stringify(approvals.pending())).not.toContain("ghp_one");
    approvals.dispose();
  });

  it("keeps waiting for the other caller when one of two leaves, and is cancelled when both did", async () => {
    const { approvals, ask } = setUp();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [ask({}, first.signal), ask({}, second.signal)];
    first.abort();
    expect(only(approvals).joinedCount).toBe(1);
    second.abort();
    expect((await Promise.all(answers)).map((answer) => answer.outcome)).toEqual(["cancelled", "cancelled"]);
    expect(approvals.pending()).toEqual([]);
  });

  it("fails closed when nobody can be reached, and says which way", async () => {
    expect(await setUp({ attended: false }).ask()).toMatchObject({
      outcome: "denied",
      by: { kind: "system", reason: { code: "noOperator" } },
    });
    expect(await setUp({ locked: true }).ask()).toMatchObject({ by: { reason: { code: "screenLocked" } } });
  });

  it("keeps waiting when the person goes away after it arrived", async () => {
    const { approvals, ask, presence, screen } = setUp();
    void ask();
    presence.leave("panel");
    screen.locked = true;
    expect(approvals.pending()).toHaveLength(1);
    approvals.dispose();
  });

  it("stays waiting when the rule of always cannot be kept", async () => {
    const { approvals, ask } = setUp();
    void ask({
      storeAlways: async () => {
        throw new Error("disk full");
      },
    });
    const { id, digest } = only(approvals);
    await expect(approvals.resolve({ id, decision: "allow-always", digest }, person)).rejects.toThrow(
      "disk full",
    );
    expect(approvals.pending()).toHaveLength(1);
    approvals.dispose();
  });

  it("refuses always when it is not offered", async () => {
    const { approvals, ask } = setUp();
    void ask({ always: { kind: "withheld", reason: { code: "always.shell", params: {} } } });
    const { id, digest } = only(approvals);
    await expect(approvals.resolve({ id, decision: "allow-always", digest }, person)).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    approvals.dispose();
  });

  it("cannot be edited when it is a change of files or rules, whatever a client sends", async () => {
    const { approvals, ask } = setUp();
    let edits = 0;
    const desk: ApprovalDraft["desk"] = {
      previewGrant: () => Promise.reject(new Error("not asked for")),
      candidate: () => [],
      whyNotCovered: () => null,
      saveGrant: () => Promise.reject(new Error("not asked for")),
      edit: () => {
        edits += 1;
        return Promise.reject(new Error("not asked for"));
      },
    };
    for (const kind of ["fileWrite", "configWrite", "broadMode"] as const) {
      void ask({ kind, desk, canEdit: true, command: `change ${kind}` });
    }
    void ask({ desk, command: "a command without the permission" });
    for (const { id, digest } of approvals.pending()) {
      const edited = { id, decision: "allow-once", digest, editedCommand: "git push --force" } as const;
      await expect(approvals.resolve(edited, person)).rejects.toMatchObject({ code: "INVALID_INPUT" });
      await expect(approvals.explainEdit({ id, command: "git push --force" })).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }
    expect(edits).toBe(0);
    expect(approvals.pending()).toHaveLength(4);
    approvals.dispose();
  });

  it("is denied while its agent is paused, a retry of a waiting one too; the waiting one stays", async () => {
    let isPaused = false;
    const { approvals, ask } = setUp({ isPaused: () => isPaused });
    void ask();
    const before = only(approvals);
    isPaused = true;
    const why = { outcome: "denied", by: { kind: "system", reason: { code: "agentPaused" } } };
    for (const over of [{}, { command: "git pull" }, { kind: "fileWrite" }, { kind: "configWrite" }] as const)
      expect(await ask(over)).toMatchObject(why);
    expect(only(approvals)).toEqual(before);
    // Acts of the browser are no commands and no files.
    void ask({ kind: "browserAct" });
    expect(approvals.pending()).toHaveLength(2);
    approvals.dispose();
  });

  it("runs nothing after a shutdown", async () => {
    const { approvals, ask } = setUp();
    const answer = ask();
    approvals.dispose();
    expect(await answer).toMatchObject({ outcome: "cancelled" });
    expect(await ask()).toMatchObject({ outcome: "cancelled" });
  });

  it("changes its digest with every fact that is shown", () => {
    const { approvals, ask } = setUp();
    void ask();
    void ask({ command: "git push --force" });
    void ask({ runsAs: { kind: "rebuilt", text: "'/usr/bin/git' 'push'" } });
    const digests = approvals.pending().map((request) => request.digest);
    expect(new Set(digests).size).toBe(3);
    approvals.dispose();
  });
});
