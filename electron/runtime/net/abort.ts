/** Waiting that a cancelled call does not have to sit out. */

/** @returns what `work` gives; rejects with the signal's reason as soon as it aborts, whatever `work` does then */
export function whileNotAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
