/** Keeps an agent from approving itself: a command that Sallyport runs may not decide, nor change what decides. */

import { readFileSync } from "node:fs";
import { AppError } from "../../shared/errors/index.ts";

/** Set for every command that exec starts. */
const markers = [/^SALLYPORT_EXEC_ID=./, /^OPENCLAW_SHELL=exec$/];

export interface ProcessView {
  /** @returns the environment of a process as NAME=value, or null when it cannot be read */
  environ(pid: number): string[] | null;
  parentOf(pid: number): number | null;
}

/**
 * Looks at our own environment and at that of every ancestor: clearing a variable in between does not help.
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

/** @throws AppError FORBIDDEN when this command line runs below a command of an agent */
export function refuseSelfApproval(env: Record<string, string | undefined>, what: string): void {
  if (findExecAncestor(env, process.pid) === null) return;
  throw new AppError(
    "FORBIDDEN",
    `A command that an agent runs may not ${what}. Do it in a terminal of your own, or in the panel.`,
  );
}

function isMarker(pair: string): boolean {
  return markers.some((marker) => marker.test(pair));
}

/** /proc of Linux; elsewhere nothing can be read and only our own environment counts. */
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
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command name in brackets may hold blanks and brackets itself.
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      return Number.isInteger(parent) && parent > 0 ? parent : null;
    } catch {
      // It is gone, or there is no /proc: the walk ends here.
      return null;
    }
  },
};
