/** Markdown as words for the ear. Every step is linear in the length of the text, whatever the text is. */

import type { Hardening } from "../hardening/rules.ts";
import { readableText } from "./readableText.ts";

/**
 * Takes the signs of Markdown out of a text that is going to be spoken.
 * @param hardening with `speech.readableText` links, tables, code blocks and the like are put into words first
 * @see speech_markdown in the vectors
 */
export function stripMarkdownForSpeech(text: string, hardening: Hardening): string {
  const isReadable = hardening.has("speech.readableText");
  let result = isReadable ? readableText(text) : text;
  result = byLine(result, (line) => withoutDouble(line, "**"));
  result = byLine(result, (line) => withoutDouble(line, "__"));
  result = byLine(result, (line) => withoutStars(line, isReadable));
  result = byLine(result, withoutUnderscores);
  result = byLine(result, (line) => withoutDouble(line, "~~"));
  result = result.replace(/^#{1,6}\s+(.+)$/gm, "$1");
  result = result.replace(/^>\s?(.*)$/gm, "$1");
  result = result.replace(/^[-*_]{3,}$/gm, "");
  result = withoutBackticks(result);
  return result.replace(/\n{3,}/g, "\n\n").trim();
}

/** What a dot in a pattern does not match ends a line here too. */
function byLine(text: string, strip: (line: string) => string): string {
  return text
    .split(/([\n\r\u2028\u2029])/)
    .map((part) => (part.length > 1 ? strip(part) : part))
    .join("");
}

/** A pair of two-character marks with at least one character between them. */
function withoutDouble(line: string, mark: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const open = line.indexOf(mark, from);
    const close = open < 0 ? -1 : line.indexOf(mark, open + mark.length + 1);
    // Without an end for this one there is none for a later one either.
    if (close < 0) break;
    kept.push(line.slice(from, open), line.slice(open + mark.length, close));
    from = close + mark.length;
  }
  return kept.join("") + line.slice(from);
}

/** Stars that stand alone, by twos. */
function withoutStars(line: string, keepsArithmetic: boolean): string {
  const marks: number[] = [];
  for (let at = line.indexOf("*"); at >= 0; at = line.indexOf("*", at + 1)) {
    if (line[at - 1] === "*" || line[at + 1] === "*") continue;
    if (keepsArithmetic && isBlank(line[at - 1]) && isBlank(line[at + 1])) continue;
    marks.push(at);
  }
  const drop = new Set(marks.length % 2 === 0 ? marks : marks.slice(0, -1));
  return drop.size === 0 ? line : dropAt(line, drop);
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

/** Underscores around words; inside a word, in any script, they belong to the word. */
function withoutUnderscores(line: string): string {
  const opens: number[] = [];
  const closes: number[] = [];
  for (let at = line.indexOf("_"); at >= 0; at = line.indexOf("_", at + 1)) {
    if (!isWordBefore(line, at) && line[at + 1] !== "_") opens.push(at);
    if (line[at - 1] !== "_" && !isWordAfter(line, at)) closes.push(at);
  }
  const drop = new Set<number>();
  let next = 0;
  let from = 0;
  for (const open of opens) {
    if (open < from) continue;
    while (next < closes.length && (closes[next] ?? 0) < open + 2) next += 1;
    const close = closes[next];
    if (close === undefined) break;
    drop.add(open).add(close);
    from = close + 1;
  }
  return drop.size === 0 ? line : dropAt(line, drop);
}

const wordCharacter = /^[\p{L}\p{N}]$/u;

function isWordBefore(line: string, at: number): boolean {
  const last = line.slice(Math.max(0, at - 2), at);
  return wordCharacter.test([...last].at(-1) ?? "");
}

function isWordAfter(line: string, at: number): boolean {
  return wordCharacter.test(String.fromCodePoint(line.codePointAt(at + 1) ?? 0x20));
}

/** A pair of backticks with something between them, over lines too: a fence of three loses one at each end. */
function withoutBackticks(text: string): string {
  const drop = new Set<number>();
  let open = text.indexOf("`");
  while (open >= 0) {
    const close = text.indexOf("`", open + 1);
    if (close < 0) break;
    if (close === open + 1) {
      open = close;
      continue;
    }
    drop.add(open).add(close);
    open = text.indexOf("`", close + 1);
  }
  return drop.size === 0 ? text : dropAt(text, drop);
}

function dropAt(text: string, drop: ReadonlySet<number>): string {
  const kept: string[] = [];
  let from = 0;
  for (const at of [...drop].sort((a, b) => a - b)) {
    kept.push(text.slice(from, at));
    from = at + 1;
  }
  return kept.join("") + text.slice(from);
}
