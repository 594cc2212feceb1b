/** What the eye misses or misreads in a text, told in lines: characters that cannot be seen, letters that look alike. */

import { describeCodePoint, inspectText } from "../../shared/exec/displayCommand.ts";
import { safeLine } from "./io.ts";

const maxPerKind = 4;

/** @returns a line per hidden character and per mixed word, each once, at most four of a kind */
export function unseenLines(text: string): string[] {
  const { invisible, mixedScript } = inspectText(text);
  const points = [...new Set(invisible.map((one) => one.codePoint))];
  const words = [...new Map(mixedScript.map((word) => [word.word, word])).values()];
  return [
    ...points.slice(0, maxPerKind).map((point) => {
      const count = invisible.filter((one) => one.codePoint === point).length;
      const shown = `shown as \\u{${point.toString(16)}}`;
      return `${describeCodePoint(point)} cannot be seen; ${shown}${count === 1 ? "" : `, ${count} times`}`;
    }),
    ...more(points.length, "hidden characters"),
    ...words.slice(0, maxPerKind).map(({ word, letters }) => {
      const [first] = letters;
      const letter = first === undefined ? "" : `: ${safeLine(first.letter)} is ${nameOf(first)}`;
      return `"${safeLine(word)}" has letters that look like others${letter}`;
    }),
    ...more(words.length, "words with such letters"),
  ];
}

function nameOf({ codePoint, script }: { codePoint: number; script: string }): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}, ${script}`;
}

function more(count: number, what: string): string[] {
  return count > maxPerKind ? [`and ${count - maxPerKind} more ${what}`] : [];
}
