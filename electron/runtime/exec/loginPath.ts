/** The PATH that a login shell of this person has, found once: programs outside the app's own PATH are found too. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Logger } from "../logging/logger.ts";

/**
 * @param env asks `SHELL`; a shell that /etc/shells does not list is not started, /bin/sh is
 * @param timeoutMs the probe is ended after this
 * @returns the PATH, or null when the probe fails: then the process's own PATH is all there is
 * @see exec.md §3.8
 */
export async function probeLoginPath(
  env: Record<string, string>,
  timeoutMs: number,
  logger: Logger,
): Promise<string | null> {
  if (process.platform === "win32") return null;
  const shell = await listedShell(env.SHELL);
  return new Promise((resolve) => {
    const child = execFile(
      shell,
      ["-l", "-c", "env -0"],
      { env, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 4_194_304, encoding: "utf8" },
      (error, stdout) => {
        if (error !== null) logger.warn("exec.loginPathFailed", { shell, reason: error.message });
        const entry = stdout.split("\0").find((line) => line.startsWith("PATH="));
        resolve(entry === undefined || error !== null ? null : entry.slice("PATH=".length));
      },
    );
    child.stdin?.end();
  });
}

async function listedShell(shell: string | undefined): Promise<string> {
  if (shell === undefined) return "/bin/sh";
  const listed = await readFile("/etc/shells", "utf8").catch(() => "");
  const isListed = listed.split("\n").some((line) => line.trim() === shell);
  return isListed ? shell : "/bin/sh";
}

/**
 * Joins PATH texts, first wins, duplicates and empty parts dropped (an empty part would mean the working directory).
 */
export function joinPaths(...paths: (string | null | undefined)[]): string {
  const parts = paths.flatMap((path) => (path ?? "").split(":")).filter((part) => part.startsWith("/"));
  return [...new Set(parts)].join(":");
}
