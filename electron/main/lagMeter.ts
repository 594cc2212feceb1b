/** Event-loop lag of the main process, p99 over the last seconds: the bar is 50 ms. */

import { monitorEventLoopDelay } from "node:perf_hooks";

const sampleEveryMs = 5000;

/** @returns a function that stops measuring */
export function startLagMeter(report: (p99Ms: number) => void): () => void {
  const resolutionMs = 10;
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const timer = setInterval(() => {
    // The histogram counts the whole interval; what a busy loop adds to it is the lag.
    report(Math.max(0, histogram.percentile(99) / 1e6 - resolutionMs));
    histogram.reset();
  }, sampleEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    histogram.disable();
  };
}
