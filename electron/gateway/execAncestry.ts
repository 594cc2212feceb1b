/**
 * Tells whether a process is a command that an agent runs, or was started by one: such a process may not decide what
 * agents may do. On Linux by /proc; elsewhere only one's own environment can be looked at. It is one fence of
 * several: a program of the same user that cuts every tie to its parents is not seen.
 */

import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";

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

/**
 * Whether the other end of a loopback connection is held by an agent's command or a descendant of one.
 * @param peer ports of the accepted socket, as the server sees them
 * @returns false where the system does not say
 */
export async function isPeerBelowExec(peer: { localPort: number; remotePort: number }): Promise<boolean> {
  const pids = await listPids();
  // Few processes carry the marker, mostly none: only their sockets are looked at, and those of their descendants.
  const marked = new Set<number>();
  const parents = new Map<number, number | null>();
  await Promise.all(
    pids.map(async (pid) => {
      const [environ, parent] = await Promise.all([readEnviron(pid), readParent(pid)]);
      if (environ.some(isMarker)) marked.add(pid);
      parents.set(pid, parent);
    }),
  );
  if (marked.size === 0) return false;
  const inode = await peerInode(peer);
  if (inode === null) return false;
  const below = pids.filter((pid) => isBelow(pid, marked, parents));
  const holds = await Promise.all(below.map((pid) => holdsSocket(pid, inode)));
  return holds.includes(true);
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

/** @returns the inode of the client's end: the row whose local port is our remote one */
async function peerInode({
  localPort,
  remotePort,
}: {
  localPort: number;
  remotePort: number;
}): Promise<string | null> {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    // Absent on other systems, and tcp6 where IPv6 is off.
    const text = await readFile(table, "utf8").catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex(remotePort)}`) && fields[2]?.endsWith(`:${hex(localPort)}`)) {
        return fields[9] ?? null;
      }
    }
  }
  return null;
}

async function holdsSocket(pid: number, inode: string): Promise<boolean> {
  const dir = `/proc/${pid}/fd`;
  // A process that ended meanwhile, or one of another user, holds nothing that we can see.
  const names = await readdir(dir).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${dir}/${name}`).catch(() => "")));
  return targets.includes(`socket:[${inode}]`);
}

async function listPids(): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function readEnviron(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return text.split("\0");
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
