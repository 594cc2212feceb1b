/** Applies the chunks of one updated file to its text. */

import type { Hardening } from "../hardening/rules.ts";
import { foldPunctuation } from "./fold.ts";
import type { PatchChunk, PatchLine } from "./patchParse.ts";
import { splitMark } from "./text.ts";

export type PatchApplyResult =
  | { ok: true; text: string }
  | { ok: false; problem: "context_not_found" | "lines_not_found"; wanted: string };

interface Replacement {
  at: number;
  count: number;
  lines: string[];
}

/** @see tools-files-web-media.md 4.2, rules files.patchKeepsFile and files.patchInsertsAtContext */
export function applyChunks(
  text: string,
  chunks: readonly PatchChunk[],
  hardening: Hardening,
): PatchApplyResult {
  const keepsFile = hardening.has("files.patchKeepsFile");
  const { mark, body } = keepsFile ? splitMark(text) : { mark: "", body: text };
  const lines = body.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const replacements: Replacement[] = [];
  let cursor = 0;
  for (const chunk of chunks) {
    if (chunk.context !== null) {
      const found = seek(lines, [chunk.context], cursor, false);
      if (found === null) return { ok: false, problem: "context_not_found", wanted: chunk.context };
      cursor = found + 1;
    }
    const old = chunk.lines.filter((line) => line.kind !== "new").map((line) => line.text);
    if (old.length === 0) {
      const isAtContext = chunk.context !== null && hardening.has("files.patchInsertsAtContext");
      const at = isAtContext ? cursor : lines.length;
      replacements.push({ at, count: 0, lines: composed(chunk.lines, lines, at, keepsFile) });
      continue;
    }
    let wanted = chunk.lines;
    let count = old.length;
    let found = seek(lines, old, cursor, chunk.isAtEnd);
    if (found === null && old.at(-1) === "") {
      // A blank line at the end of a chunk is often only the way the patch was written.
      wanted = withoutLastBlank(chunk.lines);
      count -= 1;
      found = seek(lines, old.slice(0, -1), cursor, chunk.isAtEnd);
    }
    if (found === null) return { ok: false, problem: "lines_not_found", wanted: old.join("\n") };
    replacements.push({ at: found, count, lines: composed(wanted, lines, found, keepsFile) });
    cursor = found + count;
  }
  const result = [...lines];
  // From the bottom, so that earlier positions stay right; insertions at one place keep the order of the patch.
  const ordered = replacements
    .map((one, order) => ({ ...one, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order);
  for (const { at, count, lines: inserted } of ordered) result.splice(at, count, ...inserted);
  const joined = result.length === 0 ? "" : `${result.join("\n")}\n`;
  return { ok: true, text: mark + joined };
}

/** @returns the lines that stand there afterwards */
function composed(
  chunk: readonly PatchLine[],
  lines: readonly string[],
  at: number,
  keepsFile: boolean,
): string[] {
  if (!keepsFile) return chunk.filter((line) => line.kind !== "old").map((line) => line.text);
  const ending =
    lines[at]?.endsWith("\r") || (lines[at] === undefined && lines.at(-1)?.endsWith("\r")) ? "\r" : "";
  const result: string[] = [];
  let position = at;
  for (const line of chunk) {
    if (line.kind === "new") result.push(line.text + ending);
    else {
      if (line.kind === "context") result.push(lines[position] ?? line.text);
      position += 1;
    }
  }
  return result;
}

/** Drops the last blank old or context line, and a last blank new line. */
function withoutLastBlank(chunk: readonly PatchLine[]): PatchLine[] {
  const lastOld = chunk.findLastIndex((line) => line.kind !== "new");
  const kept = chunk.filter((_, index) => index !== lastOld);
  const isContext = chunk[lastOld]?.kind === "context";
  const last = kept.at(-1);
  // A blank context line counts on both sides, and is gone from both already.
  return !isContext && last?.kind === "new" && last.text === "" ? kept.slice(0, -1) : kept;
}

const passes: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => foldPunctuation(line.trim()).trim(),
];

/** Each pass looks through the whole rest before a looser one starts: an exact match further down wins. */
function seek(
  lines: readonly string[],
  pattern: readonly string[],
  start: number,
  isAtEnd: boolean,
): number | null {
  if (pattern.length === 0) return start;
  const lastStart = lines.length - pattern.length;
  if (lastStart < 0) return null;
  const from = isAtEnd ? lastStart : start;
  for (const form of passes) {
    const wanted = pattern.map(form);
    for (let at = from; at <= lastStart; at += 1) {
      if (wanted.every((line, offset) => form(lines[at + offset] ?? "") === line)) return at;
    }
  }
  return null;
}
