/** Shapes for the states of a process, and the order in which processes are listed. */

import type { ProcessInfo } from "../../../shared/contract/index.ts";
import type { VerdictKind } from "../../ui/index.ts";

export function stateShape(state: ProcessInfo["state"]): VerdictKind {
  switch (state.kind) {
    case "running":
      return "running";
    case "lingering":
    case "ending":
      return "asks";
    case "exited":
      return state.exitCode === 0 ? "done" : "denied";
  }
}

export function isLive(process: ProcessInfo): boolean {
  return process.state.kind !== "exited";
}

export interface ProcessGroup {
  agentId: string;
  sessionKey: string;
  /** The part of the session key that tells sessions of an agent apart. */
  session: string;
  processes: ProcessInfo[];
}

/** Grouped by agent and session in the order in which the groups first started something; live before ended. */
export function groupProcesses(processes: readonly ProcessInfo[]): ProcessGroup[] {
  const groups = new Map<string, ProcessGroup>();
  const ordered = [...processes].sort((a, b) => a.startedAtMs - b.startedAtMs);
  for (const process of ordered) {
    const key = `${process.agentId}\u0000${process.sessionKey}`;
    const group = groups.get(key) ?? {
      agentId: process.agentId,
      sessionKey: process.sessionKey,
      session: process.sessionKey.replace(/^agent:[^:]*:/u, ""),
      processes: [],
    };
    group.processes.push(process);
    groups.set(key, group);
  }
  for (const group of groups.values())
    group.processes.sort((a, b) => Number(isLive(b)) - Number(isLive(a)) || b.startedAtMs - a.startedAtMs);
  return [...groups.values()];
}

/**
 * Which tiles stand on screen: what was there stays in its place, a picked one takes the place of the last
 * that is not in use, and live processes fill what is free.
 */
export function arrangeTiles(
  shown: readonly string[],
  processes: readonly ProcessInfo[],
  limit: number,
  picked: string | null,
): string[] {
  const known = new Set(processes.map(({ id }) => id));
  const tiles = shown.filter((id) => known.has(id)).slice(0, limit);
  const hasPicked = picked !== null && known.has(picked);
  if (hasPicked && !tiles.includes(picked)) {
    if (tiles.length < limit) tiles.push(picked);
    else tiles[tiles.length - 1] = picked;
  }
  for (const process of processes) {
    if (tiles.length >= limit) break;
    if (isLive(process) && !tiles.includes(process.id)) tiles.push(process.id);
  }
  return tiles;
}
