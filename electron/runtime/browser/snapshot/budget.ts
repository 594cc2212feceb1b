/** Holds a snapshot to its budget, on line boundaries, and says how to get the rest. */

export interface Cut {
  text: string;
  isTruncated: boolean;
  /** How to get the rest; null when this is all. */
  more: string | null;
}

const MARK = /^L(\d{1,9})$/;

/** @returns the index of the line to start with; 0 for anything that is no mark */
export function firstLineAfter(after: string | undefined): number {
  const match = after === undefined ? null : MARK.exec(after.trim());
  return match === null ? 0 : Number(match[1]);
}

/**
 * @param after `L120`: go on behind the first 120 lines; anything unknown starts at the top
 * @param maxChars of the lines; at least one line is always shown
 */
export function cutLines(lines: readonly string[], maxChars: number, after: string | undefined): Cut {
  const from = Math.min(firstLineAfter(after), lines.length);
  let chars = 0;
  let to = from;
  while (to < lines.length) {
    const length = (lines[to]?.length ?? 0) + 1;
    if (to > from && chars + length > maxChars) break;
    chars += length;
    to += 1;
  }
  const shown = lines.slice(from, to);
  const [only] = shown;
  // One line alone can be larger than any budget: a text area with a book in it.
  const isLongLine = shown.length === 1 && only !== undefined && only.length > maxChars;
  if (isLongLine) shown[0] = `${only.slice(0, maxChars)}…`;
  const left = lines.length - to;
  if (left === 0 && !isLongLine) return { text: shown.join("\n"), isTruncated: false, more: null };
  const what = left === 0 ? "the last line was cut" : `${left} of ${lines.length} lines are left`;
  const more =
    left === 0
      ? `${what}; take a snapshot of a part of the page with selector.`
      : `${what}: take the next part with after "L${to}", or a part of the page with selector or interactive.`;
  return { text: [...shown, `… ${more}`].join("\n"), isTruncated: true, more };
}

/** The reference's way: a cut at exactly that many characters. */
export function cutChars(text: string, maxChars: number): { text: string; isTruncated: boolean } {
  if (text.length <= maxChars) return { text, isTruncated: false };
  return { text: `${text.slice(0, maxChars)}\n\n[...TRUNCATED - page too large]`, isTruncated: true };
}
