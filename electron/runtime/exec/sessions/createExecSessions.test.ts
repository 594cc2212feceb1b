import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../shared/errors/index.ts";
import { scopeKeyFor } from "./createExecSessions.ts";
import type { ExecSessions, ExitNotice } from "./execSessions.ts";
import { createTestSessions, isAlive, shellRequest, testScope, until } from "./testSupport.ts";
import type { RunningDetails } from "./types.ts";

const opened: ExecSessions[] = [];
function open(...args: Parameters<typeof createTestSessions>): ExecSessions {
  const sessions = createTestSessions(...args);
  opened.push(sessions);
  return sessions;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.dispose()));
});

function runningOf(result: { details: { status: string } }): RunningDetails {
  expect(result.details.status).toBe("running");
  return result.details as RunningDetails;
}

describe("a command in the foreground", () => {
  it("answers with trimmed merged output and completed details", async () => {
    const result = await open().start(
      shellRequest("echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three; echo"),
    );
    expect(result.text).toBe("one\ntwo\nthree");
    expect(result.details).toMatchObject({ status: "completed", exitCode: 0, cwd: process.cwd() });
  });

  it("says when there was no output", async () => {
    expect((await open().start(shellRequest("true"))).text).toBe("(no output)");
  });

  it("stays completed with a non-zero exit and names the code", async () => {
    const result = await open().start(shellRequest("echo bad; exit 3"));
    expect(result.text).toBe("bad\n\n(Command exited with code 3)");
    expect(result.details).toMatchObject({ status: "completed", exitCode: 3 });
  });

  it("fails with 127 for a missing program and 126 for one that is not executable", async () => {
    const sessions = open();
    const missing = await sessions.start(shellRequest("no-such-program-here"));
    expect(missing.details).toMatchObject({ status: "failed", exitCode: 127 });
    expect(missing.text).toContain("Command not found");
    const plan = { kind: "shell" as const, file: join(process.cwd(), "package.json"), args: [] };
    const forbidden = await sessions.start({ ...shellRequest("x"), plan });
    expect(forbidden.details).toMatchObject({ status: "failed", exitCode: 126 });
  });

  it("fails with the signal when it is killed by one", async () => {
    const result = await open().start(shellRequest("echo dying; kill -KILL $$"));
    expect(result.details).toMatchObject({ status: "failed", exitCode: null });
    expect(result.text).toBe("dying\n\nCommand ended by signal SIGKILL");
  });

  it("reads end-of-file from stdin at once", async () => {
    expect((await open().start(shellRequest("cat; echo done"))).text).toBe("done");
  });

  it("marks its children and tells them where they run", async () => {
    const result = await open().start(
      shellRequest('echo "$OPENCLAW_SHELL $OPENCLAW_CLI $SALLYPORT_EXEC_ID"'),
    );
    expect(result.text).toMatch(/^exec 1 [0-9a-f-]{36}$/);
  });

  it("puts warnings before the text", async () => {
    const result = await open().start(shellRequest("echo x", { warnings: ["Warning: a", "Warning: b"] }));
    expect(result.text).toBe("Warning: a\nWarning: b\n\nx");
  });

  it("ends the tree after its timeout and says how to go on", async () => {
    const result = await open().start(shellRequest("echo before; sleep 60", { timeoutMs: 300 }));
    expect(result.details).toMatchObject({ status: "failed", exitCode: null });
    expect(result.text).toContain("before");
    expect(result.text).toContain("timed out after 0.3 seconds");
    expect(result.text).toContain("higher timeout");
  });

  it("is ended by an abort while the caller waits", async () => {
    const sessions = open();
    const controller = new AbortController();
    const running = sessions.start(shellRequest("echo $$; sleep 60", { signal: controller.signal }));
    await until("output", () => (sessions.snapshot()[0]?.tail ?? "").trim() !== "");
    const pid = Number(sessions.snapshot()[0]?.tail);
    controller.abort();
    const result = await running;
    expect(result.details.status).toBe("failed");
    expect(result.text).toContain("aborted");
    expect(isAlive(pid)).toBe(false);
    expect(sessions.snapshot()).toEqual([]);
  });

  it("starts nothing when the check before spawning refuses, or the call was cancelled", async () => {
    const sessions = open();
    const refusal = new AppError("POLICY_DENIED", "The program changed.");
    const beforeSpawn = () => Promise.reject(refusal);
    await expect(sessions.start(shellRequest("echo x", { beforeSpawn }))).rejects.toBe(refusal);
    await expect(
      sessions.start(shellRequest("echo x", { signal: AbortSignal.abort() })),
    ).rejects.toMatchObject({ code: "CANCELLED" });
    expect(sessions.snapshot()).toEqual([]);
  });

  it("runs to its end with a warning where background is not allowed", async () => {
    const result = await open().start(
      shellRequest("sleep 0.3; echo end", { allowBackground: false, background: true, yieldMs: 10 }),
    );
    expect(result.details.status).toBe("completed");
    expect(result.text).toMatch(/^Warning: background.*\n\nend$/s);
  });

  it("reports the tail while it runs", async () => {
    const tails: string[] = [];
    await open().start(
      shellRequest("echo first; sleep 0.7; echo second", { onUpdate: (tail) => tails.push(tail) }),
    );
    expect(tails[0]).toBe("first\n");
    expect(tails.length).toBeLessThanOrEqual(3);
  });
});

describe("a command that is left running", () => {
  it("yields, then poll gives new output, a waiting poll its end", async () => {
    const sessions = open();
    const result = await sessions.start(shellRequest("echo a; sleep 0.6; echo b; exit 4", { yieldMs: 100 }));
    const { sessionId, pid, tail } = runningOf(result);
    expect(result.text).toContain(sessionId);
    expect(result.text).toContain(String(pid));
    expect(tail).toBe("a\n");
    const first = await sessions.poll(sessionId, testScope);
    expect(first).toMatchObject({ kind: "running", stdout: "a\n", retryInMs: 5000 });
    expect(await sessions.poll(sessionId, testScope)).toMatchObject({ stdout: "", retryInMs: 5000 });
    expect(await sessions.poll(sessionId, testScope)).toMatchObject({ stdout: "", retryInMs: 10_000 });
    const last = await sessions.poll(sessionId, testScope, { timeoutMs: 5000 });
    expect(last).toMatchObject({
      kind: "ended",
      stdout: "b\n",
      endedBy: "code 4",
      session: { status: "failed" },
    });
    expect(await sessions.poll(sessionId, testScope)).toMatchObject({
      kind: "endedBefore",
      hasUnread: false,
    });
  });

  it("returns at once in the background and ignores a later abort", async () => {
    const sessions = open();
    const controller = new AbortController();
    const result = await sessions.start(
      shellRequest("sleep 30", { background: true, signal: controller.signal }),
    );
    const { sessionId } = runningOf(result);
    controller.abort();
    expect(sessions.get(sessionId, testScope)?.state.kind).toBe("running");
    expect(sessions.treeSize(sessionId)).toBeGreaterThanOrEqual(1);
  });

  it("fails at once in the background when nothing can be spawned", async () => {
    const plan = { kind: "shell" as const, file: "/no/such/program", args: [] };
    const result = await open().start({ ...shellRequest("x", { background: true }), plan });
    expect(result.details).toMatchObject({ status: "failed", exitCode: 127 });
  });

  it("is missing for another scope, lists newest first, and is cleared only when ended", async () => {
    const sessions = open();
    const one = runningOf(await sessions.start(shellRequest("sleep 30", { background: true })));
    const two = runningOf(await sessions.start(shellRequest("echo ok", { background: true })));
    expect(sessions.list("agent:main:other")).toEqual([]);
    expect(sessions.get(one.sessionId, "agent:main:other")).toBeUndefined();
    expect(await sessions.poll(one.sessionId, "agent:main:other")).toBeUndefined();
    expect(await sessions.kill(one.sessionId, "agent:main:other")).toBeUndefined();
    expect(sessions.list(testScope).map((session) => session.sessionId)).toEqual([
      two.sessionId,
      one.sessionId,
    ]);
    await until("second ended", () => sessions.get(two.sessionId)?.status === "completed");
    expect(sessions.clear(one.sessionId, testScope)).toBe(false);
    expect(sessions.clear(two.sessionId, testScope)).toBe(true);
    expect(await sessions.remove(one.sessionId, testScope)).toBe(true);
    expect(sessions.list(testScope)).toEqual([]);
  });

  it("has a state of its own when only children hold the output", async () => {
    const sessions = open();
    const result = await sessions.start(shellRequest("sleep 30 & echo started", { yieldMs: 800 }));
    const { sessionId } = runningOf(result);
    expect(result.text).toContain("ended with code 0");
    expect(sessions.get(sessionId)).toMatchObject({
      status: "running",
      exitCode: 0,
      state: { kind: "outputHeld" },
    });
    expect(sessions.treeSize(sessionId)).toBe(1);
    expect(await sessions.kill(sessionId)).toMatchObject({ treeGone: true, remainingPids: [] });
    expect(sessions.get(sessionId)).toMatchObject({ status: "completed", exitCode: 0 });
  });

  it("sends one exit notice, and none for a silent success", async () => {
    const notices: ExitNotice[] = [];
    const sessions = open({ onExitNotice: (notice) => notices.push(notice) });
    const loud = runningOf(
      await sessions.start(shellRequest("printf 'a\\n\\n  b'; exit 2", { background: true })),
    );
    const silent = runningOf(await sessions.start(shellRequest("true", { background: true })));
    const unasked = runningOf(
      await sessions.start(shellRequest("echo x", { background: true, notifyOnExit: false })),
    );
    await until("all ended", () => sessions.list(testScope).every((session) => session.status !== "running"));
    expect(notices).toEqual([
      {
        sessionId: loud.sessionId,
        sessionKey: testScope,
        agentId: "main",
        text: `Exec failed (${loud.sessionId.slice(0, 8)}, code 2) :: a b`,
      },
    ]);
    expect([silent.sessionId, unasked.sessionId]).not.toContain(notices[0]?.sessionId);
  });

  it("refuses input on plain pipes instead of crashing", async () => {
    const sessions = open();
    const { sessionId } = runningOf(await sessions.start(shellRequest("sleep 30", { background: true })));
    expect(sessions.write(sessionId, testScope, "hello\n")).toEqual({
      ok: false,
      reason: "stdin is not writable",
    });
    expect(sessions.write("no-such", testScope, "x")).toMatchObject({ ok: false });
  });
});

describe("a terminal", () => {
  it("is 120 by 30, can be resized, and is named by TERM", async () => {
    const sessions = open();
    const script = 'stty size; echo "$TERM"; read line; stty size; echo "got $line"';
    const result = await sessions.start(shellRequest(script, { pty: true, background: true }));
    const { sessionId } = runningOf(result);
    const text = () => sessions.output(sessionId)?.aggregated ?? "";
    await until("first lines", () => text().includes("xterm-256color"));
    expect(text()).toContain("30 120");
    expect(sessions.resize(sessionId, 100, 40)).toBe(true);
    expect(sessions.write(sessionId, testScope, "hello\r")).toEqual({ ok: true, bytes: 6 });
    await until("the end", () => sessions.get(sessionId)?.status === "completed");
    expect(text()).toContain("40 100");
    expect(text()).toContain("got hello");
    expect(sessions.write(sessionId, testScope, "more")).toMatchObject({ ok: false });
    expect(sessions.resize(sessionId, 80, 24)).toBe(false);
  });

  it("talks with an interactive Python and ends it by end-of-file", async () => {
    const sessions = open();
    const { sessionId } = runningOf(
      await sessions.start(shellRequest("exec python3 -q", { pty: true, background: true })),
    );
    const text = () => sessions.output(sessionId)?.aggregated ?? "";
    await until("prompt", () => text().includes(">>>"));
    sessions.write(sessionId, testScope, "print(6*7)\r");
    await until("answer", () => /\n42/.test(text()));
    sessions.write(sessionId, testScope, "", { eof: true });
    await until("end", () => sessions.get(sessionId)?.status !== "running");
    expect(sessions.get(sessionId)?.exitCode).toBe(0);
  });

  it("answers a cursor query and removes it from the output", async () => {
    const script =
      "stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; stty sane; echo";
    const result = await open().start(shellRequest(script, { pty: true, timeoutMs: 10_000 }));
    expect(result.text.replace(/\s+/g, " ")).toContain("033 [ 1 ; 1 R");
    expect(result.text).not.toContain("[6n");
  });

  it("falls back to pipes with open stdin and a warning", async () => {
    const ptyHost = {
      ready: () => Promise.reject(new Error("no terminals here")),
      spawn: () => {
        throw new Error("unreachable");
      },
    };
    const sessions = open({ ptyHost });
    const result = await sessions.start(
      shellRequest("read line; echo got $line", { pty: true, yieldMs: 50 }),
    );
    const { sessionId } = runningOf(result);
    expect(result.text).toContain("no terminal could be opened (no terminals here)");
    expect(sessions.write(sessionId, testScope, "hi\n", { eof: true })).toEqual({ ok: true, bytes: 3 });
    await until("end", () => sessions.get(sessionId)?.status === "completed");
    expect(sessions.output(sessionId)?.aggregated).toBe("got hi\n");
  });

  it("survives writes to a program that closed its input", async () => {
    const ptyHost = { ready: () => Promise.reject(new Error("x")), spawn: () => Promise.reject() as never };
    const sessions = open({ ptyHost });
    const result = await sessions.start(
      shellRequest("exec 0<&-; echo closed; sleep 30", { pty: true, background: true }),
    );
    const { sessionId } = runningOf(result);
    await until("closed", () => (sessions.output(sessionId)?.tail ?? "").includes("closed"));
    sessions.write(sessionId, testScope, "one\n");
    await until("refusal", () => !sessions.write(sessionId, testScope, "two\n").ok);
    expect(sessions.get(sessionId)?.state.kind).toBe("running");
  });
});

describe("disposal", () => {
  it("ends everything, may be called twice, and starts nothing afterwards", async () => {
    const sessions = open();
    const { pid } = runningOf(await sessions.start(shellRequest("sleep 60", { background: true })));
    await Promise.all([sessions.dispose(), sessions.dispose()]);
    expect(pid === null || isAlive(pid)).toBe(false);
    await expect(sessions.start(shellRequest("echo x"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("retention", () => {
  it("forgets ended sessions after the kept time, not before", async () => {
    let nowMs = 1_000_000;
    const clock = {
      nowMs: () => nowMs,
      after: (delayMs: number, run: () => void) => {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    };
    const sessions = open({ clock, limits: { cleanupMs: 1 } });
    await sessions.start(shellRequest("echo x", { background: true }));
    await until("end", () => sessions.list(testScope)[0]?.status === "completed");
    nowMs += 59_999;
    expect(sessions.list(testScope)).toHaveLength(1);
    nowMs += 1;
    expect(sessions.list(testScope)).toHaveLength(0);
  });
});

describe("scopeKeyFor", () => {
  it("prefers the explicit scope, then the session key, then the agent", () => {
    expect(scopeKeyFor({ explicit: "x", sessionKey: "s", agentId: "a" })).toBe("x");
    expect(scopeKeyFor({ sessionKey: "s", agentId: "a" })).toBe("s");
    expect(scopeKeyFor({ sessionKey: "", agentId: "a" })).toBe("agent:a");
  });
});
