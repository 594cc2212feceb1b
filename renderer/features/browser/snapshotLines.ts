/** A snapshot's text as lines with their refs, for a view that links both sides. The text is the page's: hostile. */

import type { BrowserSnapshot } from "../../../shared/contract/index.ts";

export interface LinePart {
  text: string;
  /** The ref that this part writes; null for ordinary text. */
  ref: string | null;
}

export interface SnapshotLine {
  index: number;
  parts: LinePart[];
  refs: string[];
  /** Reads like an order to an agent. */
  isAimedAtAgent: boolean;
}

/**
 * Names and texts of pages stand in quotes or behind a colon, where a forged ref is only text: a ref counts where our
 * own format writes it, and only when this snapshot gave it out.
 */
export function snapshotLines(
  snapshot: Pick<BrowserSnapshot, "text" | "refs"> & Partial<Pick<BrowserSnapshot, "format">>,
): SnapshotLine[] {
  const known = new Set(snapshot.refs.map(({ ref }) => ref));
  const given = new Set<string>();
  const lines = snapshot.text.split("\n");
  const inFull = new Set(lines.flatMap((line) => refsIn(line).map(({ ref }) => ref)));
  const isNumber = (ref: string) => snapshot.format === "dense" && !inFull.has(ref);
  return lines.map((text, index) => {
    const parts: LinePart[] = [];
    const refs: string[] = [];
    let from = 0;
    for (const { start, end, ref } of [...numberIn(text, isNumber), ...refsIn(text)]) {
      // Each ref is given out once; a second one is the page's own text.
      if (!known.has(ref) || given.has(ref)) continue;
      given.add(ref);
      if (start > from) parts.push({ text: text.slice(from, start), ref: null });
      parts.push({ text: text.slice(start, end), ref });
      refs.push(ref);
      from = end;
    }
    if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), ref: null });
    return { index, parts, refs, isAimedAtAgent: isAimedAtAgent(text) };
  });
}

interface Found {
  start: number;
  end: number;
  ref: string;
}

/**
 * The dense list of controls shortens `e7` to `7` at the beginning of a line. A text of the page may begin with a number
 * too: it counts only for a ref that no line writes in full.
 */
function numberIn(line: string, isNumber: (ref: string) => boolean): Found[] {
  const digits = /^\d{1,9}(?=\s|$)/.exec(line)?.[0] ?? "";
  const ref = `e${digits}`;
  return digits !== "" && isNumber(ref) ? [{ start: 0, end: digits.length, ref }] : [];
}

/** Outside of quotes: `[ref=e4]` of the reference's formats, a bare `e4` of the dense one. */
function refsIn(line: string): Found[] {
  const found: Found[] = [];
  const unquoted = line.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => " ".repeat(quoted.length));
  for (const match of unquoted.matchAll(/\[ref=((?:f\d+)?e\d+)\]|(?<![\w.-])((?:f\d+)?e\d+)(?![\w.-])/g)) {
    const ref = match[1] ?? match[2];
    if (ref !== undefined) found.push({ start: match.index, end: match.index + match[0].length, ref });
  }
  return found;
}

/** Words of the usual tricks, in English and Chinese. A hint for the eye, no protection: that is in the wrapping. */
const aimed =
  /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|earlier|above|all|your)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b|\b(?:AI|LLM)[ -]?(?:assistants?|agents?|models?)\b.{0,60}\b(?:must|should|please|ignore|click|send|share|reveal)\b|\b(?:system|developer) ?prompt\b|\byou are now\b|忽略.{0,12}(?:之前|以上|先前|所有).{0,12}(?:指令|指示|规则|提示)|(?:AI|人工智能|智能)助手.{0,20}(?:请|必须|应当)/iu;

export function isAimedAtAgent(text: string): boolean {
  return text.length < 20_000 && aimed.test(text);
}
