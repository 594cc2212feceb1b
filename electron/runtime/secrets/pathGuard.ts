/** Whether a file that holds a secret, or a program that hands one out, can be trusted to be what its owner put there. */

import type { Stats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

export interface PathRules {
  /** A secret file must be readable by its owner alone; a program may be read by all. */
  isPrivate: boolean;
  trustedDirs: readonly string[] | undefined;
  allowSymlink: boolean;
  /** Skips owner and mode. */
  allowInsecure: boolean;
}

/**
 * @returns what is wrong, or null and the path to use (links followed when they are allowed)
 * @see supplement.md §3.2; unlike the reference, a file of root is accepted: root can replace any file anyway
 */
export async function guardPath(
  path: string,
  rules: PathRules,
  platform: NodeJS.Platform = process.platform,
): Promise<{ ok: true; path: string } | { ok: false; problem: string }> {
  const refuse = (what: string) => ({ ok: false as const, problem: `${path} ${what}` });
  if (!isAbsolute(path)) return refuse("is not an absolute path");
  let facts: Stats;
  let target = path;
  try {
    facts = await lstat(path);
    if (facts.isSymbolicLink()) {
      if (!rules.allowSymlink) return refuse("is a link; name the file itself");
      target = await realpath(path);
      facts = await stat(target);
    }
  } catch {
    // The reason may be a missing folder or a forbidden one: both mean that it cannot be used.
    return refuse("cannot be read");
  }
  if (!facts.isFile()) return refuse("is not a regular file");
  if (rules.trustedDirs !== undefined) {
    const real = await realpath(target);
    const dirs = await Promise.all(rules.trustedDirs.map((dir) => realpath(dir).catch(() => null)));
    if (!dirs.some((dir) => dir !== null && isInside(real, dir))) return refuse("is outside trustedDirs");
  }
  if (rules.allowInsecure) return { ok: true, path: target };
  if (platform === "win32") return refuse("has permissions that cannot be checked on this system");
  const uid = process.getuid?.();
  if (facts.uid !== uid && facts.uid !== 0) return refuse("belongs to another user");
  if ((facts.mode & 0o022) !== 0) return refuse("has permissions that are too open: others may write to it");
  if (rules.isPrivate && (facts.mode & 0o044) !== 0)
    return refuse("has permissions that are too open: others may read it; chmod 600 it");
  return { ok: true, path: target };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
