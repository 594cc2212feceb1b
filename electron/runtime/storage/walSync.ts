/** Brings what SQLite has committed from the system's memory to the disk, in the background and together. */

import { open } from "node:fs/promises";
import type { Logger } from "../logging/logger.ts";
import { errnoOf } from "./atomicWrite.ts";

/** Commits within this time are flushed together. */
const gatherMs = 5;

export interface WalSync {
  /** Starts in a moment, or follows the one that is on its way, since that one may have begun too early. */
  soon(): void;
  /** Resolves when nothing is on its way. */
  settled(): Promise<void>;
}

/**
 * A commit in WAL mode is safe from a crash of this process as soon as it returns; against a power cut it needs a
 * flush of the log file. Waiting for that would hold up every tool call for as long as the disk takes, several times.
 * @param databasePath the log file has the same name with `-wal` behind it
 */
export function createWalSync(databasePath: string, logger: Logger): WalSync {
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isWanted = false;

  const flush = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      try {
        const handle = await open(`${databasePath}-wal`, "r+");
        try {
          await handle.datasync();
        } finally {
          await handle.close();
        }
      } catch (error) {
        // Folded in and removed when the database was closed: then the database file itself was flushed.
        if (errnoOf(error) === "ENOENT") continue;
        logger.warn("database.notFlushed", { path: databasePath, error });
      }
    }
  };

  const start = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running ??= flush().finally(() => {
      running = null;
    });
  };

  return {
    soon() {
      isWanted = true;
      // A call commits several times in a row, and what it waits for should not wait for this.
      timer ??= setTimeout(start, gatherMs);
    },
    async settled() {
      if (timer !== null) start();
      while (running !== null) await running;
    },
  };
}
