/** Differences between two texts by line: one bounded algorithm, shown as a numbered listing or a unified diff. */

import { clip } from "./text.ts";

type Kind = "same" | "removed" | "added";

/** Neighbouring lines with the same fate; runs keep a difference of huge texts small. */
export interface DiffRun {
  kind: Kind;
  count: number;
}

export interface TextDiff {
  oldLines: string[];
  newLines: string[];
  runs: DiffRun[];
}

/** Beyond this many changed lines the middle is shown as replaced, which is still right and takes no time. */
const maxDistance = 600;

export function diffLines(oldText: string, newText: string): TextDiff {
  const a = splitLines(oldText);
  const b = splitLines(newText);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1;
  }
  const middle = shortestEdit(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const all: DiffRun[] = [{ kind: "same", count: head }, ...middle, { kind: "same", count: tail }];
  const runs: DiffRun[] = [];
  for (const run of all) {
    const last = runs.at(-1);
    if (last?.kind === run.kind) last.count += run.count;
    else if (run.count > 0) runs.push({ ...run });
  }
  return { oldLines: a, newLines: b, runs };
}

/** A final line break ends the last line and starts none. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Myers' greedy search for the shortest edit; when it is too long, all old lines go and all new lines come. */
function shortestEdit(a: string[], b: string[]): DiffRun[] {
  const replaced: DiffRun[] = [
    { kind: "removed", count: a.length },
    { kind: "added", count: b.length },
  ];
  if (a.length === 0 || b.length === 0) return replaced;
  const limit = Math.min(a.length + b.length, maxDistance);
  const reach = new Int32Array(2 * limit + 3);
  const centre = limit + 1;
  const at = (k: number): number => reach[centre + k] ?? 0;
  const rounds: Int32Array[] = [];
  for (let distance = 0; distance <= limit; distance += 1) {
    rounds.push(reach.slice());
    for (let k = -distance; k <= distance; k += 2) {
      const isDown = k === -distance || (k !== distance && at(k - 1) < at(k + 1));
      let x = isDown ? at(k + 1) : at(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[centre + k] = x;
      if (x >= a.length && x - k >= b.length) return trace(a.length, b.length, rounds, centre);
    }
  }
  return replaced;
}

function trace(oldCount: number, newCount: number, rounds: Int32Array[], centre: number): DiffRun[] {
  const runs: DiffRun[] = [];
  let x = oldCount;
  let y = newCount;
  for (let distance = rounds.length - 1; distance > 0; distance -= 1) {
    const reach = rounds[distance] ?? new Int32Array();
    const at = (k: number): number => reach[centre + k] ?? 0;
    const k = x - y;
    const isDown = k === -distance || (k !== distance && at(k - 1) < at(k + 1));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = at(fromK);
    // After the one changed line came the same lines up to here.
    runs.push({ kind: "same", count: x - (isDown ? fromX : fromX + 1) });
    runs.push({ kind: isDown ? "added" : "removed", count: 1 });
    x = fromX;
    y = fromX - fromK;
  }
  runs.push({ kind: "same", count: x });
  return runs.reverse();
}

interface Hunk {
  /** In steps: a step is one same, removed or added line. */
  start: number;
  end: number;
}

/** @returns the parts to show: changes with `context` same lines around them, gaps left out */
function hunksOf(runs: readonly DiffRun[], context: number): Hunk[] {
  const total = stepsOf(runs);
  const hunks: Hunk[] = [];
  let position = 0;
  for (const { kind, count } of runs) {
    if (kind !== "same") {
      const start = Math.max(position - context, 0);
      const end = Math.min(position + count + context, total);
      const last = hunks.at(-1);
      if (last !== undefined && start <= last.end) last.end = end;
      else hunks.push({ start, end });
    }
    position += count;
  }
  return hunks;
}

function stepsOf(runs: readonly DiffRun[]): number {
  return runs.reduce((sum, run) => sum + run.count, 0);
}

interface Step {
  kind: Kind;
  text: string;
  /** 1-based numbers of the line that comes next on each side. */
  oldLine: number;
  newLine: number;
}

/** The steps of one hunk, made one by one so that a reader may stop early. */
function* stepsIn({ oldLines, newLines, runs }: TextDiff, { start, end }: Hunk): Generator<Step> {
  let position = 0;
  let oldLine = 1;
  let newLine = 1;
  for (const { kind, count } of runs) {
    const skipped = Math.min(Math.max(start - position, 0), count);
    const taken = Math.min(Math.max(end - position, 0), count);
    for (let step = skipped; step < taken; step += 1) {
      const from = { oldLine: oldLine + step, newLine: newLine + step };
      if (kind === "removed")
        yield { kind, text: oldLines[from.oldLine - 1] ?? "", oldLine: from.oldLine, newLine };
      else if (kind === "added")
        yield { kind, text: newLines[from.newLine - 1] ?? "", oldLine, newLine: from.newLine };
      else yield { kind, text: newLines[from.newLine - 1] ?? "", ...from };
    }
    position += count;
    if (kind !== "added") oldLine += count;
    if (kind !== "removed") newLine += count;
    if (position >= end) return;
  }
}

const signs = { same: " ", removed: "-", added: "+" } as const;

/**
 * A listing with line numbers: sign, right-aligned number, blank, text; `...` stands for lines left out.
 * @returns also the first changed line, 1-based in the new text; null when nothing changed
 */
export function numberedDiff(
  oldText: string,
  newText: string,
  maxChars: number,
): { diff: string; firstChangedLine: number | null; isCut: boolean } {
  const diff = diffLines(oldText, newText);
  const hunks = hunksOf(diff.runs, 4);
  const total = stepsOf(diff.runs);
  const width = String(Math.max(diff.oldLines.length, diff.newLines.length, 1)).length;
  const gap = ` ${" ".repeat(width)} ...`;
  const lines = function* () {
    let previousEnd = 0;
    for (const hunk of hunks) {
      if (hunk.start > previousEnd) yield gap;
      for (const { kind, text, oldLine, newLine } of stepsIn(diff, hunk)) {
        yield `${signs[kind]}${String(kind === "removed" ? oldLine : newLine).padStart(width)} ${text}`;
      }
      previousEnd = hunk.end;
    }
    if (hunks.length > 0 && previousEnd < total) yield gap;
  };
  const shown = bounded(lines(), maxChars, stepsShown(hunks));
  const [first] = diff.runs;
  const isChanged = diff.runs.some((run) => run.kind !== "same");
  const firstChangedLine = isChanged ? (first?.kind === "same" ? first.count : 0) + 1 : null;
  return { diff: shown.text, firstChangedLine, isCut: shown.isCut };
}

/** A unified diff with three lines of context, without file headers. */
export function unifiedDiff(
  oldText: string,
  newText: string,
  maxChars: number,
): { text: string; isCut: boolean } {
  const diff = diffLines(oldText, newText);
  const hunks = hunksOf(diff.runs, 3);
  const lines = function* () {
    for (const hunk of hunks) {
      yield hunkHead(diff.runs, hunk);
      for (const { kind, text } of stepsIn(diff, hunk)) yield `${signs[kind]}${text}`;
    }
  };
  return bounded(lines(), maxChars, stepsShown(hunks));
}

function stepsShown(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.end - hunk.start, 0);
}

/** `@@ -start,count +start,count @@`; a side without lines names the line before. */
function hunkHead(runs: readonly DiffRun[], { start, end }: Hunk): string {
  const before = { old: 0, new: 0 };
  const inside = { old: 0, new: 0 };
  let position = 0;
  for (const { kind, count } of runs) {
    const ahead = Math.min(Math.max(start - position, 0), count);
    const within = Math.min(Math.max(end - position, 0), count) - ahead;
    if (kind !== "added") {
      before.old += ahead;
      inside.old += within;
    }
    if (kind !== "removed") {
      before.new += ahead;
      inside.new += within;
    }
    position += count;
  }
  const side = (skipped: number, count: number) => `${count === 0 ? skipped : skipped + 1},${count}`;
  return `@@ -${side(before.old, inside.old)} +${side(before.new, inside.new)} @@`;
}

/** Whole lines up to the limit, then one line that says that more follows. */
function bounded(lines: Iterable<string>, maxChars: number, total: number): { text: string; isCut: boolean } {
  let length = 0;
  const kept: string[] = [];
  for (const line of lines) {
    if (length + line.length + 1 > maxChars) {
      const room = maxChars - length;
      // One huge line must not hide that it starts: its beginning is shown.
      if (room > 200) kept.push(`${clip(line, room - 1)}…`);
      kept.push(`… cut here: not shown is the rest of ${total} lines of this difference`);
      return { text: kept.join("\n"), isCut: true };
    }
    length += line.length + 1;
    kept.push(line);
  }
  return { text: kept.join("\n"), isCut: false };
}
