/** Differences between two texts by line: one bounded algorithm, shown as a numbered listing or a unified diff. */

import { clip } from "./text.ts";

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
  /** 1-based; of the old text for removed lines, of the new text for the others. */
  line: number;
}

/** Beyond this many changed lines the middle is shown as replaced, which is still right and takes no time. */
const maxDistance = 600;

export function diffLines(oldText: string, newText: string): DiffLine[] {
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
  const kinds = [
    ...new Array<DiffLine["kind"]>(head).fill("same"),
    ...middle,
    ...new Array<DiffLine["kind"]>(tail).fill("same"),
  ];
  let oldLine = 0;
  let newLine = 0;
  return kinds.map((kind): DiffLine => {
    if (kind !== "added") oldLine += 1;
    if (kind !== "removed") newLine += 1;
    return kind === "removed"
      ? { kind, text: a[oldLine - 1] ?? "", line: oldLine }
      : { kind, text: b[newLine - 1] ?? "", line: newLine };
  });
}

/** A final line break ends the last line and starts none. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Myers' greedy search for the shortest edit; when it is too long, all old lines go and all new lines come. */
function shortestEdit(a: string[], b: string[]): DiffLine["kind"][] {
  const replaced = (): DiffLine["kind"][] => [
    ...a.map(() => "removed" as const),
    ...b.map(() => "added" as const),
  ];
  if (a.length === 0 || b.length === 0) return replaced();
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
  return replaced();
}

function trace(oldCount: number, newCount: number, rounds: Int32Array[], centre: number): DiffLine["kind"][] {
  const kinds: DiffLine["kind"][] = [];
  let x = oldCount;
  let y = newCount;
  for (let distance = rounds.length - 1; distance > 0; distance -= 1) {
    const reach = rounds[distance] ?? new Int32Array();
    const at = (k: number): number => reach[centre + k] ?? 0;
    const k = x - y;
    const isDown = k === -distance || (k !== distance && at(k - 1) < at(k + 1));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = at(fromK);
    const fromY = fromX - fromK;
    while (x > (isDown ? fromX : fromX + 1) && y > (isDown ? fromY + 1 : fromY)) {
      kinds.push("same");
      x -= 1;
      y -= 1;
    }
    kinds.push(isDown ? "added" : "removed");
    x = fromX;
    y = fromY;
  }
  for (; x > 0; x -= 1) kinds.push("same");
  return kinds.reverse();
}

/** @returns runs of lines to show: changes with `context` same lines around them, gaps left out */
function hunksOf(lines: readonly DiffLine[], context: number): { start: number; end: number }[] {
  const hunks: { start: number; end: number }[] = [];
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    const start = Math.max(index - context, 0);
    const end = Math.min(index + context + 1, lines.length);
    const last = hunks.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  });
  return hunks;
}

/**
 * A listing with line numbers: sign, right-aligned number, blank, text; `...` stands for lines left out.
 * @returns also the first changed line, 1-based in the new text; null when nothing changed
 */
export function numberedDiff(
  oldText: string,
  newText: string,
  maxChars: number,
): { diff: string; firstChangedLine: number | null; isCut: boolean } {
  const lines = diffLines(oldText, newText);
  const width = String(lines.reduce((most, line) => Math.max(most, line.line), 1)).length;
  const signs = { same: " ", removed: "-", added: "+" } as const;
  const shown: string[] = [];
  let isPreviousEnd = 0;
  for (const { start, end } of hunksOf(lines, 4)) {
    if (start > isPreviousEnd) shown.push(` ${" ".repeat(width)} ...`);
    for (const line of lines.slice(start, end)) {
      shown.push(`${signs[line.kind]}${String(line.line).padStart(width)} ${line.text}`);
    }
    isPreviousEnd = end;
  }
  if (shown.length > 0 && isPreviousEnd < lines.length) shown.push(` ${" ".repeat(width)} ...`);
  const { text, isCut } = bounded(shown, maxChars);
  return { diff: text, firstChangedLine: firstChangeOf(lines), isCut };
}

function firstChangeOf(lines: readonly DiffLine[]): number | null {
  let newLine = 1;
  for (const line of lines) {
    if (line.kind !== "same") return newLine;
    newLine += 1;
  }
  return null;
}

/** A unified diff with three lines of context, without file headers. */
export function unifiedDiff(
  oldText: string,
  newText: string,
  maxChars: number,
): { text: string; isCut: boolean } {
  const lines = diffLines(oldText, newText);
  const signs = { same: " ", removed: "-", added: "+" } as const;
  const shown: string[] = [];
  let oldLine = 0;
  let newLine = 0;
  let position = 0;
  for (const { start, end } of hunksOf(lines, 3)) {
    for (; position < start; position += 1) {
      oldLine += 1;
      newLine += 1;
    }
    const hunk = lines.slice(start, end);
    const oldCount = hunk.filter((line) => line.kind !== "added").length;
    const newCount = hunk.filter((line) => line.kind !== "removed").length;
    const oldStart = oldCount === 0 ? oldLine : oldLine + 1;
    const newStart = newCount === 0 ? newLine : newLine + 1;
    shown.push(`@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`);
    for (const line of hunk) shown.push(`${signs[line.kind]}${line.text}`);
    oldLine += oldCount;
    newLine += newCount;
    position = end;
  }
  return bounded(shown, maxChars);
}

/** Whole lines up to the limit, then one line that says how many are missing. */
function bounded(lines: readonly string[], maxChars: number): { text: string; isCut: boolean } {
  let length = 0;
  let count = 0;
  for (const line of lines) {
    if (length + line.length + 1 > maxChars) break;
    length += line.length + 1;
    count += 1;
  }
  if (count === lines.length) return { text: lines.join("\n"), isCut: false };
  const kept = lines.slice(0, count);
  const next = lines[count] ?? "";
  const room = maxChars - length;
  // One huge line must not hide that it starts: its beginning is shown.
  if (room > 200) kept.push(`${clip(next, room - 1)}…`);
  return {
    text: [...kept, `… not shown: ${lines.length - count} of ${lines.length} lines of this difference`].join(
      "\n",
    ),
    isCut: true,
  };
}
