/** Reads which processes exist: from /proc on Linux, from `ps` elsewhere. Knows the marker that exec puts on its children. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that names the exec run a process belongs to; every descendant inherits it. */
export const execMarkerName = "SALLYPORT_EXEC_ID";

export interface ProcessRow {
  pid: number;
  ppid: number;
  /** Process group and session id; 0 when the system does not tell. */
  pgid: number;
  sid: number;
  /** Tells two processes with the same pid apart: clock ticks since boot, or a start date as text. */
  startTime: string;
  /** Ended, all of it: only its number is still there. */
  isZombie: boolean;
}

export interface ProcessTable {
  rows: ReadonlyMap<number, ProcessRow>;
  /** The exec marker in the environment of a process, when it may be read. */
  markerOf(pid: number): string | undefined;
}

/** @returns every process that is visible now. Costs some milliseconds: take one table for several questions. */
export function readProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === "linux") return readLinuxTable();
  if (platform === "win32") return { rows: new Map(), markerOf: () => undefined };
  return readPsTable();
}

/** @returns the row of one process, or undefined when it does not exist. */
export function readProcess(pid: number): ProcessRow | undefined {
  return process.platform === "linux" ? readLinuxRow(pid) : readProcessTable().rows.get(pid);
}

function readLinuxTable(): ProcessTable {
  const rows = new Map<number, ProcessRow>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const row = readLinuxRow(Number(name));
    if (row !== undefined) rows.set(row.pid, row);
  }
  const markers = new Map<number, string | undefined>();
  return {
    rows,
    markerOf(pid) {
      if (!markers.has(pid)) markers.set(pid, readLinuxMarker(pid));
      return markers.get(pid);
    },
  };
}

function readLinuxRow(pid: number): ProcessRow | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    // Ended between the listing and the reading: it does not exist.
    return undefined;
  }
}

/** The command name may hold spaces and parentheses, so fields are counted after the last ")". */
export function parseStat(stat: string): ProcessRow | undefined {
  const nameEnd = stat.lastIndexOf(")");
  const pid = Number.parseInt(stat, 10);
  const fields = stat.slice(nameEnd + 2).split(" ");
  const [state, ppid, pgid, sid] = fields;
  const startTime = fields[19];
  const threads = Number(fields[17]);
  if (nameEnd < 0 || !Number.isInteger(pid) || startTime === undefined) return undefined;
  return {
    pid,
    ppid: Number(ppid),
    pgid: Number(pgid),
    sid: Number(sid),
    startTime,
    // A killed process whose first thread has ended before the others still holds its files and ports.
    isZombie: (state === "Z" && !(threads > 1)) || state === "X",
  };
}

function readLinuxMarker(pid: number): string | undefined {
  let environment: string;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // Another user's process, or one that just ended: not ours.
    return undefined;
  }
  const start = environment.startsWith(`${execMarkerName}=`)
    ? 0
    : environment.indexOf(`\0${execMarkerName}=`) + 1;
  if (start === 0 && !environment.startsWith(`${execMarkerName}=`)) return undefined;
  const valueStart = start + execMarkerName.length + 1;
  const valueEnd = environment.indexOf("\0", valueStart);
  return environment.slice(valueStart, valueEnd < 0 ? undefined : valueEnd);
}

function readPsTable(): ProcessTable {
  const rows = new Map<number, ProcessRow>();
  // lstart has a fixed width of 24 characters.
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,state=,lstart="], {
    encoding: "utf8",
    timeout: 5000,
    maxBuffer: 16 * 1024 * 1024,
  });
  for (const line of text.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null) continue;
    const pid = Number(match[1]);
    rows.set(pid, {
      pid,
      ppid: Number(match[2]),
      pgid: Number(match[3]),
      sid: 0,
      startTime: match[5] ?? "",
      isZombie: (match[4] ?? "").startsWith("Z"),
    });
  }
  return { rows, markerOf: () => undefined };
}

/**
 * Tells whether a process was started by exec, itself or through an ancestor. For refusing operator rights to
 * commands that agents run.
 * @returns the marker, or undefined when none is found
 */
export function execIdOfProcess(pid: number, table: ProcessTable = readProcessTable()): string | undefined {
  const seen = new Set<number>();
  let current = pid;
  while (current > 0 && !seen.has(current)) {
    seen.add(current);
    const marker = table.markerOf(current);
    if (marker !== undefined) return marker;
    current = table.rows.get(current)?.ppid ?? 0;
  }
  return undefined;
}
