/** The lines that edits of a config text take out and put in, one hunk per edit. Pure. */

import { AppError } from "../../../../shared/errors/index.ts";
import { applyEdits } from "../../../../shared/json5/json5Edit.ts";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";

export interface DiffLine {
  sign: "−" | "+";
  /** Counted from 1, in the text that the line stands in. */
  line: number;
  text: string;
}

/** Longer hunks are cut: what matters is near their start. */
const shownLines = 8;

/** @returns null when the edits have no place in the text, for example because it changed meanwhile */
export function editLines(text: string, edits: readonly ConfigEdit[]): DiffLine[] | null {
  const lines: DiffLine[] = [];
  let before = text;
  for (const edit of edits) {
    const after = editedText(before, [edit]);
    if (after === null) return null;
    lines.push(...hunk(before, after));
    before = after;
  }
  return lines;
}

/** @returns the text after the edits, comments kept; null when they have no place in it */
export function editedText(text: string, edits: readonly ConfigEdit[]): string | null {
  try {
    return applyEdits(text, edits);
  } catch (error) {
    // Edits were made for a parsed config; a text that says something else has no place for them.
    if (error instanceof AppError && error.code === "INVALID_INPUT") return null;
    throw error;
  }
}

function hunk(before: string, after: string): DiffLine[] {
  const old = before.split(/\r\n|\r|\n/u);
  const now = after.split(/\r\n|\r|\n/u);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const part = (lines: string[], sign: "−" | "+") =>
    lines
      .slice(head, lines.length - tail)
      .slice(0, shownLines)
      .map((text, index): DiffLine => ({ sign, line: head + index + 1, text: text.trimEnd() }));
  return outdented([...part(old, "−"), ...part(now, "+")]);
}

/** Without the white space that all lines share: how deep the place is, is of no use here. */
function outdented(lines: DiffLine[]): DiffLine[] {
  const depths = lines.flatMap(({ text }) =>
    text.trim() === "" ? [] : [text.length - text.trimStart().length],
  );
  const shared = Math.min(...depths);
  return lines.map((line) => ({ ...line, text: line.text.slice(shared) }));
}
