/** Limits to how fast a server is listened to, so that none keeps this program from its work. */

import type { Readable } from "node:stream";

/** What no useful server sends: reading it would keep this program from its work. */
export const maxMessagesPerSecond = 5000;

/** @returns to be called for each message; calls back when more came within a second than anybody needs */
export function floodGuard(onFlood: () => void): () => void {
  let windowStart = performance.now();
  let count = 0;
  return () => {
    count += 1;
    if (count <= maxMessagesPerSecond) return;
    const nowMs = performance.now();
    if (nowMs - windowStart < 1000) onFlood();
    windowStart = nowMs;
    count = 0;
  };
}

/** @returns to be called with the size of each piece of work; says how many milliseconds to wait before the next */
export function createPace(maxPerSecond: number): (amount: number) => number {
  let windowStart = performance.now();
  let amount = 0;
  return (more) => {
    const sinceMs = performance.now() - windowStart;
    if (sinceMs >= 1000) {
      windowStart += sinceMs;
      amount = 0;
    }
    amount += more;
    return amount <= maxPerSecond ? 0 : Math.max(0, 1000 - sinceMs);
  };
}

/**
 * Reads a stream no faster than so many bytes per second; whoever writes more has to wait.
 * @returns to be called with the length of each piece
 */
export function createBrake(stream: Readable, maxBytesPerSecond: number): (bytes: number) => void {
  const pace = createPace(maxBytesPerSecond);
  return (bytes) => {
    const waitMs = pace(bytes);
    if (waitMs === 0 || stream.isPaused()) return;
    stream.pause();
    setTimeout(() => stream.resume(), waitMs).unref();
  };
}
