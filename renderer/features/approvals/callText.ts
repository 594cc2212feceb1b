/** Reads the text of a request to call a tool of an MCP server: what is called in front, then the arguments as JSON. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { inspectText } from "../../../shared/exec/displayCommand.ts";

export interface CallPiece {
  start: number;
  end: number;
  /** A line of a text inside the arguments: it begins behind a line break that the JSON writes as `\\n`. */
  isTextLine: boolean;
}

export interface CallText {
  /** Lines in front of the arguments; `labelEnd` is where the value begins. */
  head: { start: number; labelEnd: number; end: number }[];
  /** Together they are all of the arguments. */
  pieces: CallPiece[];
}

/** By place, not by look: values are on one line each, and everything behind the last label is arguments. */
const labels = ["", "server: ", "tool: ", "target: ", "arguments:"] as const;

/** @returns offsets in `text`; null when it is not laid out like that, then it is shown as it stands */
export function readCallText(text: string): CallText | null {
  const head: CallText["head"] = [];
  let start = 0;
  for (const label of labels) {
    const lineEnd = text.indexOf("\n", start);
    const isLast = label === "arguments:";
    if (lineEnd < 0 || !text.startsWith(label, start)) return null;
    if (isLast && lineEnd !== start + label.length) return null;
    head.push({ start, labelEnd: start + label.length, end: lineEnd });
    start = lineEnd + 1;
  }
  return { head, pieces: piecesOf(text, start) };
}

/** A long text is readable only with its lines: each line break inside a string breaks the line here too. */
function piecesOf(text: string, from: number): CallPiece[] {
  const pieces: CallPiece[] = [];
  let start = from;
  let isInString = false;
  let isTextLine = false;
  const cutAt = (end: number, isNextTextLine: boolean) => {
    pieces.push({ start, end, isTextLine });
    start = end;
    isTextLine = isNextTextLine;
  };
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      isInString = !isInString;
      // The line behind a text of several lines is JSON again.
      if (!isInString && isTextLine) cutAt(lineEnd(text, at + 1), false);
    } else if (char === "\\" && isInString) {
      at += 1;
      // At the very end of a string there is nothing to read behind it.
      if (text[at] === "n" && text[at + 1] !== '"') cutAt(at + 1, true);
    }
  }
  if (start < text.length) cutAt(text.length, false);
  return pieces;
}

/** What closes the line behind a string: at most a comma and the line break. */
function lineEnd(text: string, at: number): number {
  const comma = text[at] === "," ? at + 1 : at;
  return text[comma] === "\n" ? comma + 1 : comma;
}

/**
 * The text of a request as a person looks at it: what cannot be seen comes written as `\u{200b}` in the text of a
 * call, and is shown here in the way in which all prompts show it.
 */
export function textOf({ kind, command }: Pick<ApprovalRequest, "kind" | "command">): string {
  if (kind !== "mcpCall") return command;
  // A backslash of the arguments themselves is doubled: what follows it is no escape.
  return command.replace(/\\(?:\\|u\{([0-9a-f]{1,6})\})/gi, (written, hex: string | undefined) => {
    const codePoint = Number.parseInt(hex ?? "", 16);
    if (!(codePoint <= 0x10ffff)) return written;
    const character = String.fromCodePoint(codePoint);
    // Anything that can be seen, a line break too, stays as it is written: it must not move a line.
    return inspectText(character).invisible.length > 0 ? character : written;
  });
}
