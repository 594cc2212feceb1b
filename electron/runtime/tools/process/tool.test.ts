import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecSessions, RunningDetails } from "../../exec/sessions/index.ts";
import { createTestSessions, shellRequest, until } from "../../exec/sessions/testSupport.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";
import { processInput } from "./schema.ts";
import { createProcessTool } from "./tool.ts";

let sessions: ExecSessions;
beforeEach(() => {
  sessions = createTestSessions();
});
afterEach(() => sessions.dispose());

const ownKey = "agent:main:test";

function contextOf(sessionKey = ownKey): ToolCallContext {
  return {
    toolCallId: "call-1",
    agentId: "main",
    sessionKey,
    callerId: "mcp:test",
    callerLabel: "test",
    senderIsOwner: false,
    canBackground: true,
    signal: new AbortController().signal,
    reportProgress: () => {},
    reportWaiting: () => {},
  };
}

/** Calls the tool as a client would, through its schema. */
async function call(args: Record<string, unknown>, sessionKey?: string) {
  const result: ToolResult = await createProcessTool({ sessions }).execute(
    processInput.parse(args),
    contextOf(sessionKey),
  );
  const first = result.content[0];
  return {
    text: first?.type === "text" ? first.text : "",
    details: (result.details ?? {}) as Record<string, unknown>,
  };
}

async function start(text: string, extra: Parameters<typeof shellRequest>[1] = {}): Promise<string> {
  const result = await sessions.start(
    shellRequest(text, { background: true, scopeKey: ownKey, sessionKey: ownKey, ...extra }),
  );
  return (result.details as RunningDetails).sessionId;
}

const ended = (sessionId: string) => until("the end", () => sessions.get(sessionId)?.state.kind === "ended");

describe("list", () => {
  it("says when there is nothing", async () => {
    expect(await call({ action: "list" })).toEqual({
      text: "No running or recent sessions.",
      details: { status: "completed", sessions: [] },
    });
  });

  it("has one line per session of this conversation, newest first", async () => {
    const one = await start("sleep 30; true");
    const two = await start("exit 3");
    await ended(two);
    const { text, details } = await call({ action: "list" });
    const [first, second] = text.split("\n");
    expect(first).toMatch(new RegExp(`^${two} completed \\d+ms :: exit 3$`));
    expect(second).toMatch(new RegExp(`^${one} running   \\d+ms :: sleep 30;$`));
    expect(details.sessions).toMatchObject([
      { sessionId: two, status: "completed", exitCode: 3, exitSignal: null, command: "exit 3" },
      { sessionId: one, status: "running", endedAt: null, exitCode: null },
    ]);
    expect((await call({ action: "list" }, "agent:main:other")).details.sessions).toEqual([]);
  });
});

describe("a session that is missing", () => {
  it.each(["poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove"])(
    "%s fails alike for no id, an unknown one and one of another conversation",
    async (action) => {
      const foreign = await start("sleep 30");
      expect((await call({ action })).details.status).toBe("failed");
      const unknown = await call({ action, sessionId: "constructor" });
      expect(unknown).toEqual({ text: "No session named constructor.", details: { status: "failed" } });
      const other = await call({ action, sessionId: foreign }, "agent:main:other");
      expect(other).toEqual({ text: `No session named ${foreign}.`, details: { status: "failed" } });
    },
  );
});

describe("poll", () => {
  it("gives new output once, then when to come back, then the end", async () => {
    const sessionId = await start("echo out; echo err >&2; read x </dev/null; sleep 0.5; exit 2");
    await until("both", () => (sessions.output(sessionId)?.tail.length ?? 0) >= 8);
    const first = await call({ action: "poll", sessionId });
    expect(first.text).toBe("out\nerr\n\nProcess still running.");
    expect(first.details).toMatchObject({ status: "running", sessionId, exitCode: null, retryInMs: 5000 });
    const retries: unknown[] = [];
    for (let index = 0; index < 5; index += 1)
      retries.push((await call({ action: "poll", sessionId })).details.retryInMs);
    expect(retries).toEqual([5000, 10_000, 30_000, 60_000, 60_000]);
    const last = await call({ action: "poll", sessionId, timeout: "5000" });
    expect(last.text).toBe("(no new output)\n\nProcess exited with code 2.");
    expect(last.details).toMatchObject({ status: "failed", exitCode: 2 });
    expect(last.details).not.toHaveProperty("retryInMs");
  });

  it("gives only the tail of a session that ended before, and names the rest", async () => {
    const sessionId = await start("seq 1 2000; exit 1");
    await ended(sessionId);
    const { text, details } = await call({ action: "poll", sessionId });
    expect(text).toContain("\n2000\n\nProcess exited with code 1.");
    expect(text).toContain("action log has the rest");
    expect(text.length).toBeLessThan(2200);
    expect(details).toMatchObject({ status: "completed", exitCode: 1 });
  });
});

describe("a poll that is cancelled", () => {
  it("ends at once and leaves what is new to the next one", async () => {
    const sessionId = await start("echo kept; sleep 30");
    await until("the output", () => sessions.output(sessionId)?.aggregated.includes("kept") === true);
    const control = new AbortController();
    const polling = createProcessTool({ sessions }).execute(
      processInput.parse({ action: "poll", sessionId, timeout: 60_000 }),
      { ...contextOf(), signal: control.signal },
    );
    control.abort();
    await expect(polling).rejects.toThrow(/abort/i);
    expect((await call({ action: "poll", sessionId })).text).toContain("kept");
  });
});

describe("log", () => {
  it("pages lines, the last 200 without a page", async () => {
    const sessionId = await start("seq 1 300");
    await ended(sessionId);
    const all = await call({ action: "log", sessionId });
    expect(all.text.startsWith("101\n")).toBe(true);
    expect(all.text).toContain("[The last 200 of 300 lines.");
    expect(all.details).toMatchObject({ total: 300, totalLines: 300, truncated: false, status: "completed" });
    expect((await call({ action: "log", sessionId, offset: 2, limit: 2 })).text).toBe("3\n4");
    expect((await call({ action: "log", sessionId, limit: 1 })).text).toBe("300");
    expect((await call({ action: "log", sessionId, offset: 298 })).text).toBe("299\n300");
  });
});

describe("input", () => {
  it("is refused with the reason on a session without a terminal", async () => {
    const sessionId = await start("sleep 30");
    for (const args of [
      { action: "write", data: "x" },
      { action: "submit" },
      { action: "paste", text: "x" },
      { action: "send-keys", keys: ["Enter"] },
    ]) {
      const { text, details } = await call({ ...args, sessionId });
      expect(text).toContain("not writable");
      expect(details.status).toBe("failed");
    }
  });

  it("reaches a terminal by write, submit, keys, paste and end-of-file", async () => {
    const script =
      'read a; echo "A=$a"; read b; echo "B=$b"; printf \'\\033[?1h\'; stty raw -echo; dd bs=1 count=3 2>/dev/null | od -An -c; dd bs=1 count=14 2>/dev/null | od -An -c; stty sane; cat; echo bye';
    const sessionId = await start(script, { pty: true });
    const tail = () => (sessions.output(sessionId)?.aggregated ?? "").replace(/\s+/g, " ");
    expect((await call({ action: "write", sessionId, data: "one" })).text).toContain("Sent 3 bytes");
    const up = await call({ action: "send-keys", sessionId, keys: ["Up"] });
    expect(up.details.status).toBe("failed");
    expect(up.text).toContain("Poll the session first");
    await call({ action: "submit", sessionId });
    await until("first line", () => tail().includes("A=one"));
    const typed = await call({
      action: "send-keys",
      sessionId,
      literal: "t",
      hex: ["77", "zz"],
      keys: ["o", "Enter"],
    });
    expect(typed.text).toContain("Warning: ");
    await until("second line", () => tail().includes("B=two"));
    await until("cursor mode", () => sessions.cursorKeyMode(sessionId) === "application");
    await call({ action: "send-keys", sessionId, keys: ["Up"] });
    await until("application key", () => tail().includes("033 O A"));
    await call({ action: "paste", sessionId, text: "ab" });
    await until("bracketed paste", () => tail().includes("033 [ 2 0 0 ~ a b 033 [ 2 0 1 ~"));
    expect((await call({ action: "write", sessionId, data: "" })).details.status).toBe("failed");
    expect((await call({ action: "paste", sessionId })).details.status).toBe("failed");
    expect((await call({ action: "send-keys", sessionId, keys: [" "] })).text).toContain("no key was given");
    await call({ action: "write", sessionId, eof: true });
    await until("end", () => tail().includes("bye"));
  });
});

describe("kill, clear and remove", () => {
  it("end the tree, keep the session until cleared, and forget it", async () => {
    const sessionId = await start("sleep 30 & sleep 30 & wait");
    await until("the tree", () => sessions.treeSize(sessionId) === 3);
    expect((await call({ action: "clear", sessionId })).text).toContain("still running");
    const kill = await call({ action: "kill", sessionId });
    expect(kill).toMatchObject({
      text: `Session ${sessionId} was ended; 3 processes are gone.`,
      details: { status: "failed" },
    });
    const poll = await call({ action: "poll", sessionId });
    expect(poll.text).toContain("Process exited with signal SIGTERM.");
    expect(poll.details.status).toBe("failed");
    expect((await call({ action: "kill", sessionId })).text).toContain("already ended");
    expect((await call({ action: "clear", sessionId })).details.status).toBe("completed");
    expect((await call({ action: "poll", sessionId })).text).toContain("No session named");
    const other = await start("sleep 30");
    expect((await call({ action: "remove", sessionId: other })).details.status).toBe("completed");
    expect(sessions.snapshot()).toEqual([]);
  });
});
