import { spawn } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import type { ExecSessions } from "./execSessions.ts";
import type { OwnershipEntry, ProcessOwnership } from "./ownership.ts";
import { createTestSessions, isAlive, shellRequest, testScope, until } from "./testSupport.ts";
import type { RunningDetails } from "./types.ts";

function memoryOwnership(): ProcessOwnership & { entries: Map<string, OwnershipEntry> } {
  const entries = new Map<string, OwnershipEntry>();
  return {
    entries,
    record: (entry) => {
      entries.set(entry.execId, structuredClone(entry));
    },
    remove: (execId) => {
      entries.delete(execId);
    },
    list: () => [...entries.values()],
  };
}

const opened: ExecSessions[] = [];
function open(ownership: ProcessOwnership): ExecSessions {
  const sessions = createTestSessions({ ownership });
  opened.push(sessions);
  return sessions;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.dispose()));
});

/** What a Sallyport that crashed leaves behind: entries whose owner does not exist any more. */
function afterCrash(from: Map<string, OwnershipEntry>): ReturnType<typeof memoryOwnership> {
  const left = memoryOwnership();
  for (const entry of from.values())
    left.entries.set(entry.execId, { ...entry, owner: { pid: entry.owner.pid, startTime: "1" } });
  return left;
}

async function startServer(ownership: ReturnType<typeof memoryOwnership>, text: string) {
  const sessions = open(ownership);
  const result = await sessions.start(shellRequest(text, { background: true }));
  await until("record", () => ownership.entries.size === 1);
  return { sessions, details: result.details as RunningDetails };
}

describe("survivors", () => {
  it("are found after a crash, adopted without output, and end on their own with an unknown code", async () => {
    const before = memoryOwnership();
    const { details } = await startServer(before, "exec sleep 60");
    const after = open(afterCrash(before.entries));
    const [survivor] = await after.findSurvivors();
    expect(survivor).toMatchObject({ pid: details.pid, treeSize: 1, entry: { command: "exec sleep 60" } });
    const adopted = await after.adopt(survivor?.id ?? "");
    expect(adopted).toMatchObject({ sessionId: details.sessionId, adopted: true, pid: details.pid });
    expect(await after.findSurvivors()).toEqual([]);
    expect(after.list(testScope)).toHaveLength(1);
    expect(after.write(adopted.sessionId, testScope, "x")).toMatchObject({ ok: false });
    process.kill(details.pid ?? 0, "SIGKILL");
    await until("end", () => after.get(adopted.sessionId)?.state.kind === "ended");
    expect(after.get(adopted.sessionId)).toMatchObject({
      exitCode: null,
      state: { outcome: { kind: "lost" } },
    });
  });

  it("are ended as a tree, also when the recorded leader is gone", async () => {
    const before = memoryOwnership();
    const { sessions, details } = await startServer(before, "setsid sleep 60 & exec sleep 60");
    await until("both run", () => sessions.treeSize(details.sessionId) === 2);
    const crashed = afterCrash(before.entries);
    process.kill(details.pid ?? 0, "SIGKILL");
    await until("leader gone", () => !isAlive(details.pid ?? 0));
    const after = open(crashed);
    const [survivor] = await after.findSurvivors();
    expect(survivor?.treeSize).toBe(1);
    expect(await after.endTree(survivor?.id ?? "")).toMatchObject({ treeGone: true, remainingPids: [] });
    expect(await after.findSurvivors()).toEqual([]);
    await until("entry removed", () => crashed.entries.size === 0);
  });

  it("are killed after adoption like any session", async () => {
    const before = memoryOwnership();
    const { details } = await startServer(before, "exec sleep 60");
    const after = open(afterCrash(before.entries));
    const [survivor] = await after.findSurvivors();
    const { sessionId } = await after.adopt(survivor?.id ?? "");
    expect(await after.kill(sessionId)).toMatchObject({ treeGone: true });
    expect(isAlive(details.pid ?? 0)).toBe(false);
    expect(after.get(sessionId)?.status).toBe("failed");
  });

  it("are not those of a Sallyport that still runs", async () => {
    const before = memoryOwnership();
    const { sessions } = await startServer(before, "exec sleep 60");
    const other = open(before);
    expect(await other.findSurvivors()).toEqual([]);
    expect(await sessions.findSurvivors()).toEqual([]);
    expect(before.entries.size).toBe(1);
    await expect(other.endTree([...before.entries.keys()][0] ?? "")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("are not strangers that got the same pid", async () => {
    const before = memoryOwnership();
    const { sessions } = await startServer(before, "exec sleep 60");
    const left = afterCrash(before.entries);
    await sessions.dispose();
    const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
    try {
      for (const [id, entry] of left.entries) left.entries.set(id, { ...entry, pid: stranger.pid ?? 0 });
      const after = open(left);
      expect(await after.findSurvivors()).toEqual([]);
      await until("entry forgotten", () => left.entries.size === 0);
      expect(isAlive(stranger.pid ?? 0)).toBe(true);
    } finally {
      stranger.kill("SIGKILL");
    }
  });

  it("leave no record when a command ends, and none for a short one", async () => {
    const ownership = memoryOwnership();
    const { sessions, details } = await startServer(ownership, "sleep 60");
    await sessions.kill(details.sessionId);
    await until("record removed", () => ownership.entries.size === 0);
    await sessions.start(shellRequest("true"));
    expect(ownership.entries.size).toBe(0);
  });
});
