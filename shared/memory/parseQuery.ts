/** Turns what a model asks for into terms for an index. Whatever the text holds, no term can be read as query syntax. */

import type { Hardening } from "../hardening/rules.ts";
import { denseTerms, foldText, wordsOf } from "./foldText.ts";
import { isStopWord } from "./stopWords.ts";

export interface Term {
  /** Folded; letters, digits, `_` or one picture. */
  text: string;
  /** Terms of the word index that must all be there. */
  words: readonly string[];
  /** Three code points that follow each other in `text`; empty when it is too short for an index of those. */
  trigrams: readonly string[];
}

export interface ParsedQuery {
  terms: readonly Term[];
  /** Terms beyond the limit that were left out. */
  droppedTerms: number;
}

export const maxQueryChars = 4_000;
export const maxTerms = 24;
const maxTrigrams = 16;

export function parseQuery(query: string, hardening: Hardening): ParsedQuery {
  const keepsShort = hardening.has("memory.keepShortWords");
  const words = wordsOf(foldText(query.slice(0, maxQueryChars)));
  const useful = words.filter(
    ({ text, kind }) =>
      !isStopWord(text) && (keepsShort || kind !== "word" || (text.length >= 3 && !/^\d+$/.test(text))),
  );
  const chosen = useful.length > 0 || !keepsShort ? useful : words;
  const terms = new Map<string, Term>();
  for (const { text, kind } of chosen) {
    if (kind === "dense") for (const term of denseQueryTerms(text)) terms.set(term.text, term);
    else terms.set(text, { text, words: [text], trigrams: trigramsOf(text) });
  }
  const all = [...terms.values()];
  return { terms: all.slice(0, maxTerms), droppedTerms: Math.max(0, all.length - maxTerms) };
}

/** A run without spaces: its pairs, so that another order of the same words still matches. */
function denseQueryTerms(run: string): Term[] {
  const letters = [...run];
  const single = letters.length === 1;
  const pairs = denseTerms(run).filter((term) => single || [...term].length === 2);
  const useful = pairs.filter((pair) => !isStopWord(pair));
  return (useful.length > 0 ? useful : pairs).map((text) => ({ text, words: [text], trigrams: [] }));
}

/** All different ones; of a very long word some, evenly picked. */
function trigramsOf(text: string): string[] {
  const letters = [...text];
  const all = new Set<string>();
  for (let at = 0; at + 3 <= letters.length; at += 1) all.add(letters.slice(at, at + 3).join(""));
  const list = [...all];
  if (list.length <= maxTrigrams) return list;
  const step = (list.length - 1) / (maxTrigrams - 1);
  return Array.from({ length: maxTrigrams }, (_, index) => list[Math.round(index * step)] ?? "");
}

/** @returns an FTS5 expression that asks for all of the terms; each stands in quotes as plain text */
export function allOf(terms: readonly string[]): string {
  return terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(" AND ");
}
