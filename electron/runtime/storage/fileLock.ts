/** A lock per file, between processes and inside this one, for read-change-write steps. */

import { mkdir } from "node:fs/promises";
import path from "node:path";
import lockfile from "proper-lockfile";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { errnoOf, resolveLinks } from "./atomicWrite.ts";

/** A holder that died leaves its lock behind; the next one takes it over after this time. */
const staleMs = 10_000;

/** What this process does with one file stands in a row, so that its own steps never race for the lock. */
const queues = new Map<string, Promise<unknown>>();
/** Links are followed one file after another: steps stand in their row in the order in which they came. */
let arrivals: Promise<unknown> = Promise.resolve();

/**
 * Runs `run` while no other process and no other caller of this one holds the lock of the file.
 * The lock is the folder `<file>.lock` beside it; a link is followed first, so that both names share one lock.
 * Not re-entrant: `run` must not lock the same file again.
 * @param options.timeoutMs how long to wait for another process, default 15 seconds (longer than a stale lock lives)
 * @throws AppError UNAVAILABLE when another process keeps the lock, or it was lost meanwhile
 */
export async function withFileLock<T>(
  filePath: string,
  run: () => Promise<T>,
  options: { timeoutMs?: number } = {},
): Promise<T> {
  const arrived = arrivals.then(() => resolveLinks(filePath));
  arrivals = arrived.catch(ignoreFailure);
  const target = await arrived;
  const before = queues.get(target) ?? Promise.resolve();
  const mine = before.then(() => runLocked(target, run, options.timeoutMs ?? 15_000));
  // The next one waits for this step to end, not for it to succeed.
  const settled = mine.then(() => {}, ignoreFailure);
  queues.set(target, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(target) === settled) queues.delete(target);
  }
}

async function runLocked<T>(target: string, run: () => Promise<T>, timeoutMs: number): Promise<T> {
  let lost: Error | null = null;
  const release = await acquire(target, timeoutMs, (error) => {
    lost = error;
  });
  try {
    return await run();
  } finally {
    try {
      await release();
    } catch (error) {
      // A lock that was lost has nothing to release; the loss itself is what counts.
      lost ??= error instanceof Error ? error : new Error(messageOf(error));
    }
    if (lost !== null) warnLost(target, lost);
  }
}

async function acquire(target: string, timeoutMs: number, onLost: (error: Error) => void) {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const endsAtMs = performance.now() + timeoutMs;
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 1.5, 250)) {
    try {
      return await lockfile.lock(target, {
        realpath: false,
        stale: staleMs,
        update: 2_000,
        onCompromised: onLost,
      });
    } catch (cause) {
      if (errnoOf(cause) !== "ELOCKED")
        throw new AppError("UNAVAILABLE", `Cannot lock ${target}: ${messageOf(cause)}.`, {
          cause,
          data: { path: target },
        });
      if (performance.now() >= endsAtMs)
        throw new AppError(
          "UNAVAILABLE",
          `Another program is changing ${target} (lock ${target}.lock) and did not finish within ${Math.round(timeoutMs / 1000)} s. Nothing was changed; try again, or end that program.`,
          { cause, data: { path: target, lock: `${target}.lock` } },
        );
    }
    // Jitter keeps two waiting processes from meeting again and again.
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
  }
}

function warnLost(target: string, error: Error): void {
  process.emitWarning(`The lock of ${target} was lost while it was held: ${error.message}`, "SallyportLock");
}

/** Whoever began the step hears of its failure; those behind only wait for its end. */
function ignoreFailure(): void {}
