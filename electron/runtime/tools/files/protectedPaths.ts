/** The files that decide about the agent: no tool reads or writes them, whatever the configuration says. */

import type { BigIntStats } from "node:fs";
import { opendir } from "node:fs/promises";
import path from "node:path";
import { errnoOf } from "../../storage/atomicWrite.ts";
import { factsOf, isWithin, realTarget } from "./locate.ts";

export interface ProtectedPaths {
  /**
   * @param realPath links resolved, as `locate` gives it
   * @param facts of that entry; null when there is none
   * @returns a sentence why the file is out of bounds, or null
   */
  whyRefused(realPath: string, facts: BigIntStats | null, access: "read" | "write"): Promise<string | null>;
}

export interface ProtectedPathsDeps {
  /** State directories of the product and of OpenClaw, absolute; they need not exist. */
  stateDirs: readonly string[];
  /** Workspaces of all agents, absolute: the ones inside a state directory stay usable. */
  workspaces(): readonly string[];
}

/** Beginnings of names that stay closed even when a configuration puts a workspace there. */
const closedNames = [
  "openclaw.json",
  "exec-approvals",
  "sallyport",
  "desktop",
  "credentials",
  "identity",
  "devices",
  "logs",
  ".env",
];

/** Folders that agents may look into. */
const readableNames: ReadonlySet<string> = new Set(["media", "skills"]);

/** A walk that takes longer is not finished, and what cannot be checked is refused. */
const maxWalkedEntries = 20_000;

/**
 * Everything in a state directory is closed but for workspaces. Compared by real path without regard to case, and by
 * device and inode, so that links, hard links, bind mounts and other spellings lead nowhere.
 */
export function createProtectedPaths(deps: ProtectedPathsDeps): ProtectedPaths {
  return {
    async whyRefused(realPath, facts, access) {
      // Kernel files show secrets of running programs (environments, memory), and are no files to edit.
      if (isWithin("/proc", realPath) || isWithin("/sys", realPath)) {
        return "it belongs to the operating system's view of running programs";
      }
      for (const stateDir of deps.stateDirs) {
        const realDir = await realTarget(stateDir);
        const dirFacts = await factsOf(realDir);
        const inside = await insideOf(realPath, realDir, dirFacts);
        if (inside !== null && (await isClosed(inside, realDir, access))) return reason;
        if (facts?.isFile() && dirFacts !== null && (await isSameAsClosed(facts, realDir, access)))
          return reason;
      }
      return null;
    },
  };

  async function isClosed(inside: string[], realDir: string, access: "read" | "write"): Promise<boolean> {
    const first = fold(inside[0] ?? "");
    if (closedNames.some((name) => first.startsWith(name))) return true;
    if (first === "workspace" || first.startsWith("workspace-")) return false;
    // Workspaces of sandboxes; a session in one is held to its own.
    if (first === "sandboxes" && inside.length > 1) return false;
    if (access === "read" && readableNames.has(first)) return false;
    const place = path.join(realDir, ...inside);
    for (const workspace of deps.workspaces()) {
      const realWorkspace = await realTarget(workspace);
      // A workspace that is the state directory itself, or above it, opens nothing.
      const isOwnFolder = realWorkspace !== realDir && isWithin(realDir, realWorkspace);
      if (isOwnFolder && isWithin(realWorkspace, place)) return false;
    }
    return true;
  }

  /** Whether the file is, under another name, one of the closed ones. */
  async function isSameAsClosed(
    facts: BigIntStats,
    realDir: string,
    access: "read" | "write",
  ): Promise<boolean> {
    // One name only: another path to it can still be a mount of a file at the top of the directory.
    const isDeep = facts.nlink > 1n;
    let left = maxWalkedEntries;
    const visit = async (names: string[]): Promise<boolean> => {
      const entries = await openFolder(path.join(realDir, ...names));
      if (entries === null) return false;
      for await (const entry of entries) {
        left -= 1;
        if (left < 0) return true;
        const inside = [...names, entry.name];
        if (entry.isDirectory()) {
          if (isDeep && (await isClosed(inside, realDir, access)) && (await visit(inside))) return true;
        } else if (entry.isFile() && (await isClosed(inside, realDir, access))) {
          const other = await factsOf(path.join(realDir, ...inside));
          if (other !== null && isSame(facts, other)) return true;
        }
      }
      return false;
    };
    return visit([]);
  }
}

const reason =
  "it belongs to Sallyport's own state (configuration, approvals, secrets). Ask the operator to look at it or change it";

async function openFolder(folder: string) {
  try {
    return await opendir(folder);
  } catch (error) {
    // Gone meanwhile: nothing in it can be the file. Any other error stops the call, which is the stricter answer.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return null;
    throw error;
  }
}

/** @returns the parts of the path below the directory; null when it does not lie in it. Empty for the directory itself */
async function insideOf(
  realPath: string,
  realDir: string,
  dirFacts: BigIntStats | null,
): Promise<string[] | null> {
  const names: string[] = [];
  const wanted = fold(realDir);
  for (let current = realPath; ; current = path.dirname(current)) {
    if (fold(current) === wanted) return names;
    if (dirFacts !== null) {
      const facts = await factsOrNull(current);
      if (facts !== null && isSame(facts, dirFacts)) return names;
    }
    if (path.dirname(current) === current) return null;
    names.unshift(path.basename(current));
  }
}

async function factsOrNull(current: string): Promise<BigIntStats | null> {
  try {
    return await factsOf(current);
  } catch (error) {
    // A parent that is a file, or that may not be looked into, is not the state directory.
    if (errnoOf(error) === "ENOTDIR" || errnoOf(error) === "EACCES") return null;
    throw error;
  }
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Two spellings that some file system takes for one name. */
function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
