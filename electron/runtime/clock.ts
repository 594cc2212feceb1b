/** Time as a dependency, so that tests decide when a request expires. */

export interface Clock {
  nowMs(): number;
  /** @returns a function that cancels the timer; the timer does not keep the process alive */
  after(delayMs: number, run: () => void): () => void;
}

/** Longest delay that a timer takes; longer waits are cut into pieces. */
const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    let timer: NodeJS.Timeout;
    const start = (leftMs: number) => {
      const stepMs = Math.min(Math.max(leftMs, 0), maxTimerMs);
      timer = setTimeout(() => (leftMs > stepMs ? start(leftMs - stepMs) : run()), stepMs);
      timer.unref();
    };
    start(delayMs);
    return () => clearTimeout(timer);
  },
};

/** A clock that moves only when told. */
export interface ManualClock extends Clock {
  advance(byMs: number): void;
}

/** @param startMs epoch milliseconds at which it starts */
export function createManualClock(startMs = 1_800_000_000_000): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; run: () => void }>();
  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(byMs) {
      const endMs = nowMs + byMs;
      for (;;) {
        const due = [...timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (due === undefined) break;
        timers.delete(due);
        nowMs = Math.max(nowMs, due.atMs);
        due.run();
      }
      nowMs = endMs;
    },
  };
}
