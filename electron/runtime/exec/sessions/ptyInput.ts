/**
 * Input of a terminal: written at once as far as it fits, the rest when the program has read. node-pty's own queue
 * writes in the background and goes on for a moment after the terminal was closed, when its descriptor may belong to
 * another file already; here nothing is ever on its way when it closes.
 */

import { writeSync } from "node:fs";
import { maxUnreadInputBytes, notRead } from "./floodLimits.ts";
import type { WriteAnswer } from "./types.ts";

const firstRetryMs = 1;
const lastRetryMs = 50;

export interface PtyInput {
  write(data: Buffer): WriteAnswer;
  /** Drops what was not taken; nothing is written after it. */
  close(): void;
}

/**
 * @param fd of the terminal, non-blocking
 * @param isOpen whether the descriptor is still the terminal's; asked right before each write
 */
export function createPtyInput(fd: number, isOpen: () => boolean): PtyInput {
  let queue: Buffer[] = [];
  let unreadBytes = 0;
  let timer: NodeJS.Timeout | null = null;
  let retryMs = firstRetryMs;

  const close = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    queue = [];
    unreadBytes = 0;
  };

  /** @returns false when the terminal takes no more for now */
  const writeSome = (head: Buffer): boolean => {
    const written = writeSync(fd, head);
    unreadBytes -= written;
    if (written === head.byteLength) queue.shift();
    else queue[0] = head.subarray(written);
    return written > 0;
  };

  const flush = () => {
    timer = null;
    try {
      for (let head = queue[0]; head !== undefined; head = queue[0]) {
        if (!isOpen()) return close();
        if (!writeSome(head)) break;
        retryMs = firstRetryMs;
      }
    } catch (error) {
      // Anything but "full": the terminal is gone, and its end is reported as the exit.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return close();
    }
    if (queue.length === 0) return;
    timer = setTimeout(flush, retryMs);
    timer.unref();
    retryMs = Math.min(retryMs * 2, lastRetryMs);
  };

  return {
    write(data) {
      if (unreadBytes + data.byteLength > maxUnreadInputBytes) return notRead;
      if (data.byteLength > 0) {
        queue.push(data);
        unreadBytes += data.byteLength;
        if (timer === null) flush();
      }
      return { ok: true, bytes: data.byteLength };
    },
    close,
  };
}
