/** A time limit around work that may never answer, and cancelling it. */

import { browserProblem } from "../problems.ts";

/**
 * The work goes on when its time is over; its result is not looked at any more.
 * @param onTimeout makes the error
 * @throws AppError `cancelled` when the signal aborts
 */
export function withinTime<T>(
  work: Promise<T>,
  limit: { timeoutMs: number; signal?: AbortSignal | undefined; onTimeout: () => Error },
): Promise<T> {
  const { signal, timeoutMs } = limit;
  return new Promise<T>((resolve, reject) => {
    const done = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const abort = () =>
      done(() => reject(browserProblem("cancelled", "Cancelled. The page may have begun to react.")));
    const timer = setTimeout(() => done(() => reject(limit.onTimeout())), timeoutMs);
    // In every case: nobody else looks at how the work ends.
    work.then(
      (value) => done(() => resolve(value)),
      (error: unknown) => done(() => reject(error)),
    );
    if (signal?.aborted === true) return abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** @throws AppError `cancelled` when the signal aborts */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(browserProblem("cancelled", "Cancelled while waiting."));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) return abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}
