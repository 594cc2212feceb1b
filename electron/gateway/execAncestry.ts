/**
 * Tells whether a process is a command that an agent runs, or was started by one: such a process may not decide what
 * agents may do. On Linux by /proc; elsewhere only one's own environment can be looked at. It is one fence of
 * several: a program of the same user that cuts every tie to its parents is not seen.
 */

import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { IncomingMessage } from "node:http";

/** exec sets these for every command that it starts. */
const markers = [/^SALLYPORT_EXEC_ID=./, /^OPENCLAW_SHELL=exec$/];

export interface ProcessView {
  /** @returns the environment of a process as NAME=value, or null when it cannot be read */
  environ(pid: number): string[] | null;
  parentOf(pid: number): number | null;
}

/**
 * Looks at the given environment and at that of every ancestor: clearing a variable in between does not help.
 * @returns the process that carries the marker, or null
 */
export function findExecAncestor(
  env: Record<string, string | undefined>,
  pid: number,
  view: ProcessView = procView,
): { pid: number } | null {
  const own = Object.entries(env).map(([name, value]) => `${name}=${value ?? ""}`);
  if (own.some(isMarker)) return { pid };
  let current = view.parentOf(pid);
  for (let depth = 0; current !== null && current > 1 && depth < 128; depth += 1) {
    if (view.environ(current)?.some(isMarker) === true) return { pid: current };
    current = view.parentOf(current);
  }
  return null;
}

/** Who holds the other end of a loopback connection, as far as the system says. */
export type PeerTrace =
  /** An agent's command, or a descendant of one. */
  | "exec"
  /** Nobody any more: whoever sent this closed its end, or ended, before it could be looked at. */
  | "gone"
  /** No process that we may look at, while commands of agents run. */
  | "hidden"
  /** Nothing speaks against it; also where the system says nothing (no /proc). */
  | "clear";

/**
 * Traces the other end of a loopback connection.
 * @param peer ports of the accepted socket, as the server sees them
 */
export async function tracePeer(peer: { localPort: number; remotePort: number }): Promise<PeerTrace> {
  const inodes = await peerInodes(peer);
  if (inodes === null) return "clear";
  // A program may send its request, close its end and be gone while we look: what cannot be asked is not answered.
  // Every row of these ports counts, because one of another address can be left behind on purpose.
  if (inodes.size === 0) return "gone";
  const pids = await listPids();
  // Few processes carry the marker, mostly none: only their sockets are looked at, and those of their descendants.
  const marked = new Set<number>();
  const parents = new Map<number, number | null>();
  await Promise.all(
    pids.map(async (pid) => {
      const [environ, parent] = await Promise.all([readEnviron(pid), readParent(pid)]);
      // What we started ourselves and may not look into has closed itself up.
      if (environ === null ? parent === process.pid : environ.some(isMarker)) marked.add(pid);
      parents.set(pid, parent);
    }),
  );
  if (marked.size === 0) return (await isOpen(peer, inodes)) ? "clear" : "gone";
  const below = pids.filter((pid) => isBelow(pid, marked, parents));
  if (await isHeldBy(below, inodes)) return "exec";
  // One that was just born, or that closed itself up, is in no list: then somebody else must be seen to hold it.
  const others = pids.filter((pid) => !below.includes(pid));
  if (await isHeldBy(others, inodes)) return "clear";
  return (await isOpen(peer, inodes)) ? "hidden" : "gone";
}

/**
 * Why a connection must not be taken for a person's.
 * @param who a browser may be closed up by its own sandbox, so that nobody is seen to hold its end
 * @returns a sentence, or null
 */
export async function objectionTo(
  request: Pick<IncomingMessage, "socket">,
  who: "program" | "browser",
): Promise<string | null> {
  const { localPort, remotePort } = request.socket;
  const trace =
    localPort === undefined || remotePort === undefined ? "gone" : await tracePeer({ localPort, remotePort });
  if (trace === "clear" || (trace === "hidden" && who === "browser")) return null;
  return trace === "exec"
    ? "A command that an agent runs may not act as a person here."
    : "It cannot be told which program is at the other end, and it may be a command of an agent. Try again when none runs.";
}

function isBelow(
  pid: number,
  marked: ReadonlySet<number>,
  parents: ReadonlyMap<number, number | null>,
): boolean {
  let current: number | null = pid;
  for (let depth = 0; current !== null && depth < 128; depth += 1) {
    if (marked.has(current)) return true;
    current = parents.get(current) ?? null;
  }
  return false;
}

/**
 * @returns the sockets whose local port is our remote one and the other way round, without those that no process
 *   holds any more; null where there is no such table
 */
async function peerInodes({
  localPort,
  remotePort,
}: {
  localPort: number;
  remotePort: number;
}): Promise<Set<string> | null> {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  let hasTable = false;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    // Absent on other systems, and tcp6 where IPv6 is off.
    const text = await readFile(table, "utf8").catch(() => null);
    if (text === null) continue;
    hasTable = true;
    for (const line of text.split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (!fields[1]?.endsWith(`:${hex(remotePort)}`) || !fields[2]?.endsWith(`:${hex(localPort)}`)) continue;
      const inode = fields[9];
      if (inode !== undefined && inode !== "0") inodes.add(inode);
    }
  }
  return hasTable ? inodes : null;
}

/** Whether the same end is still there after we looked: who ended meanwhile was in no list. */
async function isOpen(
  peer: { localPort: number; remotePort: number },
  before: ReadonlySet<string>,
): Promise<boolean> {
  const now = await peerInodes(peer);
  return now === null || [...before].every((inode) => now.has(inode));
}

async function isHeldBy(pids: readonly number[], inodes: ReadonlySet<string>): Promise<boolean> {
  const holds = await Promise.all(pids.map((pid) => holdsSocket(pid, inodes)));
  return holds.includes(true);
}

async function holdsSocket(pid: number, inodes: ReadonlySet<string>): Promise<boolean> {
  const dir = `/proc/${pid}/fd`;
  // A process that ended meanwhile, or one of another user, holds nothing that we can see.
  const names = await readdir(dir).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${dir}/${name}`).catch(() => "")));
  return targets.some((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? ""));
}

async function listPids(): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** @returns null for a process that may not be looked into; one that has ended has an empty environment */
async function readEnviron(pid: number): Promise<string[] | null> {
  try {
    return (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? null : [];
  }
}

async function readParent(pid: number): Promise<number | null> {
  return parseParent(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
}

function parseParent(stat: string): number | null {
  // The command name in brackets may hold blanks and brackets itself.
  const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  return Number.isInteger(parent) && parent > 0 ? parent : null;
}

function isMarker(pair: string): boolean {
  return markers.some((marker) => marker.test(pair));
}

const procView: ProcessView = {
  environ(pid) {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    } catch {
      // Another user's process, or a system without /proc.
      return null;
    }
  },
  parentOf(pid) {
    try {
      return parseParent(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      // It is gone, or there is no /proc: the walk ends here.
      return null;
    }
  },
};
