/** Gathers raw output until somebody looks. Of a flood only what can still be seen is decoded and cleaned. */

import { StringDecoder } from "node:string_decoder";
import { sanitizeOutput } from "./outputText.ts";
import type { OutputStream } from "./types.ts";

/** Below this a batch is worked through as a whole. */
const smallBytes = 256 * 1024;
/** More than this is held for no timer. */
const floodBytes = 2 * 1024 * 1024;
/** The same while a flood consists of what cleaning removes, so that no single step takes long. */
const carefulBytes = 64 * 1024;
const carefulBatches = 32;
const joinedChars = 16 * 1024;
/** Beyond what must be kept, so that a few odd characters do not spoil the short way. */
const spareBytes = 16 * 1024;

export interface OutputPiece {
  stream: OutputStream;
  /** As it came, for a terminal. */
  raw: string;
  clean: string;
}

export interface OutputBatch {
  addBytes(stream: OutputStream, chunk: Buffer): void;
  /** Whether it should be taken now, whatever the time. */
  isFull(): boolean;
  sizeBytes(): number;
  /**
   * Empties the batch.
   * @param isLast what is left of a cut character counts as well
   * @returns the pieces in order; `skippedBytes` came before them and can no longer be seen by anybody
   */
  take(isLast?: boolean): TakenOutput;
}

export interface TakenOutput {
  pieces: OutputPiece[];
  skippedBytes: number;
}

interface Entry {
  stream: OutputStream;
  bytes: Buffer;
}

const streams: readonly OutputStream[] = ["stdout", "stderr"];

/** @param kept how many cleaned characters of both streams together, and of each alone, somebody may still read */
export function createOutputBatch(kept: { totalChars: number; streamChars: number }): OutputBatch {
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  let entries: Entry[] = [];
  let size = 0;
  let carefulLeft = 0;

  /** Neighbours of one stream become one piece: many tiny writes are cleaned in one go. */
  const piecesOf = (list: readonly Entry[], use: typeof decoders): OutputPiece[] => {
    const pieces: OutputPiece[] = [];
    for (const { stream, bytes } of list) addRaw(pieces, stream, use[stream].write(bytes));
    for (const piece of pieces) piece.clean = sanitizeOutput(piece.raw);
    return pieces;
  };

  /** @returns null when more than the end of the batch may still be seen */
  const takeEnd = (list: readonly Entry[]): TakenOutput | null => {
    let start = list.length;
    let endBytes = 0;
    while (start > 0 && endBytes < kept.totalChars + spareBytes) {
      start -= 1;
      endBytes += list[start]?.bytes.length ?? 0;
    }
    const skipped = list.slice(0, start);
    const end = list.slice(start);
    const skippedStreams = new Set(skipped.map((entry) => entry.stream));
    // Decoding starts anew behind the gap; a stream without a gap would lose what its decoder holds.
    if (skipped.length === 0 || end.some((entry) => !skippedStreams.has(entry.stream))) return null;
    const fresh = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
    const seen = new Set<OutputStream>();
    const aligned = end.map((entry): Entry => {
      if (seen.has(entry.stream)) return entry;
      seen.add(entry.stream);
      return { stream: entry.stream, bytes: fromCharacterStart(entry.bytes) };
    });
    const pieces = piecesOf(aligned, fresh);
    const charsOf = (list: readonly OutputPiece[]): number =>
      list.reduce((sum, piece) => sum + piece.clean.length, 0);
    if (charsOf(pieces) < kept.totalChars) return null;
    for (const stream of skippedStreams)
      if (charsOf(pieces.filter((piece) => piece.stream === stream)) < kept.streamChars) return null;
    for (const stream of skippedStreams) decoders[stream] = fresh[stream];
    return { pieces, skippedBytes: skipped.reduce((sum, entry) => sum + entry.bytes.length, 0) };
  };

  return {
    addBytes(stream, bytes) {
      if (bytes.length === 0) return;
      entries.push({ stream, bytes });
      size += bytes.length;
    },
    isFull: () => size >= (carefulLeft > 0 ? carefulBytes : floodBytes),
    sizeBytes: () => size,
    take(isLast = false) {
      const list = entries;
      const isFlood = size > smallBytes;
      entries = [];
      size = 0;
      if (carefulLeft > 0) carefulLeft -= 1;
      let taken = isFlood ? takeEnd(list) : null;
      if (isFlood && taken === null) carefulLeft = carefulBatches;
      taken ??= { pieces: piecesOf(list, decoders), skippedBytes: 0 };
      if (isLast)
        for (const stream of streams) {
          const raw = decoders[stream].end();
          if (raw !== "") taken.pieces.push({ stream, raw, clean: sanitizeOutput(raw) });
        }
      return taken;
    },
  };
}

function addRaw(pieces: OutputPiece[], stream: OutputStream, raw: string): void {
  if (raw === "") return;
  const last = pieces.at(-1);
  // Large ones stay apart: to join them would cost more than to clean them.
  if (last?.stream === stream && last.raw.length + raw.length <= joinedChars) last.raw += raw;
  else pieces.push({ stream, raw, clean: "" });
}

/** Leaves out the rest of a UTF-8 character whose beginning is not there. */
function fromCharacterStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
