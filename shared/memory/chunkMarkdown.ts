/** Cuts a note into chunks: whole lines where they fit, with an overlap, and with the lines each chunk stands on. */

import type { Hardening } from "../hardening/rules.ts";

export interface Chunk {
  /** From 1. */
  startLine: number;
  /** Inclusive. */
  endLine: number;
  text: string;
}

export interface ChunkOptions {
  /** Size of a chunk in tokens of some four letters. */
  tokens: number;
  /** Tokens that a chunk repeats from the one before. */
  overlap: number;
  /** `memory.boundedOverlap` is read; absent: none is on. */
  hardening?: Hardening;
}

interface Piece {
  text: string;
  line: number;
}

const charsPerToken = 4;
const minChunkChars = 32;

/** Letters that cost about a token each: CJK, kana, hangul, Yi, compatibility forms, and ideographs above the BMP. */
const denseLetters = /[\u2E80-\u9FFF\uA000-\uA4FF\uAC00-\uD7AF\uF900-\uFAFF\u{20000}-\u{2FA1F}]/gu;
const mayBeDense = /[\u2E80-\u{2FA1F}]/u;

/** @returns units of the text with each dense letter counted as four */
export function weightedLength(text: string): number {
  if (!mayBeDense.test(text)) return text.length;
  let weight = text.length;
  // A letter above the BMP has two units already.
  for (const [letter] of text.matchAll(denseLetters)) weight += charsPerToken - letter.length;
  return weight;
}

/** @returns at least one chunk; its text may be empty. @see memory_chunks in the vectors */
export function chunkMarkdown(text: string, options: ChunkOptions): Chunk[] {
  const tokens = Math.max(1, Math.trunc(options.tokens));
  const maxChars = Math.max(minChunkChars, tokens * charsPerToken);
  const overlapChars = Math.max(0, Math.trunc(options.overlap)) * charsPerToken;
  const isBounded = options.hardening?.has("memory.boundedOverlap") === true;
  const chunks: Chunk[] = [];
  let pieces: Piece[] = [];
  let size = 0;

  const close = () => {
    const [first] = pieces;
    const last = pieces.at(-1);
    if (first === undefined || last === undefined) return;
    chunks.push({
      startLine: first.line,
      endLine: last.line,
      text: pieces.map((piece) => piece.text).join("\n"),
    });
  };
  const keepOverlap = () => {
    const kept: Piece[] = [];
    size = 0;
    for (let at = pieces.length - 1; at >= 0 && size < overlapChars; at -= 1) {
      const piece = pieces[at];
      if (piece === undefined) break;
      const room = overlapChars - size;
      const fits = !isBounded || piece.text.length <= room;
      const taken = fits ? piece : { text: tailOf(piece.text, room), line: piece.line };
      kept.unshift(taken);
      size += weightedLength(taken.text) + 1;
    }
    pieces = kept;
  };

  text.split("\n").forEach((line, index) => {
    for (const part of partsOf(line, maxChars, tokens)) {
      const partSize = weightedLength(part) + 1;
      if (pieces.length > 0 && size + partSize > maxChars) {
        close();
        keepOverlap();
      }
      pieces.push({ text: part, line: index + 1 });
      size += partSize;
    }
  });
  close();
  return chunks;
}

/** A line in parts that fit a chunk; dense parts by `tokens` units, and never through a surrogate pair there. */
function partsOf(line: string, maxChars: number, tokens: number): string[] {
  if (line.length <= maxChars && weightedLength(line) <= maxChars) return [line];
  const parts: string[] = [];
  for (let start = 0; start < line.length; ) {
    const end = wholeEnd(line, start + maxChars);
    const coarse = line.slice(start, end);
    if (weightedLength(coarse) <= maxChars) parts.push(coarse);
    else {
      for (let from = 0; from < coarse.length; ) {
        const to = wholeEnd(coarse, from + tokens);
        parts.push(coarse.slice(from, to));
        from = to;
      }
    }
    start = end;
  }
  return parts;
}

function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end < text.length && unit >= 0xd800 && unit < 0xdc00 ? end + 1 : Math.min(end, text.length);
}

function tailOf(text: string, chars: number): string {
  const start = text.length - chars;
  const unit = text.charCodeAt(start);
  return text.slice(unit >= 0xdc00 && unit < 0xe000 ? start + 1 : start);
}
