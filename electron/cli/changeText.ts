/** A change of files or of the config for a terminal: line by line, signs in front, nothing unseen. */

import { escapeForDisplay } from "../../shared/exec/displayCommand.ts";
import { type ChangeLine, changedFiles, changeLines } from "../../shared/files/changeLines.ts";
import { clip } from "../../shared/files/text.ts";
import { safeLine } from "./io.ts";

/** Longer lines of a listing are cut; where somebody decides, all is shown. */
const maxListedChars = 160;

/** @returns one line: which file, how many lines come and go; for several files how many, with the first */
export function changeSummary(text: string): string {
  const kinds = changeLines(text).map(({ kind }) => kind);
  const count = (kind: ChangeLine["kind"]) => kinds.filter((one) => one === kind).length;
  const [title = ""] = text.split("\n", 1);
  const files = changedFiles(text);
  const more = files.length > 1 ? `, and ${files.length - 1} more` : "";
  return `${safeLine(title)}${more}  +${count("added")} -${count("removed")} lines`;
}

/** @returns every line of the text, what comes and what goes by its first sign; tabs stay, they hide nothing */
export function changeText(text: string): string[] {
  return changeLines(text).map((line) => escapeForDisplay(text.slice(line.start, line.end)));
}

/**
 * The difference alone, for lists: hashes and repeated names are left out.
 * @param maxLines beyond them one line says how many are not shown
 */
export function listedChange(text: string, maxLines: number): string[] {
  const files = changedFiles(text).length;
  const lines = changeLines(text).filter(
    ({ kind }, index) => kind !== "hash" && kind !== "name" && kind !== "gap" && (files > 1 || index > 0),
  );
  const shown = lines.slice(0, maxLines).map(({ start, end }) => {
    const line = text.slice(start, end);
    const cut = clip(line, maxListedChars);
    const rest = line.length - cut.length;
    return escapeForDisplay(cut) + (rest === 0 ? "" : ` … ${rest} more characters`);
  });
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `… ${left} more ${left === 1 ? "line" : "lines"}`];
}
