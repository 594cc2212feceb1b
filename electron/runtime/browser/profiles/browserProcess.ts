/** One started browser: its process tree, its last words on stderr, and its end. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { type ProcessRow, readProcess, readProcessTable } from "../../exec/sessions/processTable.ts";

/** A process that cannot be mistaken for another one with the same number. */
export interface ProcessId {
  pid: number;
  startTime: string;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface BrowserProcess {
  pid: number;
  /** "" where the system does not tell. */
  startTime: string;
  isAlive(): boolean;
  exited: Promise<ProcessExit>;
  /** The first 2000 characters of stderr. */
  stderrStart(): string;
  /** The debugging socket that it said it listens on, which no other process can say for it; null before. */
  announcedSocket(): string | null;
  /**
   * Takes note of what belongs to the tree now. What left the group, as everything inside a sandbox does, can no longer
   * be told once its parent is gone.
   */
  noteTree(): void;
  /** Ends the whole tree, also what was noted of it: politely, then by force. Resolves when it is gone. */
  end(): Promise<void>;
}

const stderrLimitChars = 2_000;
const graceMs = 2_500;
const settleMs = 3_000;
const pollMs = 50;

/** @throws AppError UNAVAILABLE when the program cannot be started */
export async function startBrowser(
  executable: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<BrowserProcess> {
  const isPosix = process.platform !== "win32";
  let stderr = "";
  let announced: string | null = null;
  let line = "";
  const child: ChildProcess = spawn(executable, [...args], {
    env,
    // A group of its own: what the browser starts ends with it.
    detached: isPosix,
    stdio: ["ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (text: string) => {
    if (stderr.length < stderrLimitChars) stderr = (stderr + text).slice(0, stderrLimitChars);
    if (announced !== null) return;
    line = (line + text).slice(-stderrLimitChars);
    announced = /^DevTools listening on (wss?:\/\/\S+)\r?$/m.exec(line)?.[1] ?? null;
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) =>
      reject(
        new AppError("UNAVAILABLE", `The browser ${executable} cannot be started: ${messageOf(cause)}.`, {
          cause,
        }),
      ),
    );
  });
  // A later error is one of signalling it; whether it lives is asked where it matters.
  child.on("error", () => {});
  const pid = child.pid;
  if (pid === undefined) throw new AppError("UNAVAILABLE", `The browser ${executable} did not start.`);
  let isAlive = true;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      isAlive = false;
      resolve({ code, signal });
    });
  });
  const startTime = readProcess(pid)?.startTime ?? "";
  const known = new Map<number, string>([[pid, startTime]]);
  return {
    pid,
    startTime,
    isAlive: () => isAlive,
    exited,
    stderrStart: () => stderr,
    announcedSocket: () => announced,
    noteTree: () => void membersOf({ pid, startTime }, known),
    end: async () => {
      await endTree({ pid, startTime }, { isLeaderAlive: () => isAlive, known });
      if (!isAlive) return;
      // The table did not know it by its start time; a child that has not been waited for keeps its number.
      signal(pid, "SIGKILL");
      await exited;
    },
  };
}

/**
 * Ends a process with everything below it and in its group.
 * @param options.isLeaderAlive known for children; for others the process table tells
 * @param options.known members seen before, by start time; grows while it is used
 */
export async function endTree(
  leader: ProcessId,
  options: { isLeaderAlive?: () => boolean; graceMs?: number; known?: Map<number, string> } = {},
): Promise<void> {
  if (process.platform === "win32") return endWindowsTree(leader.pid);
  const known = options.known ?? new Map<number, string>([[leader.pid, leader.startTime]]);
  const members = (): number[] => membersOf(leader, known);
  members();
  const isLeaderThere = () => options.isLeaderAlive?.() ?? isSameProcess(leader);
  if (isLeaderThere()) signal(leader.pid, "SIGTERM");
  const until = async (limitMs: number): Promise<boolean> => {
    const endsAtMs = performance.now() + limitMs;
    while (members().length > 0) {
      if (performance.now() > endsAtMs) return false;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    return true;
  };
  if (await until(options.graceMs ?? graceMs)) return;
  for (const pid of members()) signal(pid, "SIGKILL");
  if (await until(settleMs)) return;
  throw new AppError("INTERNAL", `Processes of the browser are still there: ${members().join(", ")}.`);
}

/** @returns true when exactly this process lives */
export function isSameProcess({ pid, startTime }: ProcessId): boolean {
  const row = readProcess(pid);
  return row !== undefined && !row.isZombie && startTime !== "" && row.startTime === startTime;
}

/** True when `pid` is the process of `leader` or one below it. */
export function isInTree(pid: number, leader: ProcessId): boolean {
  return membersOf(leader, new Map([[leader.pid, leader.startTime]])).includes(pid);
}

/** Members that were seen once stay known, also after their parent ended and they were handed on. */
function membersOf(leader: ProcessId, known: Map<number, string>): number[] {
  const { rows } = readProcessTable();
  const isKnown = (row: ProcessRow) => known.get(row.pid) === row.startTime;
  // The group's number stays reserved while it has members; before that it is the leader's own.
  const isLeaderOrGone = rows.get(leader.pid)?.startTime ?? leader.startTime;
  const isGroupOurs = isLeaderOrGone === leader.startTime;
  for (let found = true; found; ) {
    found = false;
    for (const row of rows.values()) {
      if (isKnown(row)) continue;
      const parent = rows.get(row.ppid);
      if (!(parent !== undefined && isKnown(parent)) && !(isGroupOurs && row.pgid === leader.pid)) continue;
      known.set(row.pid, row.startTime);
      found = true;
    }
  }
  return [...rows.values()].filter((row) => !row.isZombie && isKnown(row)).map(({ pid }) => pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in between, which is what was wanted; one that stays is reported by the caller.
  }
}

function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    // A process that is gone already makes it fail, which is what was wanted.
    execFile("taskkill", ["/PID", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve());
  });
}

/** @returns the arguments of a process, or null when the system does not tell */
export function commandLineOf(pid: number): string[] | null {
  if (process.platform !== "linux") return null;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
      .split("\0")
      .filter((word) => word !== "");
  } catch {
    // Ended, or another user's: nothing is known about it.
    return null;
  }
}
