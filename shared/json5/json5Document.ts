/** Reads JSON5 into a plain value that knows where each part stands, so that problems can name line and column. */

import { parse as momoaParse } from "@humanwhocodes/momoa";
import JSON5 from "json5";
import type { FileProblem } from "../contract/index.ts";
import { isSameValue } from "./sameValue.ts";

type MomoaDocument = ReturnType<typeof momoaParse>;
export type ValueNode = MomoaDocument["body"];
export type ObjectNode = Extract<ValueNode, { type: "Object" }>;
export type ArrayNode = Extract<ValueNode, { type: "Array" }>;
export type MemberNode = ObjectNode["members"][number];
export type Token = NonNullable<MomoaDocument["tokens"]>[number];

/** Keys for objects, numbers for lists. */
export type DocumentPath = readonly (string | number)[];

/** Counted from 1; columns count UTF-16 units. */
export interface TextPosition {
  line: number;
  column: number;
}

export interface Json5Document {
  text: string;
  /** Plain JSON data, objects with the normal prototype; never holds a key `__proto__`. */
  value: unknown;
  root: ValueNode;
  tokens: readonly Token[];
  /** Where the key of a member, or the value of a list item, begins; null when the path is not in the text. */
  positionOf(path: DocumentPath): TextPosition | null;
  /** As `positionOf`, for the longest part of the path that is there; the document's own value at worst. */
  nearestPosition(path: DocumentPath): TextPosition;
}

export type ParseResult = { ok: true; document: Json5Document } | { ok: false; problem: FileProblem };

/** Deeper nesting is no config; it would only exhaust the stack of whoever walks it. */
export const maxDepth = 200;

/**
 * Parses JSON5 (which holds JSON). Refused beyond the grammar, since the text would then not say one thing to
 * everyone: two equal keys in one object, a key `__proto__`, nesting beyond 200 levels.
 * @param about.path named in the problem
 */
export function parseJson5(text: string, about: { path: string }): ParseResult {
  const fail = (at: TextPosition | null, message: string): ParseResult => ({
    ok: false,
    problem: {
      path: about.path,
      line: at?.line ?? null,
      column: at?.column ?? null,
      message,
      configPath: null,
    },
  });

  let reference: unknown;
  try {
    reference = JSON5.parse(text);
  } catch (error) {
    return fail(json5ErrorPosition(error, text), describeSyntaxError(error, text));
  }
  let document: MomoaDocument;
  try {
    document = momoaParse(text, { mode: "json5", ranges: true, tokens: true });
  } catch (error) {
    return fail(
      momoaErrorPosition(error),
      error instanceof RangeError
        ? `Nested deeper than ${maxDepth} levels.`
        : "This form of JSON5 is not supported here. A word such as null or true as a key needs quotes.",
    );
  }
  try {
    const value = toValue(document.body, 0);
    // Two readers must agree: otherwise OpenClaw and we could enforce different rules from one file.
    if (!isSameValue(value, reference))
      return fail(null, "This text can be read in two ways. Write it as plain JSON.");
    const root = document.body;
    return { ok: true, document: makeDocument(text, value, root, document.tokens ?? []) };
  } catch (error) {
    if (error instanceof RefusedNode) return fail(positionAt(text, error.offset), error.message);
    throw error;
  }
}

/** Where a text stops being plain JSON; null when that cannot be told. */
export function plainJsonErrorPosition(text: string): TextPosition | null {
  try {
    momoaParse(text, { mode: "json" });
    return null;
  } catch (error) {
    return momoaErrorPosition(error);
  }
}

/** Finds the node at a path; for a repeated look-up of members by key. */
export function nodeAt(root: ValueNode, path: DocumentPath): ValueNode | null {
  let node: ValueNode = root;
  for (const part of path) {
    const next = childOf(node, part);
    if (next === null) return null;
    node = next.value;
  }
  return node;
}

export function childOf(node: ValueNode, part: string | number): { start: number; value: ValueNode } | null {
  if (node.type === "Object") {
    const member = node.members.find((candidate) => memberKey(candidate) === String(part));
    return member === undefined ? null : { start: member.loc.start.offset, value: member.value };
  }
  if (node.type === "Array") {
    const index = typeof part === "number" ? part : /^\d+$/.test(part) ? Number(part) : -1;
    const element = node.elements[index];
    return element === undefined ? null : { start: element.loc.start.offset, value: element.value };
  }
  return null;
}

export function memberKey(member: MemberNode): string {
  if (member.name.type === "String") return member.name.value;
  return member.name.name.replace(/\\u([0-9a-fA-F]{4})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Line breaks are LF, CR LF and a lone CR. */
export function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < offset && index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 10 || (unit === 13 && text.charCodeAt(index + 1) !== 10)) {
      line += 1;
      lineStart = index + 1;
    }
  }
  return { line, column: offset - lineStart + 1 };
}

/** Splits `agents.list.0.tools`; all-digit parts become list indexes. */
export function parseDottedPath(dotted: string): (string | number)[] {
  return dotted.split(".").map((part) => (/^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : part));
}

/** Assigns even a name such as `constructor` as an own property. */
export function defineOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

class RefusedNode extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function makeDocument(
  text: string,
  value: unknown,
  root: ValueNode,
  tokens: readonly Token[],
): Json5Document {
  const startOf = (path: DocumentPath): number | null => {
    let node = root;
    let start = root.loc.start.offset;
    for (const part of path) {
      const next = childOf(node, part);
      if (next === null) return null;
      node = next.value;
      start = next.start;
    }
    return start;
  };
  return {
    text,
    value,
    root,
    tokens,
    positionOf(path) {
      const start = startOf(path);
      return start === null ? null : positionAt(text, start);
    },
    nearestPosition(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const start = startOf(path.slice(0, length));
        if (start !== null) return positionAt(text, start);
      }
      return positionAt(text, root.loc.start.offset);
    },
  };
}

function toValue(node: ValueNode, depth: number): unknown {
  if (depth > maxDepth)
    throw new RefusedNode(`Nested deeper than ${maxDepth} levels.`, node.loc.start.offset);
  switch (node.type) {
    case "Object": {
      const result: Record<string, unknown> = {};
      const seen = new Map<string, number>();
      for (const member of node.members) {
        const key = memberKey(member);
        const offset = member.loc.start.offset;
        if (key === "__proto__") throw new RefusedNode("The key __proto__ is not allowed.", offset);
        if (seen.has(key))
          throw new RefusedNode(
            `The key ${JSON.stringify(key)} stands twice in this object; only one of them would count. Keep one.`,
            offset,
          );
        seen.set(key, offset);
        defineOwn(result, key, toValue(member.value, depth + 1));
      }
      return result;
    }
    case "Array":
      return node.elements.map((element) => toValue(element.value, depth + 1));
    case "Null":
      return null;
    case "NaN":
      return Number.NaN;
    case "Infinity":
      return node.sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    default:
      return node.value;
  }
}

function json5ErrorPosition(error: unknown, text: string): TextPosition | null {
  if (!(error instanceof SyntaxError) || !("lineNumber" in error) || !("columnNumber" in error)) return null;
  const { lineNumber, columnNumber } = error;
  if (typeof lineNumber !== "number" || typeof columnNumber !== "number") return null;
  // The library counts columns of the end of the text from 1 and of characters from 1; a break at 0 is the line's end.
  if (columnNumber < 1) {
    const before = text.split(/\r\n|\r|\n/)[lineNumber - 2] ?? "";
    return { line: Math.max(lineNumber - 1, 1), column: before.length + 1 };
  }
  return { line: lineNumber, column: columnNumber };
}

function describeSyntaxError(error: unknown, text: string): string {
  if (error instanceof RangeError) return `Nested deeper than ${maxDepth} levels.`;
  if (text.trim() === "") return "The file is empty. Write at least {} or delete it.";
  const detail =
    error instanceof Error ? error.message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, "") : "";
  return `Not valid JSON5: ${detail === "" ? "cannot be read" : detail}.`;
}

function momoaErrorPosition(error: unknown): TextPosition | null {
  if (typeof error !== "object" || error === null || !("line" in error) || !("column" in error)) return null;
  const { line, column } = error;
  return typeof line === "number" && typeof column === "number" ? { line, column } : null;
}
