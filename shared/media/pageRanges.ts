/** Which pages of a document were asked for: `1-5,8`. */

import type { Hardening } from "../hardening/rules.ts";

export type PageChoice =
  /** Ascending, each once. Empty: none was named, or (reference only) none is in reach. */
  | { ok: true; pages: number[] }
  | {
      ok: false;
      error: "invalid_range" | "invalid_number" | "beyond_limit";
      /** What is wrong and what to do. */
      message: string;
    };

const digits = /^\d{1,9}$/;
const range = /^(\d{1,15})\s*-\s*(\d{1,15})$/;
const maxShownChars = 40;

/**
 * @param text comma list of `N` and `N-M`, counted from 1; empty parts are skipped
 * @param maxPages `agents.defaults.pdfMaxPages`: also the highest page that can be named
 * @see tools-files-web-media.md 9.3; files vectors, suite "pdf_pages"
 */
export function parsePages(text: string, maxPages: number, hardening: Hardening): PageChoice {
  const pages = new Set<number>();
  let highest = 0;
  for (const raw of text.split(",")) {
    const part = raw.trim();
    if (part === "") continue;
    const span = range.exec(part);
    const first = Number(span === null ? part : span[1]);
    const last = span === null ? first : Number(span[2]);
    const isWritten = span !== null || digits.test(part) || !hardening.has("media.wholePageNumbers");
    if (!Number.isFinite(first) || (span === null && first < 1) || !isWritten) return badNumber(part);
    if (first < 1 || last < first) return badRange(part);
    highest = Math.max(highest, last);
    // The end is cut first: a range may be as wide as it likes.
    for (let page = first; page <= Math.min(last, maxPages); page += 1) pages.add(page);
  }
  if (highest > maxPages && hardening.has("media.pagesInReach")) return beyond(highest, maxPages);
  return { ok: true, pages: [...pages].sort((a, b) => a - b) };
}

/** @returns the pages as short as they can be written: `1-3, 7` */
export function pagesText(pages: readonly number[]): string {
  const spans: [first: number, last: number][] = [];
  for (const page of pages) {
    const span = spans.at(-1);
    if (span !== undefined && page === span[1] + 1) span[1] = page;
    else spans.push([page, page]);
  }
  return spans.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}

function badNumber(part: string): PageChoice {
  const shown = part.slice(0, maxShownChars);
  return {
    ok: false,
    error: "invalid_number",
    message: `"${shown}" is no page number. Name pages as 3, 1-5 or 1,3,7-9; the first page is 1.`,
  };
}

function badRange(part: string): PageChoice {
  return {
    ok: false,
    error: "invalid_range",
    message: `"${part.slice(0, maxShownChars)}" is no range of pages. Ranges go upwards from page 1, as 3-5.`,
  };
}

function beyond(highest: number, maxPages: number): PageChoice {
  return {
    ok: false,
    error: "beyond_limit",
    message: `Page ${highest} is beyond page ${maxPages}, the highest that can be named here (agents.defaults.pdfMaxPages). Name earlier pages, or ask the operator to raise the limit.`,
  };
}
