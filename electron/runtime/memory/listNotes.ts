/** Finds the notes of an agent: the usual places in its workspace and the extra ones, links never followed. */

import { lstat, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { errnoOf } from "../storage/atomicWrite.ts";

export interface Note {
  /** Relative to the workspace with `/`, absolute outside of it. */
  shownPath: string;
  /** Absolute, with links of the workspace's own path followed. */
  realPath: string;
  isForeign: boolean;
  sizeBytes: number;
  mtimeMs: number;
  /** Changes whenever the content may have. */
  stamp: string;
}

export interface NoteList {
  notes: Note[];
  skipped: { path: string; why: string }[];
}

export interface NotePlaces {
  workspace: string;
  extraPaths: readonly string[];
  refusesHardLinks: boolean;
}

export const maxNoteBytes = 8 * 1024 * 1024;
export const maxNotes = 20_000;
const maxDepth = 24;
/** Entries of folders that are no notes count too: an extra path may be a home folder. */
const maxEntries = 200_000;
/** Folders of tools, never of notes. */
const ignoredFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

export function isNoteName(name: string): boolean {
  return name.toLowerCase().endsWith(".md");
}

/** @returns every note once, by real path; what is left out comes with the reason */
export async function listNotes(places: NotePlaces, signal: AbortSignal): Promise<NoteList> {
  const notes: Note[] = [];
  const skipped: NoteList["skipped"] = [];
  const seen = new Set<string>();
  const workspace = path.resolve(places.workspace);
  const realWorkspace = await realpath(workspace).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return workspace;
    throw error;
  });
  let entries = 0;
  const skip = (absolute: string, why: string) => skipped.push({ path: shown(absolute), why });
  const shown = (absolute: string) => shownPathOf(absolute, workspace, realWorkspace);

  const addFile = async (absolute: string) => {
    if (notes.length >= maxNotes) return;
    const facts = await lstat(absolute, { bigint: true });
    if (facts.isSymbolicLink()) return skip(absolute, "is a symbolic link");
    if (!facts.isFile()) return skip(absolute, "is no regular file");
    if (facts.nlink > 1n && places.refusesHardLinks)
      return skip(absolute, "has more than one name (hard link)");
    if (facts.size > BigInt(maxNoteBytes)) return skip(absolute, "is larger than 8 MiB");
    const realPath = await realpath(absolute);
    // On file systems that fold case, MEMORY.md and memory.md are one file with two real paths.
    const identity = `${facts.dev}:${facts.ino}`;
    if (seen.has(realPath) || seen.has(identity)) return;
    seen.add(realPath).add(identity);
    const shownPath = shown(absolute);
    notes.push({
      shownPath,
      realPath,
      isForeign: path.isAbsolute(shownPath),
      sizeBytes: Number(facts.size),
      mtimeMs: Number(facts.mtimeNs / 1_000_000n),
      stamp: `${facts.mtimeNs}:${facts.ctimeNs}:${facts.size}:${facts.ino}`,
    });
    if (notes.length === maxNotes) skip(absolute, `is the last note: more than ${maxNotes} are not indexed`);
  };

  const addFolder = async (folder: string, depth: number): Promise<void> => {
    if (depth > maxDepth) return void skip(folder, "lies too deep");
    const list = await readdir(folder, { withFileTypes: true });
    for (const entry of list.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      signal.throwIfAborted();
      entries += 1;
      if (entries > maxEntries)
        return void (entries === maxEntries + 1 && skip(folder, "has too many entries"));
      const absolute = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!ignoredFolders.has(entry.name)) await guarded(absolute, () => addFolder(absolute, depth + 1));
      } else if (isNoteName(entry.name)) await guarded(absolute, () => addFile(absolute));
      else if (entry.isSymbolicLink()) skip(absolute, "is a symbolic link");
    }
  };

  /** A place that cannot be read does not hide the others. */
  const guarded = async (absolute: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      // Gone since it was listed, or never there.
      if (errnoOf(error) !== "ENOENT")
        skip(absolute, `cannot be read (${errnoOf(error) ?? "unknown error"})`);
    }
  };

  const addPlace = (absolute: string, isExtra: boolean) =>
    guarded(absolute, async () => {
      const facts = await lstat(absolute).catch((error: unknown) => {
        if (errnoOf(error) === "ENOENT" && isExtra) skip(absolute, "does not exist");
        throw error;
      });
      if (facts.isSymbolicLink()) return skip(absolute, "is a symbolic link");
      if (facts.isDirectory()) return addFolder(absolute, 0);
      if (isNoteName(absolute)) return addFile(absolute);
      return skip(absolute, "is no .md file");
    });

  for (const name of ["MEMORY.md", "memory.md"]) await addPlace(path.join(realWorkspace, name), false);
  const folder = path.join(realWorkspace, "memory");
  await guarded(folder, async () => {
    const facts = await lstat(folder);
    if (facts.isSymbolicLink()) skip(folder, "is a symbolic link");
    else if (facts.isDirectory()) await addFolder(folder, 0);
  });
  for (const extra of places.extraPaths) await addPlace(path.resolve(workspace, extra), true);
  return { notes, skipped };
}

/** @returns the path as tools show it, for an absolute one with or without links of the workspace followed */
export function shownPathOf(absolute: string, workspace: string, realWorkspace: string): string {
  for (const base of [realWorkspace, workspace]) {
    const relative = path.relative(base, absolute);
    if (
      relative !== "" &&
      relative !== ".." &&
      !relative.startsWith(`..${path.sep}`) &&
      !path.isAbsolute(relative)
    ) {
      return relative.split(path.sep).join("/");
    }
  }
  return absolute;
}
