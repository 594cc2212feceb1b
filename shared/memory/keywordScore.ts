/** How well a passage matches the terms of a query, by BM25 over the folded text. */

import type { Hardening } from "../hardening/rules.ts";
import type { Term } from "./parseQuery.ts";

export interface Corpus {
  /** All passages. */
  chunks: number;
  /** Average units of a passage. */
  averageChars: number;
  /** Passages that hold the term, by its text; an estimate for very common ones. */
  frequency: ReadonlyMap<string, number>;
}

const saturation = 1.2;
const lengthWeight = 0.75;
/** A find inside of a longer word. */
const partWeight = 0.5;
const floorIdf = 1e-6;
const letter = /[\p{L}\p{N}\p{M}_]/u;
const maxCounted = 64;

/** @returns weighted number of finds, and the place of the first one (-1: none) */
export function countTerm(folded: string, term: string): { count: number; at: number } {
  let count = 0;
  let found = 0;
  let at = -1;
  for (
    let index = folded.indexOf(term);
    index !== -1 && found < maxCounted;
    index = folded.indexOf(term, index + term.length)
  ) {
    if (at === -1) at = index;
    found += 1;
    count += isWhole(folded, index, index + term.length) ? 1 : partWeight;
  }
  return { count, at };
}

/** Dense scripts have no borders to look at, and pictures are always whole. */
function isWhole(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  if (first >= 0x2e80) return true;
  return !letter.test(text[start - 1] ?? " ") && !letter.test(text[end] ?? " ");
}

export interface KeywordScore {
  /** 0 to 1. */
  score: number;
  /** Place of the first find of the term that weighs most; -1: none. */
  at: number;
  matched: number;
}

/** @see tools-files-web-media.md 13: r/(1+r) */
export function keywordScore(
  folded: string,
  terms: readonly Term[],
  corpus: Corpus,
  hardening: Hardening,
): KeywordScore {
  const addsUp = hardening.has("memory.rankByAllWords");
  const norm = 1 - lengthWeight + (lengthWeight * folded.length) / Math.max(1, corpus.averageChars);
  let sum = 0;
  let best = 0;
  let at = -1;
  let matched = 0;
  for (const term of terms) {
    const found = countTerm(folded, term.text);
    if (found.count === 0) continue;
    matched += 1;
    const idf = idfOf(corpus.chunks, corpus.frequency.get(term.text) ?? 0, addsUp);
    const part = (idf * found.count * (saturation + 1)) / (found.count + saturation * norm);
    sum += part;
    if (at === -1 || part > best) at = found.at;
    best = Math.max(best, part);
  }
  const raw = addsUp ? sum : best;
  return { score: raw / (1 + raw), at, matched };
}

/** The usual form is nothing for a word of half the passages; the other stays above. */
function idfOf(chunks: number, frequency: number, staysPositive: boolean): number {
  const ratio = (chunks - frequency + 0.5) / (frequency + 0.5);
  return staysPositive ? Math.log1p(Math.max(0, ratio)) : Math.max(floorIdf, Math.log(Math.max(ratio, 1e-9)));
}
