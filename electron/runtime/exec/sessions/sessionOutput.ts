/** Collects the output of one session in bounded memory: cleaned text for the model, raw chunks for a terminal. */

import { type CursorKeyMode, createTerminalFilter, type TerminalFilter } from "./cursorQueries.ts";
import { createOutputBatch } from "./outputBatch.ts";
import { createTextTail, lastChars } from "./outputText.ts";
import type { OutputCounters, OutputStream } from "./types.ts";

export const tailChars = 2000;
const flushDelayMs = 30;
const escapeByte = 27;
/** The most raw text that one event carries; a flood is thinned out, and says so. */
const maxChunkChars = 65_536;
const screenMaxChars = 524_288;
const rateWindowMs = 2000;

/** One batch of raw output. `seq` counts from 1 without gaps. */
export interface ScreenChunk {
  seq: number;
  text: string;
  /** Characters left out before `text` because output came faster than it can be shown. */
  skippedChars: number;
}

export interface ScreenRead {
  chunks: ScreenChunk[];
  lastSeq: number;
  /** Raw characters that came before the first chunk and are not kept any more. */
  droppedChars: number;
}

export interface SessionOutput {
  intake(stream: OutputStream, chunk: Buffer): void;
  /** Ends decoding and emits what is left. Further intake is still accepted. */
  finish(): void;
  aggregated(): string;
  tail(): string;
  truncated(): boolean;
  totalChars(): number;
  /** New stdout and stderr since the last drain, each at most its bound. */
  drainPending(): { stdout: string; stderr: string };
  hasPending(): boolean;
  readScreen(afterSeq: number): ScreenRead;
  counters(): OutputCounters;
  /** Characters held for text and terminal, as a measure of memory. */
  heldChars(): number;
  cursorKeyMode(): CursorKeyMode;
  dispose(): void;
}

export interface SessionOutputOptions {
  pty: boolean;
  maxOutputChars: number;
  pendingMaxOutputChars: number;
  nowMs(): number;
  onChunk(chunk: ScreenChunk): void;
  /** Answers to cursor-position queries. */
  onAnswer(text: string): void;
}

export function createSessionOutput(options: SessionOutputOptions): SessionOutput {
  const aggregated = createTextTail(options.maxOutputChars);
  const pending = {
    stdout: createTextTail(options.pendingMaxOutputChars),
    stderr: createTextTail(options.pendingMaxOutputChars),
  };
  const batch = createOutputBatch({
    totalChars: options.maxOutputChars,
    streamChars: options.pendingMaxOutputChars,
  });
  const filter = options.pty ? createTerminalFilter() : null;
  let eventText = "";
  let eventSkipped = 0;
  let timer: NodeJS.Timeout | null = null;
  const screen: ScreenChunk[] = [];
  let screenChars = 0;
  let droppedChars = 0;
  let lastSeq = 0;
  let bytesTotal = 0;
  let linesTotal = 0;
  let rateSamples: { atMs: number; bytes: number }[] = [];

  const schedule = (): void => {
    if (batch.isFull()) processBatch();
    timer ??= setTimeout(emitChunk, flushDelayMs);
  };

  /** Cleans and files away what came in. Readers call it first, so they never see a late state. */
  const processBatch = (isLast = false): void => {
    if (batch.sizeBytes() === 0 && !isLast) return;
    const { pieces, skippedBytes } = batch.take(isLast);
    if (skippedBytes > 0) {
      aggregated.skip(skippedBytes);
      // What waits to be shown is older than what was left out.
      eventSkipped += eventText.length + skippedBytes;
      eventText = "";
    }
    for (const { stream, raw, clean } of pieces) {
      aggregated.append(clean);
      pending[stream].append(clean);
      eventText += raw;
    }
    if (eventText.length > maxChunkChars) {
      const kept = fromLineStart(lastChars(eventText, maxChunkChars));
      eventSkipped += eventText.length - kept.length;
      eventText = kept;
    }
  };

  const emitChunk = (): void => {
    timer = null;
    processBatch();
    if (eventText === "" && eventSkipped === 0) return;
    lastSeq += 1;
    const chunk: ScreenChunk = { seq: lastSeq, text: eventText, skippedChars: eventSkipped };
    eventText = "";
    eventSkipped = 0;
    screen.push(chunk);
    screenChars += chunk.text.length;
    while (screenChars > screenMaxChars && screen.length > 1) {
      const oldest = screen.shift();
      if (oldest === undefined) break;
      screenChars -= oldest.text.length;
      droppedChars += oldest.text.length + oldest.skippedChars;
    }
    options.onChunk(chunk);
  };

  const countLines = (chunk: Buffer): void => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) linesTotal += 1;
  };

  const sampleRate = (bytes: number): void => {
    const nowMs = options.nowMs();
    const last = rateSamples.at(-1);
    if (last !== undefined && nowMs - last.atMs < 100) last.bytes += bytes;
    else rateSamples.push({ atMs: nowMs, bytes });
    if (rateSamples.length > 40) rateSamples = rateSamples.filter((one) => nowMs - one.atMs < rateWindowMs);
  };

  return {
    intake(stream, chunk) {
      bytesTotal += chunk.length;
      countLines(chunk);
      sampleRate(chunk.length);
      batch.addBytes(stream, filter === null ? chunk : withoutQueries(filter, chunk, options.onAnswer));
      schedule();
    },
    finish() {
      if (filter !== null) batch.addBytes("stdout", Buffer.from(filter.flush(), "latin1"));
      processBatch(true);
      if (timer !== null) clearTimeout(timer);
      emitChunk();
    },
    aggregated() {
      processBatch();
      return aggregated.text();
    },
    tail() {
      processBatch();
      return aggregated.end(tailChars);
    },
    truncated() {
      processBatch();
      return aggregated.truncated() || pending.stdout.truncated() || pending.stderr.truncated();
    },
    totalChars() {
      processBatch();
      return aggregated.totalChars();
    },
    drainPending() {
      processBatch();
      return { stdout: pending.stdout.drain(), stderr: pending.stderr.drain() };
    },
    hasPending() {
      processBatch();
      return pending.stdout.length() + pending.stderr.length() > 0;
    },
    readScreen(afterSeq) {
      // What is on its way becomes a chunk now, so that a late reader misses nothing.
      if (timer !== null) clearTimeout(timer);
      emitChunk();
      const chunks = screen.filter((chunk) => chunk.seq > afterSeq);
      const isGap = chunks[0] !== undefined && chunks[0].seq > afterSeq + 1;
      return { chunks, lastSeq, droppedChars: isGap ? droppedChars : 0 };
    },
    counters() {
      const nowMs = options.nowMs();
      const recent = rateSamples.filter((sample) => nowMs - sample.atMs < rateWindowMs);
      const bytes = recent.reduce((sum, sample) => sum + sample.bytes, 0);
      return { bytesTotal, linesTotal, bytesPerSec: Math.round((bytes * 1000) / rateWindowMs) };
    },
    heldChars: () =>
      aggregated.length() +
      pending.stdout.length() +
      pending.stderr.length() +
      screenChars +
      batch.sizeBytes() +
      eventText.length,
    cursorKeyMode: () => filter?.cursorKeyMode() ?? "unknown",
    dispose() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/** Escape sequences are ASCII: as Latin-1 the bytes around them stay what they are, cut characters included. */
function withoutQueries(filter: TerminalFilter, chunk: Buffer, answer: (text: string) => void): Buffer {
  if (!filter.isHolding() && !chunk.includes(escapeByte)) return chunk;
  const { text, answers } = filter.push(chunk.toString("latin1"));
  for (const one of answers) answer(one);
  return Buffer.from(text, "latin1");
}

/** Starts at the next line when one begins soon, so that no half escape sequence is shown. */
function fromLineStart(text: string): string {
  const lineEnd = text.indexOf("\n");
  return lineEnd >= 0 && lineEnd < 4096 ? text.slice(lineEnd + 1) : text;
}
