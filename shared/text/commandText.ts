/** A command and its words as one line to paste into a shell. */

import { singleQuote } from "../exec/words.ts";

/** @returns words in quotes where a shell would read them otherwise; Windows paths in double ones */
export function commandText(words: readonly string[]): string {
  return words.map(shown).join(" ");
}

function shown(word: string): string {
  if (/^[A-Za-z]:\\[^"%]*$/.test(word)) return /[^\w\\.:-]/.test(word) ? `"${word}"` : word;
  return /^[\w./:@+=-]+$/.test(word) ? word : singleQuote(word);
}
