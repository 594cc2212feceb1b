/** Reads lines of one note by path; every path that is no note of the agent is refused. */

import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { cleanPath } from "../../../shared/files/index.ts";
import { errnoOf } from "../storage/atomicWrite.ts";
import { isNoteName, shownPathOf } from "./listNotes.ts";
import { readNoteText } from "./readNote.ts";

export interface GetNotePlaces {
  /** Absolute. */
  workspace: string;
  /** Absolute. */
  extraPaths: readonly string[];
  homeDir: string;
  refusesHardLinks: boolean;
}

export type GottenNote =
  | { kind: "text"; shownPath: string; text: string; isForeign: boolean; sizeBytes: number }
  /** An allowed place with nothing in it. */
  | { kind: "missing" }
  | { kind: "refused"; error: string };

const refused = (error: string): GottenNote => ({ kind: "refused", error });
const allowed =
  "Only MEMORY.md, memory.md, .md files below memory/ and those of extraPaths can be read here; take the path from memory_search.";

/** @param given as a model wrote it: relative to the workspace, or absolute */
export async function getNote(given: string, places: GetNotePlaces): Promise<GottenNote> {
  if (given.includes("\0")) return refused("The path holds a NUL character.");
  const workspace = path.resolve(places.workspace);
  const absolute = path.resolve(workspace, cleanPath(given, places.homeDir));
  if (!isNoteName(absolute)) return refused(`${given} is no .md file. ${allowed}`);
  try {
    const realWorkspace = await realpath(workspace).catch(() => workspace);
    // Spelled through the workspace's real folder, so that a link above it is no link inside it.
    const target = shownPathOf(absolute, workspace, realWorkspace);
    const isForeign = path.isAbsolute(target);
    const straight = isForeign ? absolute : path.join(realWorkspace, ...target.split("/"));
    const base = baseOf(target, straight, realWorkspace, places.extraPaths);
    if (base === null) return refused(`${given} is no note of this agent. ${allowed}`);
    const facts = await lstat(straight);
    if (facts.isSymbolicLink()) return refused(`${given} is a symbolic link, which is not followed.`);
    if (!facts.isFile()) return refused(`${given} is no regular file.`);
    if (facts.nlink > 1 && places.refusesHardLinks) {
      return refused(
        `${given} has more than one name (hard link): the same file may lie outside of the notes.`,
      );
    }
    if (!(await isStraight(base, straight))) {
      return refused(`${given} goes through a symbolic link, which is not followed.`);
    }
    const read = await readNoteText(straight);
    if (read === null)
      return refused(`${given} is larger than 8 MiB. Look at parts of it with read or exec.`);
    return { kind: "text", shownPath: target, text: read.text, isForeign, sizeBytes: read.sizeBytes };
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    if (code === undefined) throw error;
    return refused(`${given} cannot be read (${code}).`);
  }
}

/** @returns the allowed place that the path lies in (its folder, or the file itself); null when it is in none */
function baseOf(
  shownPath: string,
  absolute: string,
  realWorkspace: string,
  extraPaths: readonly string[],
): string | null {
  if (shownPath === "MEMORY.md" || shownPath === "memory.md" || shownPath.startsWith("memory/"))
    return realWorkspace;
  return extraPaths.find((extra) => absolute === extra || absolute.startsWith(extra + path.sep)) ?? null;
}

/** Whether no part below the base is a link, and an extra place is none itself. */
async function isStraight(base: string, absolute: string): Promise<boolean> {
  if ((await lstat(base)).isSymbolicLink()) return false;
  return (await realpath(absolute)) === path.join(await realpath(base), path.relative(base, absolute));
}
