/** Reads the text of a request that changes files: a head with path and hashes per file, then a unified difference. */

export type ChangeLineKind = "title" | "hash" | "name" | "hunk" | "added" | "removed" | "same" | "gap";

export interface ChangeLine {
  kind: ChangeLineKind;
  /** Offsets in the whole text, without the line break. */
  start: number;
  end: number;
}

export interface ChangedFile {
  path: string;
  /** As written behind `before:` and `after:`. */
  before: string;
  after: string;
}

/**
 * Cuts the text by where a line stands, not by what it looks like: a file may hold lines such as `+++ x` or
 * `before: y`, which stay content.
 * @returns lines that together show every character but the line breaks
 */
export function changeLines(text: string): ChangeLine[] {
  let start = 0;
  // Five lines of a head (path, before, after, two names), then content until an empty line.
  let headLine = 0;
  return text.split("\n").map((line): ChangeLine => {
    const from = start;
    start += line.length + 1;
    const kind = headLine < 5 ? headKind(headLine) : contentKind(line);
    headLine = kind === "gap" ? 0 : headLine + 1;
    return { kind, start: from, end: from + line.length };
  });
}

/** @returns path and hashes of each file, in the order of the text */
export function changedFiles(text: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  const lines = changeLines(text);
  for (const [index, line] of lines.entries()) {
    if (line.kind !== "title") continue;
    const read = (at: number, label: RegExp) => {
      const one = lines[at];
      return one === undefined ? "" : text.slice(one.start, one.end).replace(label, "");
    };
    files.push({
      path: read(index, /^[\w-]+(?:: \w+)? /),
      before: read(index + 1, /^before: /),
      after: read(index + 2, /^after: /),
    });
  }
  return files;
}

function headKind(line: number): ChangeLineKind {
  if (line === 0) return "title";
  return line < 3 ? "hash" : "name";
}

function contentKind(line: string): ChangeLineKind {
  switch (line.charAt(0)) {
    case "":
      return "gap";
    case "+":
      return "added";
    case "-":
      return "removed";
    case "@":
      return "hunk";
    default:
      return "same";
  }
}
