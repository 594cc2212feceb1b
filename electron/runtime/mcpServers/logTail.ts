/** The end of what a server wrote to standard error: bounded, cleaned when it is read. */

import { withoutUnseen } from "./plainText.ts";

export interface LogTail {
  add(text: string): void;
  text(): string;
  clear(): void;
}

export const maxLogChars = 16 * 1024;
const announceEveryMs = 2000;

/** @param onChanged called some time after the log grew, at most every two seconds */
export function createLogTail(onChanged: () => void): LogTail {
  let tail = "";
  let isAnnounced = false;
  return {
    add(text) {
      tail = (tail + text).slice(-maxLogChars);
      if (isAnnounced) return;
      isAnnounced = true;
      setTimeout(() => {
        isAnnounced = false;
        onChanged();
      }, announceEveryMs).unref();
    },
    text: () => withoutUnseen(tail),
    clear() {
      tail = "";
    },
  };
}
