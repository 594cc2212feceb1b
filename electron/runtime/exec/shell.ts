/** Which shell runs a command as typed. */

import { basename } from "node:path";

/**
 * @param find resolves a bare name on PATH, null when it is not there
 * @see exec.md §3.7
 */
export function shellFor(
  env: Record<string, string | undefined>,
  find: (name: string) => string | null,
): string {
  const shell = env.SHELL?.trim();
  if (shell === undefined || shell === "") return "/bin/sh";
  if (basename(shell) === "fish") return find("bash") ?? find("sh") ?? "/bin/sh";
  return shell;
}
