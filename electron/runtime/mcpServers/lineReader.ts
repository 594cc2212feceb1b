/** Cuts a stream into lines without ever holding more of one line than allowed. */

export interface LineReader {
  push(chunk: Buffer): void;
}

/** @param on.onTooLong called once; nothing is read after it */
export function createLineReader(
  maxBytes: number,
  on: { onLine(line: string): void; onTooLong(): void },
): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  return {
    push(chunk) {
      let from = 0;
      while (!isOver && from < chunk.length) {
        // Only the new bytes are searched: a long line is not looked at again with each piece of it.
        const at = chunk.indexOf(10, from);
        const piece = chunk.subarray(from, at < 0 ? chunk.length : at);
        bytes += piece.length;
        if (bytes > maxBytes) {
          isOver = true;
          parts = [];
          on.onTooLong();
          return;
        }
        parts.push(piece);
        if (at < 0) return;
        from = at + 1;
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        bytes = 0;
        on.onLine(line);
      }
    },
  };
}
