/** Tells when a file may have changed: edits in place, atomic renames, removal and return. */

import {
  existsSync,
  type FSWatcher,
  type Stats,
  unwatchFile,
  watch as watchFolder,
  watchFile as watchStat,
} from "node:fs";
import path from "node:path";
import type { Logger } from "../logging/logger.ts";
import { resolveLinks } from "./atomicWrite.ts";

/** Catches what events miss: network file systems, folders that appear later, a link that is turned. */
const pollMs = 2_000;

export interface FileWatchOptions {
  /** Events within this time become one call. */
  debounceMs?: number;
  logger: Logger;
}

/**
 * @param onChange may be called without a real change; compare contents
 * @returns stops watching; may be called twice
 */
export async function watchFile(
  filePath: string,
  onChange: () => void,
  options: FileWatchOptions,
): Promise<() => Promise<void>> {
  const target = await resolveLinks(filePath);
  const files = new Set([path.resolve(filePath), target]);
  // The folders are watched, not the files: a rename replaces the file, and with it what would be watched.
  const folders = [...new Set([...files].map((file) => path.dirname(file)))].filter((folder) =>
    existsSync(folder),
  );
  let timer: NodeJS.Timeout | undefined;
  let isDone = false;
  const changed = (): void => {
    if (isDone) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, options.debounceMs ?? 100);
    timer.unref();
  };
  const onStat = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) changed();
  };

  // By name alone: the database in the same folder changes with every tool call, and a look through the folder each
  // time would cost more than the call.
  const names = new Set([...files].map((file) => path.basename(file)));
  const watchers = folders.flatMap((folder): FSWatcher[] => {
    try {
      const watcher = watchFolder(folder, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name)) changed();
      });
      watcher.on("error", (error) => options.logger.warn("file.watchFailed", { path: filePath, error }));
      return [watcher];
    } catch (error) {
      // The look every two seconds still finds every change.
      options.logger.warn("file.watchFailed", { path: filePath, error });
      return [];
    }
  });
  watchStat(filePath, { interval: pollMs, persistent: false }, onStat);

  return async () => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    unwatchFile(filePath, onStat);
    for (const watcher of watchers) watcher.close();
  };
}
