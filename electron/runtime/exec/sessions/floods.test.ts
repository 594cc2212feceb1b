/** What a hostile caller can make this process keep stays bounded. */

import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import type { ExecSessions } from "./execSessions.ts";
import { assertRoom } from "./floodLimits.ts";
import { createPipeHost } from "./pipeChild.ts";
import type { Session } from "./session.ts";
import { createTestSessions, shellRequest, testScope, until } from "./testSupport.ts";

const opened: ExecSessions[] = [];
function open(...args: Parameters<typeof createTestSessions>): ExecSessions {
  const sessions = createTestSessions(...args);
  opened.push(sessions);
  return sessions;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.dispose()));
});

/** Sends until it is refused. @returns how many bytes were taken */
function flood(sessions: ExecSessions, sessionId: string): number {
  const chunk = "\n".repeat(100_000);
  let bytes = 0;
  for (let n = 0; n < 100; n += 1) {
    const answer = sessions.write(sessionId, testScope, chunk);
    if (!answer.ok) {
      expect(answer.reason).toContain("has not read");
      return bytes;
    }
    bytes += answer.bytes;
  }
  return bytes;
}

it("input that a program in a terminal never reads is refused beyond a megabyte", async () => {
  const sessions = open();
  const { details } = await sessions.start(shellRequest("exec sleep 60", { pty: true, background: true }));
  expect(flood(sessions, String((details as { sessionId?: string }).sessionId))).toBeLessThan(1_500_000);
});

it("input that was not read goes nowhere when its terminal is closed and the descriptor belongs to another file", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "sallyport-floods-"));
  const files: number[] = [];
  try {
    for (let round = 0; round < 10; round += 1) {
      const sessions = open();
      const { details } = await sessions.start(
        shellRequest("exec sleep 60", { pty: true, background: true }),
      );
      const sessionId = String((details as { sessionId?: string }).sessionId);
      flood(sessions, sessionId);
      await sessions.remove(sessionId, testScope);
      // The lowest free numbers are given out first: among them the terminal's.
      for (let n = 0; n < 8; n += 1) files.push(openSync(path.join(folder, `${round}-${n}`), "w"));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(files.map((fd) => fstatSync(fd).size)).toEqual(files.map(() => 0));
  } finally {
    for (const fd of files) closeSync(fd);
    rmSync(folder, { recursive: true });
  }
});

it("input that a program behind pipes never reads is refused beyond a megabyte", () => {
  const child = createPipeHost().start(
    { kind: "shell", file: "/bin/sh", args: ["-c", "exec sleep 60"] },
    { cwd: "/", env: { PATH: "/usr/bin:/bin" }, stdin: "open" },
  );
  const { pid } = child;
  try {
    let bytes = 0;
    for (let n = 0; n < 100; n += 1) {
      const answer = child.write("x".repeat(100_000));
      if (answer.ok) bytes += answer.bytes;
    }
    expect(bytes).toBeLessThan(1_500_000);
  } finally {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    child.release();
  }
});

it("of many ended commands the oldest outputs are forgotten", async () => {
  const sessions = open();
  const start = () => sessions.start(shellRequest("true", { background: true }));
  for (let n = 0; n < 230; n += 10) {
    await Promise.all(Array.from({ length: 10 }, start));
    await until("their ends", () => sessions.list(testScope).every((one) => one.status !== "running"));
  }
  expect(sessions.list(testScope).length).toBeLessThanOrEqual(210);
  await sessions.start(shellRequest("true", { background: true, scopeKey: "agent:main:other" }));
  expect(sessions.list("agent:main:other")).toHaveLength(1);
});

it("one session cannot have more than 256 commands running, and takes no room from others", () => {
  const running = { facts: { scopeKey: testScope }, outcome: () => null } as unknown as Session;
  const sessions = Array.from({ length: 256 }, () => running);
  expect(() => assertRoom(sessions, testScope)).toThrow(/no more than 256/);
  assertRoom(sessions.slice(1), testScope);
  assertRoom(sessions, "agent:main:other");
});
