/** Tells when notes of an agent may have changed: made, edited, moved, removed. */

import path from "node:path";
import { watch } from "chokidar";
import { isNoteName } from "./listNotes.ts";

export interface NoteWatch {
  /** False once watching has failed: then nobody tells of changes. */
  isReliable(): boolean;
  close(): Promise<void>;
}

const depth = 24;

/** @param onChange called at each event, before anything is quiet again */
export function watchNotes(
  places: { workspace: string; extraPaths: readonly string[] },
  onChange: () => void,
  onFailure: (error: unknown) => void,
): NoteWatch {
  const workspace = path.resolve(places.workspace);
  const folder = path.join(workspace, "memory");
  const extras = places.extraPaths.map((extra) => path.resolve(workspace, extra));
  const roots = new Set([workspace, folder, ...extras]);
  const deep = [folder, ...extras];
  let isReliable = true;

  const isWanted = (candidate: string, isFile: boolean): boolean => {
    if (roots.has(candidate)) return true;
    const name = path.basename(candidate);
    const isDeep = deep.some((root) => candidate.startsWith(root + path.sep));
    if (!isDeep) return path.dirname(candidate) === workspace && /^memory\.md$/i.test(name);
    return isFile ? isNoteName(name) : name !== ".git" && name !== "node_modules";
  };

  const watcher = watch([...roots], {
    depth,
    followSymlinks: false,
    ignoreInitial: true,
    // Asked with and without facts; without, a folder cannot be told from a file, so nothing is left out yet.
    ignored: (candidate, facts) =>
      !isWanted(path.resolve(candidate), facts?.isFile() ?? isNoteName(candidate)),
  });
  watcher.on("all", onChange);
  watcher.on("error", (error) => {
    isReliable = false;
    onFailure(error);
  });
  return { isReliable: () => isReliable, close: () => watcher.close() };
}
