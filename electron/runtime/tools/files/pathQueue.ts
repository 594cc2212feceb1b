/** Changes of the same real file run one after the other; those of different files side by side. */

export interface PathQueue {
  /**
   * @param keys real paths; taken together, so that two callers can never wait for each other
   * @param signal ends the wait; work that has started is not interrupted
   */
  run<T>(keys: readonly string[], signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createPathQueue(): PathQueue {
  const tails = new Map<string, Promise<void>>();
  return {
    async run(keys, signal, work) {
      const unique = [...new Set(keys)];
      const before = Promise.all(unique.map((key) => tails.get(key)));
      let release = () => {};
      const own = new Promise<void>((resolve) => {
        release = resolve;
      });
      // A caller that gives up still stands in line, so whoever follows waits for those before it.
      const done = Promise.all([before, own]).then(() => undefined);
      for (const key of unique) tails.set(key, done);
      void done.then(() => {
        for (const key of unique) if (tails.get(key) === done) tails.delete(key);
      });
      try {
        await abortable(before, signal);
        signal.throwIfAborted();
        return await work();
      } finally {
        release();
      }
    },
  };
}

function abortable(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    void wait.then(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
  });
}
