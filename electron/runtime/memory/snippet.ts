/** The part of a passage that is shown. */

import { clip } from "../../../shared/files/index.ts";

/**
 * @param at place of a find in the folded text, which lies close to that in the text itself; -1: the start
 * @param maxChars of the result, marks of omission included
 */
export function snippetOf(text: string, at: number, maxChars: number): { snippet: string; isCut: boolean } {
  if (text.length <= maxChars) return { snippet: text, isCut: false };
  const room = maxChars - 2;
  const wanted = at < 0 ? 0 : Math.max(0, Math.min(at - Math.floor(room / 3), text.length - room));
  const start = wanted === 0 ? 0 : startOfWord(text, wanted);
  const shown = clip(text.slice(start), room);
  const isEnd = start + shown.length >= text.length;
  return { snippet: `${start > 0 ? "…" : ""}${shown}${isEnd ? "" : "…"}`, isCut: true };
}

/** The next start of a line or word, if one is near. */
function startOfWord(text: string, from: number): number {
  const near = text.slice(from, from + 60).search(/\s/);
  const start = near < 0 ? from : from + near + 1;
  const unit = text.charCodeAt(start);
  return unit >= 0xdc00 && unit < 0xe000 ? start + 1 : start;
}
