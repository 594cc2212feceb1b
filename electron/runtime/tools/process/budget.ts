/** How much one answer of the process tool gives, and the line that says what is missing and how to get it. */

import { clip } from "../../../../shared/files/index.ts";

/** Of a page of the log: some 25 000 tokens. */
export const maxLogChars = 100_000;
export const maxListed = 100;
const maxCommandChars = 4000;

/**
 * Whole lines as long as they fit.
 * @param firstLine number of the first line, from 0, as `offset` counts
 * @returns the note is null when nothing was cut
 */
export function withinLogBudget(
  slice: string,
  firstLine: number,
  maxChars = maxLogChars,
): { shown: string; note: string | null } {
  if (slice.length <= maxChars) return { shown: slice, note: null };
  const end = slice.lastIndexOf("\n", maxChars);
  if (end <= 0) {
    const shown = clip(slice, maxChars);
    return {
      shown,
      note: `[Cut in line ${firstLine}, which is longer than ${maxChars} characters. Go on with offset ${firstLine + 1}.]`,
    };
  }
  const shown = slice.slice(0, end);
  const next = firstLine + shown.split("\n").length;
  return {
    shown,
    note: `[Cut after ${shown.length} characters. Go on with offset ${next} and a smaller limit.]`,
  };
}

/** The command as details have it. */
export function shownCommand(command: string): string {
  return command.length <= maxCommandChars
    ? command
    : `${clip(command, maxCommandChars)}… (${command.length} characters)`;
}
