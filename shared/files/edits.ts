/** The edit tool's heart: finds each text once, exactly or loosely, and replaces all of them at once. */

import type { Hardening } from "../hardening/rules.ts";
import { foldText, type MappedText, mapFolded, mapLf, originalRange } from "./fold.ts";
import { firstEnding, splitMark, toLf } from "./text.ts";

export interface TextEdit {
  oldText: string;
  newText: string;
}

export type EditProblem =
  | { kind: "not_found"; index: number }
  | { kind: "duplicate"; index: number; count: number }
  | { kind: "overlap"; index: number; otherIndex: number }
  | { kind: "no_change" };

export type EditResult =
  /** `text` is the whole new file; `before` and `after` are what a difference is shown between. */
  { ok: true; text: string; before: string; after: string } | { ok: false; problem: EditProblem };

interface Place {
  index: number;
  start: number;
  end: number;
  newText: string;
}

/**
 * @param raw the file as decoded, byte order mark and line endings included
 * @see tools-files-web-media.md 4.1, rules files.editKeepsRest and files.editExactFirst
 */
export function applyEdits(raw: string, edits: readonly TextEdit[], hardening: Hardening): EditResult {
  const { mark, body } = splitMark(raw);
  const wanted = edits.map(({ oldText, newText }) => ({ oldText: toLf(oldText), newText: toLf(newText) }));
  const isExactFirst = hardening.has("files.editExactFirst");
  return hardening.has("files.editKeepsRest")
    ? editInPlace(mark, body, wanted, isExactFirst)
    : editWhole(mark, body, wanted, isExactFirst);
}

/** As the reference: one loose match turns the whole file into its loose form, and endings become uniform. */
function editWhole(mark: string, body: string, edits: TextEdit[], isExactFirst: boolean): EditResult {
  const exact = toLf(body);
  const folded = foldText(exact);
  const isLoose = edits.some((edit) => !exact.includes(edit.oldText));
  const base = isLoose ? folded : exact;
  const places: Place[] = [];
  for (const [index, edit] of edits.entries()) {
    const oldFolded = foldText(edit.oldText);
    const isExact = base.includes(edit.oldText);
    const needle = isExact ? edit.oldText : oldFolded;
    const start = base.indexOf(needle);
    if (start < 0 || needle === "") return fail({ kind: "not_found", index });
    const count = isExact && isExactFirst ? occurrences(base, needle) : occurrences(folded, oldFolded);
    if (count > 1) return fail({ kind: "duplicate", index, count });
    places.push({ index, start, end: start + needle.length, newText: edit.newText });
  }
  const after = replaceAll(base, places);
  if (typeof after !== "string") return fail(after);
  if (after === base) return fail({ kind: "no_change" });
  const ending = firstEnding(body);
  return {
    ok: true,
    text: mark + (ending === "\n" ? after : after.replaceAll("\n", ending)),
    before: base,
    after,
  };
}

/** Only what matched is replaced; a new line takes the ending of the place it comes to. */
function editInPlace(mark: string, body: string, edits: TextEdit[], isExactFirst: boolean): EditResult {
  const exact = mapLf(body);
  let foldedOnce: MappedText | null = null;
  const folded = () => {
    foldedOnce ??= mapFolded(body);
    return foldedOnce;
  };
  const places: Place[] = [];
  for (const [index, edit] of edits.entries()) {
    const exactHits = hits(exact, edit.oldText);
    const isExact = exactHits.length > 0;
    const looseNeeded = !isExact || !isExactFirst;
    const looseHits = looseNeeded ? hits(folded(), mapFolded(edit.oldText).text) : exactHits;
    const counted = isExact && isExactFirst ? exactHits : looseHits;
    if (counted.length > 1) return fail({ kind: "duplicate", index, count: counted.length });
    const range = isExact ? exactHits[0] : looseHits[0];
    if (range === undefined) return fail({ kind: "not_found", index });
    const here = body.slice(range.start, range.end);
    const ending = firstEnding(here.includes("\n") ? here : body);
    const newText = ending === "\n" ? edit.newText : edit.newText.replaceAll("\n", ending);
    places.push({ index, start: range.start, end: range.end, newText });
  }
  const after = replaceAll(body, places);
  if (typeof after !== "string") return fail(after);
  if (after === body) return fail({ kind: "no_change" });
  return { ok: true, text: mark + after, before: toLf(body), after: toLf(after) };
}

/** @returns ranges of the original, each whole characters, not overlapping */
function hits(map: MappedText, needle: string): { start: number; end: number }[] {
  if (needle === "") return [];
  const found: { start: number; end: number }[] = [];
  for (let at = map.text.indexOf(needle); at >= 0; ) {
    const range = originalRange(map, at, at + needle.length);
    if (range !== null) found.push(range);
    at = map.text.indexOf(needle, at + (range === null ? 1 : needle.length));
  }
  return found;
}

function occurrences(text: string, needle: string): number {
  return needle === "" ? 0 : text.split(needle).length - 1;
}

/** Places refer to the same original text, so they are filled from the end; touching is fine, overlapping is not. */
function replaceAll(base: string, places: readonly Place[]): string | EditProblem {
  const sorted = [...places].sort((a, b) => a.start - b.start);
  let text = "";
  let position = 0;
  for (const [order, place] of sorted.entries()) {
    const previous = sorted[order - 1];
    if (previous !== undefined && place.start < previous.end) {
      return { kind: "overlap", index: previous.index, otherIndex: place.index };
    }
    text += base.slice(position, place.start) + place.newText;
    position = place.end;
  }
  return text + base.slice(position);
}

function fail(problem: EditProblem): EditResult {
  return { ok: false, problem };
}
