/** The grammar of apply_patch: text in, a list of file changes or the first mistake out. */

export type PatchParseProblem =
  | "empty_input"
  | "missing_begin"
  | "missing_end"
  | "no_files"
  | "bad_header"
  | "empty_update"
  | "missing_chunk_marker"
  | "chunk_without_lines"
  | "bad_chunk_line";

export interface PatchLine {
  kind: "context" | "old" | "new";
  text: string;
}

export interface PatchChunk {
  /** The line named behind `@@`; null when none is. */
  context: string | null;
  lines: PatchLine[];
  /** The chunk stands at the end of the file. */
  isAtEnd: boolean;
}

export type PatchFile =
  | { kind: "add"; path: string; text: string }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; moveTo: string | null; chunks: PatchChunk[] };

export type PatchParseResult =
  | { ok: true; files: PatchFile[] }
  /** `line` is 1-based in the trimmed patch; null when the whole text is meant. */
  | { ok: false; problem: PatchParseProblem; line: number | null; text: string };

const begin = "*** Begin Patch";
const end = "*** End Patch";
const endOfFile = "*** End of File";

/** A mistake found on the way; caught by `parsePatch` alone. */
class PatchMistake extends Error {
  readonly problem: PatchParseProblem;
  readonly line: number | null;
  readonly text: string;
  constructor(problem: PatchParseProblem, line: number | null, text: string) {
    super(problem);
    this.problem = problem;
    this.line = line;
    this.text = text;
  }
}

/** @see tools-files-web-media.md 4.2 */
export function parsePatch(input: string): PatchParseResult {
  const trimmed = input.trim();
  if (trimmed === "") return { ok: false, problem: "empty_input", line: null, text: "" };
  const lines = unwrapped(trimmed.split(/\r?\n/));
  try {
    if (lines[0]?.trim() !== begin) throw new PatchMistake("missing_begin", 1, lines[0] ?? "");
    if (lines.length < 2 || lines.at(-1)?.trim() !== end) {
      throw new PatchMistake("missing_end", lines.length, lines.at(-1) ?? "");
    }
    const files = filesOf({ lines, position: 1, last: lines.length - 1 });
    if (files.length === 0) throw new PatchMistake("no_files", null, "");
    return { ok: true, files };
  } catch (error) {
    if (!(error instanceof PatchMistake)) throw error;
    return { ok: false, problem: error.problem, line: error.line, text: error.text };
  }
}

/** Takes one here-document wrapper off. */
function unwrapped(lines: string[]): string[] {
  const isWrapped =
    lines.length >= 4 &&
    /^<<(?:EOF|'EOF'|"EOF")$/.test(lines[0] ?? "") &&
    lines.at(-1)?.endsWith("EOF") === true;
  return isWrapped ? lines.slice(1, -1) : lines;
}

interface Cursor {
  lines: readonly string[];
  position: number;
  /** Index of the end marker. */
  last: number;
}

function peek(cursor: Cursor): string | undefined {
  return cursor.position < cursor.last ? cursor.lines[cursor.position] : undefined;
}

function filesOf(cursor: Cursor): PatchFile[] {
  const files: PatchFile[] = [];
  for (let line = peek(cursor); line !== undefined; line = peek(cursor)) {
    const header = line.trim();
    const added = after(header, "*** Add File: ");
    const deleted = after(header, "*** Delete File: ");
    const updated = after(header, "*** Update File: ");
    const path = added ?? deleted ?? updated;
    if (path === null || path === "") throw new PatchMistake("bad_header", cursor.position + 1, line);
    cursor.position += 1;
    if (added !== null) files.push({ kind: "add", path, text: addedText(cursor) });
    else if (deleted !== null) files.push({ kind: "delete", path });
    else files.push(updateOf(cursor, path));
  }
  return files;
}

function after(line: string, prefix: string): string | null {
  return line.startsWith(prefix) ? line.slice(prefix.length) : null;
}

function addedText(cursor: Cursor): string {
  let text = "";
  for (let line = peek(cursor); line?.startsWith("+"); line = peek(cursor)) {
    text += `${line.slice(1)}\n`;
    cursor.position += 1;
  }
  return text;
}

function updateOf(cursor: Cursor, path: string): PatchFile {
  const headerLine = cursor.position;
  const moveTo = after(peek(cursor)?.trim() ?? "", "*** Move to: ");
  if (moveTo !== null) cursor.position += 1;
  const chunks: PatchChunk[] = [];
  for (let line = peek(cursor); line !== undefined && !line.startsWith("***"); line = peek(cursor)) {
    if (line.trim() === "") cursor.position += 1;
    else chunks.push(chunkOf(cursor, chunks.length === 0));
  }
  if (chunks.length === 0) throw new PatchMistake("empty_update", headerLine, path);
  return { kind: "update", path, moveTo, chunks };
}

function chunkOf(cursor: Cursor, isFirst: boolean): PatchChunk {
  const head = peek(cursor) ?? "";
  const hasMarker = head === "@@" || head.startsWith("@@ ");
  if (!hasMarker && !isFirst) throw new PatchMistake("missing_chunk_marker", cursor.position + 1, head);
  const chunk: PatchChunk = {
    context: head.startsWith("@@ ") ? head.slice(3) : null,
    lines: [],
    isAtEnd: false,
  };
  if (hasMarker) cursor.position += 1;
  for (let line = peek(cursor); line !== undefined; line = peek(cursor)) {
    if (line === endOfFile) {
      if (chunk.lines.length === 0) break;
      chunk.isAtEnd = true;
      cursor.position += 1;
      break;
    }
    const parsed = patchLineOf(line);
    if (parsed === null) {
      if (chunk.lines.length === 0) throw new PatchMistake("bad_chunk_line", cursor.position + 1, line);
      break;
    }
    chunk.lines.push(parsed);
    cursor.position += 1;
  }
  if (chunk.lines.length === 0) throw new PatchMistake("chunk_without_lines", cursor.position + 1, head);
  return chunk;
}

function patchLineOf(line: string): PatchLine | null {
  if (line === "") return { kind: "context", text: "" };
  const text = line.slice(1);
  if (line.startsWith(" ")) return { kind: "context", text };
  if (line.startsWith("-")) return { kind: "old", text };
  return line.startsWith("+") ? { kind: "new", text } : null;
}
