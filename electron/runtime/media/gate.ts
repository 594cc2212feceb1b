/** Lets only so many heavy pieces of work run at once; the others wait in order. */

import { whileNotAborted } from "../net/abort.ts";

export interface Gate {
  /** @throws the signal's reason when it aborts while waiting or during the work */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createGate(limit: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    running -= 1;
    waiting.shift()?.();
  };
  const enter = async (signal: AbortSignal) => {
    while (running >= limit) {
      let wake: () => void = () => {};
      const turn = new Promise<void>((resolve) => {
        wake = resolve;
        waiting.push(resolve);
      });
      try {
        await whileNotAborted(turn, signal);
      } catch (error) {
        const at = waiting.indexOf(wake);
        if (at >= 0) waiting.splice(at, 1);
        // It was called just as it gave up: the next one takes its turn.
        else waiting.shift()?.();
        throw error;
      }
    }
    running += 1;
  };
  return {
    async run(work, signal) {
      signal.throwIfAborted();
      await enter(signal);
      const mine = (async () => work())();
      // The place stays taken until the work really ends, which may be after the caller left.
      mine.then(leave, leave);
      return whileNotAborted(mine, signal);
    },
  };
}
