/** Runs long computations in slices, so that calls, approvals and the panel get their turn in between. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../../shared/errors/index.ts";
import type { Steps } from "../../../shared/policy/debug/index.ts";

/** A frame of the panel has 16 ms; a quarter of one leaves room for what a step takes over. */
const sliceMs = 4;

/**
 * Others get their turn before the first slice and behind the last one too: reading the question and writing down the
 * answer take their time as well.
 * @throws AppError CANCELLED when the signal is aborted; between two slices it is looked at
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  const result = await runSlices(steps, signal);
  await nextTurn();
  return result;
}

async function runSlices<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    await nextTurn();
    if (signal?.aborted === true) throw new AppError("CANCELLED", "The question was withdrawn.");
    const sliceEndMs = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < sliceEndMs);
  }
}
