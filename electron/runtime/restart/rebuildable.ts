/** Something that can be taken down and put up again in its place while the program goes on: runtime and Gateway. */

import type { Logger } from "../logging/logger.ts";

export interface RebuildableOptions<T> {
  /** Puts it up. @param old what was there before, closed by now; null at first */
  open(old: T | null): Promise<T>;
  close(current: T): Promise<void>;
  /** Another one is up and `current()` gives it. */
  onReopened?(current: T): void;
  logger: Logger;
  nowMs(): number;
  /** It could not be put up again: there is nothing left that answers. */
  onLost(error: unknown): void;
}

export interface Rebuildable<T> {
  /** What is up now; while it is being rebuilt, what was up last. */
  current(): T;
  /** Plans the rebuild behind what is being done already, and returns. */
  restart(): void;
  lastRestartAtMs(): number | null;
  /** Takes it down for good; a rebuild that has begun is finished first. May be called twice. */
  dispose(): Promise<void>;
}

/** @throws whatever `open` throws the first time */
export async function createRebuildable<T>(options: RebuildableOptions<T>): Promise<Rebuildable<T>> {
  const { logger } = options;
  let current = await options.open(null);
  let isUp = true;
  let isDisposed = false;
  let lastRestartAtMs: number | null = null;
  let work = Promise.resolve();
  let disposing: Promise<void> | null = null;

  const takeDown = async () => {
    if (!isUp) return;
    isUp = false;
    await options.close(current);
  };

  const rebuild = async () => {
    if (isDisposed) return;
    lastRestartAtMs = options.nowMs();
    await takeDown();
    if (isDisposed) return;
    current = await options.open(current);
    isUp = true;
    logger.info("restart.done");
    options.onReopened?.(current);
  };

  return {
    current: () => current,
    restart() {
      work = work.then(rebuild).catch((error: unknown) => {
        logger.error("restart.lost", { error });
        options.onLost(error);
      });
    },
    lastRestartAtMs: () => lastRestartAtMs,
    dispose() {
      isDisposed = true;
      disposing ??= work.then(takeDown);
      return disposing;
    },
  };
}
