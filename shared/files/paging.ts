/** Pages of a text for the read tool: how much is shown, what was cut, and where to go on. */

import type { Hardening } from "../hardening/rules.ts";
import { sizeText, tokenEstimate, utf8Length } from "./text.ts";

export const pageMaxLines = 2000;
export const pageMaxBytes = 50 * 1024;
const maxPages = 8;
const maxBudgetBytes = 512 * 1024;

/** Why the shown text ends before the file does. */
export type CutKind = "more_lines" | "page_lines" | "page_bytes" | "capped" | "line_too_long";

export interface Truncation {
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  lastLinePartial: boolean;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

export interface PagingInput {
  text: string;
  /** 1-based line; below 1 counts as 1. */
  offset?: number | undefined;
  /** Lines; absent: as many pages as the budget holds. */
  limit?: number | undefined;
  /** Tokens of the model's context; absent: the smallest budget. */
  contextWindowTokens?: number | undefined;
  /** The path as given, for the command in the notice about a line that is too long. */
  path: string;
  hardening: Hardening;
}

export type PagingResult =
  | {
      ok: true;
      text: string;
      totalLines: number;
      cut: { kind: CutKind; nextOffset: number | null } | null;
      truncation: Truncation | null;
    }
  | { ok: false; offset: number; totalLines: number };

/** @returns bytes that one read may return for a model with this context; @see tools-files-web-media.md 2 */
export function readBudgetBytes(contextWindowTokens: number | undefined): number {
  if (contextWindowTokens === undefined || !(contextWindowTokens > 0)) return pageMaxBytes;
  return Math.min(Math.max(Math.floor(contextWindowTokens * 4 * 0.2), pageMaxBytes), maxBudgetBytes);
}

interface Page {
  text: string;
  lines: number;
  bytes: number;
  /** Where the next line starts in the text; past the end when this was the last. */
  nextPosition: number;
  stoppedBy: "lines" | "bytes" | "limit" | null;
  /** Bytes of the first line when it alone is too long. */
  tooLongBytes: number | null;
}

/** Lines end at LF only; a final line break counts as one more, empty line. */
export function readPages(input: PagingInput): PagingResult {
  const { text, hardening } = input;
  const totalLines = countLines(text);
  const first = Math.max(Math.trunc(input.offset ?? 1), 1);
  if (first > totalLines) return { ok: false, offset: first, totalLines };
  const start = lineStart(text, first);
  const limit = input.limit === undefined ? undefined : Math.max(Math.trunc(input.limit), 0);
  const isAdaptive = limit === undefined || limit === 0;
  const budget = isAdaptive ? readBudgetBytes(input.contextWindowTokens) : pageMaxBytes;
  const joiner = hardening.has("files.seamlessPages") ? "\n" : "\n\n";

  const shown: string[] = [];
  let shownBytes = 0;
  let line = first;
  let position = start;
  const finish = (
    cut: { kind: CutKind; nextOffset: number | null },
    page: Page,
    notice: string,
  ): PagingResult => {
    const whole = shown.join(joiner);
    const note = hardening.has("files.sizeNotes") ? sizeNote(whole, text) : "";
    const separator = whole === "" && cut.kind === "line_too_long" ? "" : "\n\n";
    return {
      ok: true,
      text: `${whole}${separator}[${notice}${note}]`,
      totalLines,
      cut,
      truncation: cut.kind === "more_lines" ? null : truncationOf(page, text, start, totalLines - first + 1),
    };
  };
  for (let count = 1; ; count += 1) {
    const page = pageAt(text, position, limit);
    if (page.tooLongBytes !== null) {
      const size = sizeText(page.tooLongBytes);
      const notice = `Line ${line} has ${size}, a page only ${sizeText(pageMaxBytes)}. See it in part with exec: sed -n '${line}p' ${input.path} | head -c ${pageMaxBytes}`;
      return finish({ kind: "line_too_long", nextOffset: null }, page, notice);
    }
    const added = page.bytes + (shown.length === 0 ? 0 : joiner.length);
    if (shownBytes + added > budget) {
      const notice = `One call reads at most ${sizeText(budget)} here; go on at offset=${line}.`;
      return finish({ kind: "capped", nextOffset: line }, page, notice);
    }
    shown.push(page.text);
    shownBytes += added;
    const nextLine = line + page.lines;
    if (page.stoppedBy === null) {
      return { ok: true, text: shown.join(joiner), totalLines, cut: null, truncation: null };
    }
    if (page.stoppedBy === "limit") {
      const left = totalLines - nextLine + 1;
      const notice = `${left} lines follow in this file; go on at offset=${nextLine}.`;
      return finish({ kind: "more_lines", nextOffset: nextLine }, page, notice);
    }
    if (!isAdaptive || count === maxPages) {
      const kind = page.stoppedBy === "lines" ? "page_lines" : "page_bytes";
      const why = kind === "page_bytes" ? ` (a page holds ${sizeText(pageMaxBytes)})` : "";
      const notice = `Lines ${line} to ${nextLine - 1} of ${totalLines}${why}; go on at offset=${nextLine}.`;
      return finish({ kind, nextOffset: nextLine }, page, notice);
    }
    line = nextLine;
    position = page.nextPosition;
  }
}

/** At most `limit` lines from `position`, within the limits of a page; never a part of a line. */
function pageAt(text: string, position: number, limit: number | undefined): Page {
  let at = position;
  let lines = 0;
  let bytes = 0;
  let end = position;
  const page = (stoppedBy: Page["stoppedBy"], tooLongBytes: number | null = null): Page => ({
    text: lines === 0 ? "" : text.slice(position, end),
    lines,
    bytes,
    nextPosition: at,
    stoppedBy,
    tooLongBytes,
  });
  for (;;) {
    if (limit !== undefined && lines >= limit) return page("limit");
    if (lines >= pageMaxLines) return page("lines");
    const lineBreak = text.indexOf("\n", at);
    const lineEnd = lineBreak < 0 ? text.length : lineBreak;
    const lineBytes = utf8Length(text, at, lineEnd);
    if (lines === 0 && lineBytes > pageMaxBytes) return page("bytes", lineBytes);
    const added = lineBytes + (lines === 0 ? 0 : 1);
    if (bytes + added > pageMaxBytes) return page("bytes");
    bytes += added;
    lines += 1;
    end = lineEnd;
    at = lineEnd + 1;
    if (lineBreak < 0) return page(null);
  }
}

function truncationOf(page: Page, text: string, start: number, linesLeft: number): Truncation {
  return {
    truncated: true,
    truncatedBy: page.stoppedBy === "lines" ? "lines" : "bytes",
    totalLines: linesLeft,
    totalBytes: utf8Length(text, start),
    outputLines: page.lines,
    outputBytes: page.bytes,
    lastLinePartial: false,
    firstLineExceedsLimit: page.tooLongBytes !== null,
    maxLines: pageMaxLines,
    maxBytes: pageMaxBytes,
  };
}

function sizeNote(shown: string, whole: string): string {
  const part = `${sizeText(utf8Length(shown))}, about ${tokenEstimate(shown)} tokens`;
  return ` Shown: ${part}; the file: ${sizeText(utf8Length(whole))}, about ${tokenEstimate(whole)} tokens.`;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** @param line 1-based and not past the end */
function lineStart(text: string, line: number): number {
  let position = 0;
  for (let passed = 1; passed < line; passed += 1) position = text.indexOf("\n", position) + 1;
  return position;
}
