/** What a hostile caller can make this process keep stays bounded. */

import { afterEach, expect, it } from "vitest";
import type { ExecSessions } from "./execSessions.ts";
import { createPipeHost } from "./pipeChild.ts";
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

it("one session cannot have more than 256 commands running", async () => {
  const sessions = open();
  const start = (scopeKey = testScope) =>
    sessions.start(shellRequest("exec sleep 60", { background: true, scopeKey }));
  for (let n = 0; n < 256; n += 1) await start();
  await expect(start()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await start("agent:main:other");
});
