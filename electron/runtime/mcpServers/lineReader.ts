/** Cuts a stream into lines without ever holding more of one line than allowed. */

import { createGrowingBytes } from "./growingBytes.ts";

export interface LineReader {
  push(chunk: Buffer): void;
}

/** @param on.onTooLong called once; nothing is read after it */
export function createLineReader(
  maxBytes: number,
  on: { onLine(line: string): void; onTooLong(): void },
): LineReader {
  const begun = createGrowingBytes();
  let isOver = false;
  return {
    push(chunk) {
      let from = 0;
      while (!isOver && from < chunk.length) {
        // Only the new bytes are searched: a long line is not looked at again with each piece of it.
        const at = chunk.indexOf(10, from);
        const piece = chunk.subarray(from, at < 0 ? chunk.length : at);
        if (begun.length + piece.length > maxBytes) {
          isOver = true;
          begun.take();
          on.onTooLong();
          return;
        }
        if (at < 0) return begun.add(piece);
        from = at + 1;
        if (begun.length === 0) on.onLine(piece.toString("utf8"));
        else {
          begun.add(piece);
          on.onLine(begun.take().toString("utf8"));
        }
      }
    },
  };
}
