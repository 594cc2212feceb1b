/**
 * Carries output of one process to a terminal without ever holding more than a bound: ordered by sequence number,
 * one write in flight, and the oldest text replaced by a marker line when the terminal cannot keep up.
 */

export interface OutputChunk {
  seq: number;
  text: string;
}

export interface OutputFeedOptions {
  /** Hands text to the terminal; `done` is called when it has been parsed. */
  write: (text: string, done: () => void) => void;
  /** The line shown in place of text that was left out. Plain text without line breaks. */
  skippedLine: (skippedChars: number) => string;
  /** Chunks are missing: read again from `afterSeq`. */
  onGap: (afterSeq: number) => void;
  /** Called whenever counts change; cheap. */
  onChange?: () => void;
  /** Most text that waits, in characters. */
  maxQueuedChars?: number;
  /** Most text of one write, in characters. */
  batchChars?: number;
}

export interface OutputFeed {
  /** Adds what arrived; chunks already seen are ignored, a hole asks for the missing ones. */
  push(chunks: readonly OutputChunk[]): void;
  /** Continues behind a hole that can no longer be filled. */
  skipTo(seq: number, droppedChars: number): void;
  /** While paused nothing is written; text waits within the bound. */
  setPaused(isPaused: boolean): void;
  /** Line breaks that wait or were left out since the pause began. */
  pendingLines(): number;
  queuedChars(): number;
  lastSeq(): number;
  dispose(): void;
}

/** Ends a half-written escape sequence and resets colours, so that the marker is readable after any cut. */
const resetSequence = "\u0018\u001b[0m";

export function createOutputFeed(options: OutputFeedOptions): OutputFeed {
  const maxQueuedChars = options.maxQueuedChars ?? 2_000_000;
  const batchChars = options.batchChars ?? 65_536;
  let queue: string[] = [];
  let head = 0;
  let queued = 0;
  let skippedChars = 0;
  let lastSeq = 0;
  let gapFrom: number | null = null;
  let isWriting = false;
  let isPaused = false;
  let isDisposed = false;
  let pendingLineCount = 0;

  const compact = () => {
    if (head < 256 || head * 2 < queue.length) return;
    queue = queue.slice(head);
    head = 0;
  };

  const takeBatch = (): string => {
    const parts: string[] = [];
    let size = 0;
    if (skippedChars > 0) {
      parts.push(`${resetSequence}\r\n${options.skippedLine(skippedChars)}\r\n`);
      skippedChars = 0;
    }
    while (head < queue.length && size < batchChars) {
      const text = queue[head] ?? "";
      parts.push(text);
      size += text.length;
      head += 1;
    }
    queued -= size;
    compact();
    return parts.join("");
  };

  const pump = () => {
    if (isWriting || isPaused || isDisposed) return;
    if (queued === 0 && skippedChars === 0) return;
    isWriting = true;
    const text = takeBatch();
    pendingLineCount = 0;
    options.write(text, () => {
      isWriting = false;
      options.onChange?.();
      pump();
    });
  };

  const bound = () => {
    while (queued > maxQueuedChars && head < queue.length) {
      const text = queue[head] ?? "";
      queue[head] = "";
      head += 1;
      queued -= text.length;
      skippedChars += text.length;
    }
    compact();
  };

  return {
    push(chunks) {
      if (isDisposed) return;
      for (const chunk of chunks) {
        if (chunk.seq <= lastSeq) continue;
        if (chunk.seq !== lastSeq + 1) {
          // Asked once per hole: the answer brings the missing chunks or skips over them.
          if (gapFrom !== lastSeq) {
            gapFrom = lastSeq;
            options.onGap(lastSeq);
          }
          break;
        }
        lastSeq = chunk.seq;
        queue.push(chunk.text);
        queued += chunk.text.length;
        if (isPaused) pendingLineCount += countLines(chunk.text);
      }
      bound();
      options.onChange?.();
      pump();
    },
    skipTo(seq, droppedChars) {
      if (isDisposed || seq <= lastSeq) return;
      lastSeq = seq;
      gapFrom = null;
      if (droppedChars > 0) {
        // Text already waiting stays in front of the hole, so the marker goes into the queue, not before it.
        const marker = `${resetSequence}\r\n${options.skippedLine(droppedChars)}\r\n`;
        queue.push(marker);
        queued += marker.length;
      }
      pump();
    },
    setPaused(next) {
      if (isPaused === next) return;
      isPaused = next;
      if (!next) pendingLineCount = 0;
      options.onChange?.();
      pump();
    },
    pendingLines: () => pendingLineCount,
    queuedChars: () => queued,
    lastSeq: () => lastSeq,
    dispose() {
      isDisposed = true;
      queue = [];
      head = 0;
      queued = 0;
    },
  };
}

function countLines(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count += 1;
  return count;
}
