/** What changed between two dense snapshots, as lines: `+` new or changed, `-` how many went. */

const FOCUS = /,active(?=[,\] ]|$)|\{active\} /g;
const MAX_TABLE = 4_000_000;

/**
 * @returns `+line` for each line that was not there before, `-3` where lines went without others in their place;
 * empty when nothing a reader would care about changed. Focus alone is no change.
 */
export function diffLines(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && start < after.length && isSame(before[start], after[start])) start += 1;
  let oldEnd = before.length;
  let nowEnd = after.length;
  while (oldEnd > start && nowEnd > start && isSame(before[oldEnd - 1], after[nowEnd - 1])) {
    oldEnd -= 1;
    nowEnd -= 1;
  }
  if (oldEnd === start && nowEnd === start) return [];
  const old = before.slice(start, oldEnd).map(withoutFocus);
  const now = after.slice(start, nowEnd).map(withoutFocus);
  const result: string[] = [];
  for (const { removed, added } of hunks(old, now, 0, old.length, now.length)) {
    for (const index of added) result.push(`+${after[start + index] ?? ""}`);
    if (removed > added.length) result.push(`-${removed - added.length}`);
  }
  return result;
}

function isSame(before: string | undefined, after: string | undefined): boolean {
  if (before === after) return true;
  return before !== undefined && after !== undefined && withoutFocus(before) === withoutFocus(after);
}

function withoutFocus(line: string): string {
  return line.includes("active") ? line.replace(FOCUS, "") : line;
}

interface Hunk {
  removed: number;
  added: number[];
}

function hunks(
  old: readonly string[],
  now: readonly string[],
  start: number,
  oldEnd: number,
  nowEnd: number,
): Hunk[] {
  const rows = oldEnd - start;
  const columns = nowEnd - start;
  if (rows === 0 || columns === 0 || rows * columns > MAX_TABLE) {
    if (rows + columns === 0) return [];
    return rows * columns > MAX_TABLE
      ? bySet(old, now, start, oldEnd, nowEnd)
      : [{ removed: rows, added: range(start, nowEnd) }];
  }
  // Longest common run of lines, from the end, so that the walk below goes forward.
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] =
        old[start + row] === now[start + column]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  const found: Hunk[] = [];
  let hunk: Hunk | null = null;
  let row = 0;
  let column = 0;
  while (row < rows || column < columns) {
    if (row < rows && column < columns && old[start + row] === now[start + column]) {
      hunk = null;
      row += 1;
      column += 1;
      continue;
    }
    if (hunk === null) {
      hunk = { removed: 0, added: [] };
      found.push(hunk);
    }
    const down = row < rows ? (lengths[(row + 1) * width + column] ?? 0) : -1;
    const right = column < columns ? (lengths[row * width + column + 1] ?? 0) : -1;
    if (right >= down) {
      hunk.added.push(start + column);
      column += 1;
    } else {
      hunk.removed += 1;
      row += 1;
    }
  }
  return found;
}

/** Far too different for a table: lines that were not there at all. */
function bySet(
  old: readonly string[],
  now: readonly string[],
  start: number,
  oldEnd: number,
  nowEnd: number,
): Hunk[] {
  const known = new Set(old.slice(start, oldEnd));
  const kept = new Set(now.slice(start, nowEnd));
  const removed = old.slice(start, oldEnd).filter((line) => !kept.has(line)).length;
  return [{ removed, added: range(start, nowEnd).filter((index) => !known.has(now[index] ?? "")) }];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
