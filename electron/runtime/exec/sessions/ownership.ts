/** Remembers which processes belong to us, so that after a crash or restart survivors can be found, adopted or ended. */

import { readFileSync } from "node:fs";
import { type ProcessTable, readProcess } from "./processTable.ts";
import { createTreeIdentity, type ProcessTree, type TreeIdentity } from "./processTree.ts";

/** One running command; plain JSON. */
export interface OwnershipEntry {
  /** The marker in the environment of every process of the run; unique for ever. */
  execId: string;
  sessionId: string;
  agentId: string;
  scopeKey: string;
  sessionKey: string | null;
  command: string;
  cwd: string;
  /** The leader at the time of recording. */
  pid: number;
  /** As the process table gives it; with the pid it names one process of one boot. */
  startTime: string;
  /** Changes with every boot; null where the system does not tell. */
  bootId: string | null;
  startedAtMs: number;
  /** Other members known at the time of recording: pid and start time. */
  members: { pid: number; startTime: string }[];
  /** The Sallyport process that started it. */
  owner: { pid: number; startTime: string };
}

/** Where entries are kept. A record with the same execId replaces the former one. */
export interface ProcessOwnership {
  record(entry: OwnershipEntry): void | Promise<void>;
  remove(execId: string): void | Promise<void>;
  list(): OwnershipEntry[] | Promise<OwnershipEntry[]>;
}

/** A command of an earlier Sallyport process that still has live processes. */
export interface ProcessSurvivor {
  /** The execId. */
  id: string;
  entry: OwnershipEntry;
  /** The recorded leader when it lives, else any member that carries the marker. */
  pid: number;
  treeSize: number;
}

export function readBootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Only Linux has it; elsewhere the start time alone decides.
    return null;
  }
}

/** @returns the start time of a process for an entry; "" when it is gone already or the system does not tell. */
export function startTimeOf(pid: number): string {
  return readProcess(pid)?.startTime ?? "";
}

/**
 * What belongs to an entry now. The pid counts only with its start time and boot; everything else must carry
 * the marker or have been seen as a member.
 */
export function identityOfEntry(entry: OwnershipEntry, bootId: string | null): TreeIdentity {
  const known = new Map<number, string>();
  const isSameBoot = entry.bootId === bootId;
  if (isSameBoot && entry.startTime !== "") known.set(entry.pid, entry.startTime);
  if (isSameBoot) for (const member of entry.members) known.set(member.pid, member.startTime);
  // No leader is ours to wait for, so group numbers prove nothing here.
  return createTreeIdentity(entry.execId, { livePids: () => [], leaderPids: () => [] }, known);
}

/** True while the Sallyport process that made the entry lives: then its commands are not ours to touch. */
export function isOwnerAlive(entry: OwnershipEntry, bootId: string | null, table: ProcessTable): boolean {
  if (entry.bootId !== bootId || entry.owner.startTime === "") return false;
  return table.rows.get(entry.owner.pid)?.startTime === entry.owner.startTime;
}

/**
 * @returns survivors, and the entries of which nothing lives any more (to be removed by the caller)
 */
export function sortEntries(
  entries: readonly OwnershipEntry[],
  tree: ProcessTree,
): { survivors: ProcessSurvivor[]; gone: OwnershipEntry[] } {
  const table = tree.readTable();
  const bootId = readBootId();
  const survivors: ProcessSurvivor[] = [];
  const gone: OwnershipEntry[] = [];
  for (const entry of entries) {
    if (isOwnerAlive(entry, bootId, table)) continue;
    const members = tree.members(identityOfEntry(entry, bootId), table);
    const first = members[0];
    if (first === undefined) gone.push(entry);
    else
      survivors.push({
        id: entry.execId,
        entry,
        pid: members.includes(entry.pid) ? entry.pid : first,
        treeSize: members.length,
      });
  }
  return { survivors, gone };
}
