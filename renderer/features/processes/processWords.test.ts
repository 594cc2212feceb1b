import { describe, expect, test } from "vitest";
import type { ProcessInfo } from "../../../shared/contract/index.ts";
import { ageText, countText, sizeText } from "./format.ts";
import { arrangeTiles, groupProcesses } from "./processWords.ts";

function process(id: string, change: Partial<ProcessInfo> = {}): ProcessInfo {
  return {
    id,
    agentId: "main",
    sessionKey: "agent:main:work",
    command: "true",
    name: id,
    cwd: "/",
    pid: 1,
    io: "pipe",
    canWrite: false,
    cols: 80,
    rows: 24,
    state: { kind: "running" },
    isBackground: true,
    startedAtMs: 0,
    treeSize: 1,
    bytesTotal: 0,
    bytesKept: 0,
    linesTotal: 0,
    bytesPerSecond: 0,
    toolCallId: null,
    ...change,
  };
}
const ended = { state: { kind: "exited", exitCode: 0, signal: null, endedAtMs: 1 } } as const;

describe("process list and tiles", () => {
  test("groups by agent and session, live ones first", () => {
    const groups = groupProcesses([
      process("a", ended),
      process("b", { startedAtMs: 5 }),
      process("c", { agentId: "ops", sessionKey: "agent:ops:cron", startedAtMs: 9 }),
    ]);
    expect(groups.map(({ session, processes }) => [session, processes.map(({ id }) => id)])).toEqual([
      ["work", ["b", "a"]],
      ["cron", ["c"]],
    ]);
  });

  test("keeps tiles in place and fills free ones with live processes", () => {
    const all = [process("a"), process("b"), process("c", ended), process("d"), process("e"), process("f")];
    expect(arrangeTiles([], all, 4, null)).toEqual(["a", "b", "d", "e"]);
    expect(arrangeTiles(["b", "a"], all, 4, null)).toEqual(["b", "a", "d", "e"]);
    expect(arrangeTiles(["a", "b", "d", "e"], all, 4, "c")).toEqual(["a", "b", "d", "c"]);
    expect(arrangeTiles(["gone", "b"], all, 1, null)).toEqual(["b"]);
  });

  test("writes sizes, ages and counts in few letters", () => {
    expect([sizeText(12), sizeText(38_000), sizeText(104e6)]).toEqual(["12 B", "38 kB", "104 MB"]);
    expect([ageText(31_000), ageText(842_000), ageText(6 * 3_600_000)]).toEqual(["0:31", "14:02", "6 h"]);
    expect(countText(1_918_442)).toBe("1\u2009918\u2009442");
  });
});
