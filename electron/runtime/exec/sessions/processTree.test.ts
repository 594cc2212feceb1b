import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecSessions } from "./execSessions.ts";
import { execIdOfProcess, parseStat } from "./processTable.ts";
import { createTestSessions, isAlive, shellRequest, testEnv, testScope, until } from "./testSupport.ts";
import type { RunningDetails } from "./types.ts";

let sessions: ExecSessions;
let folder: string;
beforeEach(() => {
  sessions = createTestSessions();
  folder = mkdtempSync(join(tmpdir(), "tree-"));
});
afterEach(async () => {
  await sessions.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `text` in the background and waits until it wrote `count` pids to the file $PIDS. */
async function startTree(text: string, count: number, extra: Parameters<typeof shellRequest>[1] = {}) {
  const file = join(folder, "pids");
  const result = await sessions.start(
    shellRequest(text, { background: true, env: { ...testEnv, PIDS: file }, ...extra }),
  );
  const read = (): number[] => {
    try {
      return readFileSync(file, "utf8").trim().split(/\s+/).map(Number);
    } catch {
      // Not written yet.
      return [];
    }
  };
  await until("pids", () => read().length === count && read().every((pid) => pid > 0));
  return { sessionId: (result.details as RunningDetails).sessionId, pids: read() };
}

const stubborn = 'sh -c \'trap "" TERM; echo $$ >> "$PIDS"; while :; do sleep 0.2; done\'';

describe("ending a tree", () => {
  it.each([
    ["pipes", false],
    ["a terminal", true],
  ])("ends children and grandchildren behind %s", async (_title, pty) => {
    const { sessionId, pids } = await startTree(
      "sh -c 'echo $$ >> $PIDS; sleep 60 & echo $! >> $PIDS; wait' & wait",
      2,
      { pty },
    );
    expect(sessions.treeSize(sessionId)).toBe(3);
    expect(sessions.treeSizes().get(sessionId)).toBe(3);
    const end = await sessions.kill(sessionId, testScope);
    expect(end).toMatchObject({ treeGone: true, remainingPids: [], escalated: false });
    expect(pids.some(isAlive)).toBe(false);
    expect(sessions.get(sessionId)).toMatchObject({ status: "failed", exitSignal: "SIGTERM" });
    expect(sessions.treeSize(sessionId)).toBe(0);
  });

  it("escalates for a grandchild that ignores SIGTERM", async () => {
    const { sessionId, pids } = await startTree(`${stubborn} & wait`, 1);
    const end = await sessions.kill(sessionId);
    expect(end).toMatchObject({ treeGone: true, escalated: true });
    expect(pids.some(isAlive)).toBe(false);
  });

  it("finds a descendant that left its session and lost its parent", async () => {
    const { sessionId, pids } = await startTree(
      "(setsid sh -c 'echo $$ >> $PIDS; exec sleep 60' >/dev/null 2>&1 &) ; sleep 60",
      1,
    );
    await sessions.kill(sessionId);
    expect(pids.some(isAlive)).toBe(false);
  });

  it("finds a descendant without environment whose parent exited, by its process group", async () => {
    const { sessionId, pids } = await startTree(
      "env -i /bin/sh -c 'echo $$ >> '\"$PIDS\"'; sleep 60' & echo started",
      1,
    );
    await until("shell exited", () => sessions.get(sessionId)?.state.kind === "outputHeld");
    expect(await sessions.kill(sessionId)).toMatchObject({ treeGone: true });
    expect(pids.some(isAlive)).toBe(false);
  });

  it("ends every member of a pipeline", async () => {
    const sleeper = { file: "/bin/sleep", argv: ["sleep", "60"] };
    const result = await sessions.start({
      ...shellRequest("sleep 60 | sleep 60 | sleep 60", { background: true }),
      plan: { kind: "argv", chain: [{ op: null, pipeline: [sleeper, sleeper, sleeper] }] },
    });
    const { sessionId } = result.details as RunningDetails;
    expect(sessions.treeSize(sessionId)).toBe(3);
    expect(await sessions.kill(sessionId)).toMatchObject({ treeGone: true });
    expect(sessions.get(sessionId)?.state.kind).toBe("ended");
  });

  it("answers a timeout only when the stubborn rest is gone too", async () => {
    const file = join(folder, "pids");
    const result = await sessions.start(
      shellRequest(`${stubborn} & wait`, { timeoutMs: 500, env: { ...testEnv, PIDS: file } }),
    );
    expect(result.text).toContain("timed out after 0.5 seconds");
    expect(isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });
});

describe("execIdOfProcess", () => {
  it("finds the marker of a descendant and none for this process", async () => {
    const { pids } = await startTree("env -i /bin/sh -c 'echo $$ >> '\"$PIDS\"'; sleep 60'; true", 1);
    // Its own environment is empty: the parent tells.
    expect(execIdOfProcess(pids[0] ?? 0)).toMatch(/^[0-9a-f-]{36}$/);
    expect(execIdOfProcess(process.pid)).toBeUndefined();
  });
});

describe("parseStat", () => {
  it("is not misled by a command name with spaces and parentheses", () => {
    const tail = `S 1 7 8 ${Array.from({ length: 15 }, () => "0").join(" ")} 4242 0`;
    expect(parseStat(`12 (a) S 99 (b) ${tail}`)).toMatchObject({
      pid: 12,
      ppid: 1,
      pgid: 7,
      sid: 8,
      startTime: "4242",
      isZombie: false,
    });
    expect(parseStat("nonsense")).toBeUndefined();
  });

  it("takes a process whose first thread has ended for alive while another one runs", () => {
    const stat = (threads: number) => `12 (a) Z 1 7 8 ${"0 ".repeat(13)}${threads} 0 4242 0`;
    expect(parseStat(stat(3))).toMatchObject({ startTime: "4242", isZombie: false });
    expect(parseStat(stat(1))).toMatchObject({ startTime: "4242", isZombie: true });
  });
});
