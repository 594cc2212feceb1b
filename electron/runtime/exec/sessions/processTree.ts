/** Finds and ends everything that a command started, and proves that it is gone. */

import { type ProcessRow, type ProcessTable, readProcessTable } from "./processTable.ts";

export const killGraceMs = 3000;
export const killSettleMs = 4000;
const pollStepMs = 50;

/** What a tree is recognised by. One object per run: members seen once are remembered in it. */
export interface TreeIdentity {
  /** Value of the marker in the environment of every descendant. */
  execId: string;
  /** Leaders that this process started and that have not exited; their numbers cannot have been reused. */
  livePids(): number[];
  /** Leaders ever started. The number of one that exited stays reserved while its group has members. */
  leaderPids(): number[];
  /** Start time (ticks) of the first leader, where known: older processes need no look at their environment. */
  bornTicks: number | null;
  /** Members seen by earlier looks: pid → start time. Keeps hold of those that changed session and parent. */
  known: Map<number, string>;
}

export function createTreeIdentity(
  execId: string,
  leaders: Pick<TreeIdentity, "livePids" | "leaderPids">,
  known: Map<number, string> = new Map(),
): TreeIdentity {
  return {
    execId,
    livePids: () => leaders.livePids(),
    leaderPids: () => leaders.leaderPids(),
    bornTicks: null,
    known,
  };
}

export interface TreeEnd {
  /** True when a look at the process table after the end found no member. */
  treeGone: boolean;
  endedPids: number[];
  remainingPids: number[];
  /** True when SIGTERM was not enough. */
  escalated: boolean;
}

export interface ProcessTree {
  /** @returns live members, zombies not counted; the leaders are included */
  members(identity: TreeIdentity, table?: ProcessTable): number[];
  readTable(): ProcessTable;
  /** SIGTERM, SIGKILL after 3000 ms, answer after at most 4000 ms. Never throws for processes that are gone. */
  end(identity: TreeIdentity): Promise<TreeEnd>;
}

export interface ProcessTreeOptions {
  readTable?: () => ProcessTable;
  graceMs?: number;
  settleMs?: number;
}

export function createProcessTree(options: ProcessTreeOptions = {}): ProcessTree {
  const readTable = options.readTable ?? (() => readProcessTable());
  const graceMs = options.graceMs ?? killGraceMs;
  const settleMs = options.settleMs ?? killSettleMs;

  const members = (identity: TreeIdentity, table: ProcessTable = readTable()): number[] =>
    findMembers(identity, table).map((row) => row.pid);

  return {
    members,
    readTable,
    async end(identity) {
      const startedAtMs = performance.now();
      const seen = new Set<number>();
      let escalated = false;
      let remaining = members(identity);
      signalAll(identity, remaining, "SIGTERM");
      for (const pid of remaining) seen.add(pid);
      while (remaining.length > 0) {
        const elapsedMs = performance.now() - startedAtMs;
        if (elapsedMs >= settleMs) break;
        await delay(pollStepMs);
        remaining = members(identity);
        for (const pid of remaining) seen.add(pid);
        // After the first SIGKILL every look repeats it: a member may have forked in between.
        if (remaining.length > 0 && performance.now() - startedAtMs >= graceMs) {
          escalated = true;
          signalAll(identity, remaining, "SIGKILL");
        }
      }
      const left = new Set(remaining);
      return {
        treeGone: remaining.length === 0,
        endedPids: [...seen].filter((pid) => !left.has(pid)),
        remainingPids: remaining,
        escalated,
      };
    },
  };
}

/**
 * Members are: the leaders, whatever is in their process group or session, descendants of members, everything
 * that carries the marker (also after `setsid` and a new parent), and members seen before.
 */
function findMembers(identity: TreeIdentity, table: ProcessTable): ProcessRow[] {
  const leaders = new Set(identity.livePids());
  const found = new Map<number, ProcessRow>();
  const groups = new Set<number>(leaders);
  // A process that has the number of an exited leader is a stranger, and so may be its group.
  for (const pid of identity.leaderPids()) if (!table.rows.has(pid)) groups.add(pid);
  for (const pid of leaders) identity.bornTicks ??= ticksOf(table.rows.get(pid));
  const childrenOf = new Map<number, ProcessRow[]>();
  for (const row of table.rows.values()) {
    const siblings = childrenOf.get(row.ppid);
    if (siblings === undefined) childrenOf.set(row.ppid, [row]);
    else siblings.push(row);
  }

  const isYoungEnough = (row: ProcessRow): boolean => {
    const ticks = ticksOf(row);
    return identity.bornTicks === null || ticks === null || ticks >= identity.bornTicks;
  };
  const add = (row: ProcessRow): void => {
    if (found.has(row.pid) || row.pid === process.pid || row.pid <= 1) return;
    found.set(row.pid, row);
    for (const child of childrenOf.get(row.pid) ?? []) add(child);
  };
  for (const row of table.rows.values()) {
    if (leaders.has(row.pid) || groups.has(row.pgid) || groups.has(row.sid)) add(row);
    else if (identity.known.get(row.pid) === row.startTime) add(row);
    else if (isYoungEnough(row) && table.markerOf(row.pid) === identity.execId) add(row);
  }
  if (process.platform === "win32")
    for (const pid of leaders)
      found.set(pid, { pid, ppid: 0, pgid: 0, sid: 0, startTime: "", isZombie: false });

  const alive = [...found.values()].filter((row) => !row.isZombie);
  identity.known.clear();
  for (const row of alive) identity.known.set(row.pid, row.startTime);
  return alive;
}

function ticksOf(row: ProcessRow | undefined): number | null {
  return row !== undefined && /^\d+$/.test(row.startTime) ? Number(row.startTime) : null;
}

function signalAll(identity: TreeIdentity, pids: number[], signal: "SIGTERM" | "SIGKILL"): void {
  // The group first: it reaches a child that was forked after the look at the table.
  if (process.platform !== "win32") for (const pid of identity.livePids()) send(-pid, signal);
  for (const pid of pids) send(pid, signal);
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Gone already is what we want; one that may not be signalled shows up among the remaining ones.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Keeps the event loop alive on purpose: a quitting app must still escalate to SIGKILL. */
function delay(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
