/** Writes values as JSON5 in the style of the text around them: quotes, key style, indentation, line breaks. */

import { AppError } from "../errors/index.ts";
import { type Json5Document, maxDepth, type ValueNode } from "./json5Document.ts";

export interface TextStyle {
  quote: '"' | "'";
  unquotedKeys: boolean;
  /** One level. */
  indent: string;
  lineBreak: string;
  /** The whole document stands on one line. */
  singleLine: boolean;
}

/** Short lists of plain values stay on one line up to this length. */
const inlineLength = 80;

/** Reads the style that most of the document has. */
export function styleOf(document: Json5Document): TextStyle {
  const { text } = document;
  let unquoted = 0;
  let quoted = 0;
  let single = 0;
  let double = 0;
  let indent: string | null = null;
  const count = (node: { loc: { start: { offset: number } } }): void => {
    if (text[node.loc.start.offset] === "'") single += 1;
    else double += 1;
  };
  const visit = (node: ValueNode): void => {
    if (node.type === "String") count(node);
    const children = node.type === "Object" ? node.members : node.type === "Array" ? node.elements : [];
    for (const child of children) {
      if (child.type === "Member") {
        if (child.name.type === "String") {
          quoted += 1;
          count(child.name);
        } else unquoted += 1;
      }
      if (indent === null && startsLine(text, child.loc.start.offset)) {
        const inner = indentAt(text, child.loc.start.offset);
        const outer = indentAt(text, node.loc.start.offset);
        if (inner.length > outer.length && inner.startsWith(outer)) indent = inner.slice(outer.length);
      }
      visit(child.value);
    }
  };
  visit(document.root);
  return {
    quote: single > double ? "'" : '"',
    unquotedKeys: unquoted > quoted,
    indent: indent ?? "  ",
    lineBreak: text.includes("\r\n") ? "\r\n" : "\n",
    singleLine: !/[\r\n]/.test(text.trim()),
  };
}

/** @returns the white space at the start of the line that holds `offset` */
export function indentAt(text: string, offset: number): string {
  const lineStart = lineStartOf(text, offset);
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

/** Whether only white space stands before `offset` on its line. */
export function startsLine(text: string, offset: number): boolean {
  return text.slice(lineStartOf(text, offset), offset).trim() === "";
}

export function lineStartOf(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
}

/**
 * @param indent white space of the line on which the value begins; inner lines are one level deeper
 * @throws AppError INVALID_INPUT for a value that JSON5 cannot hold
 */
export function printValue(value: unknown, style: TextStyle, indent: string, depth = 0): string {
  if (depth > maxDepth) throw new AppError("INVALID_INPUT", "The value is nested too deeply to be written.");
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "string") return printString(value, style.quote);
  if (typeof value !== "object")
    throw new AppError("INVALID_INPUT", `A ${typeof value} cannot be written to a JSON5 file.`);

  const inner = indent + style.indent;
  const items = Array.isArray(value)
    ? value.map((item: unknown) => printValue(item, style, inner, depth + 1))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${printKey(key, style)}: ${printValue(item, style, inner, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  const isPlainList =
    Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  const inline = items.join(", ");
  if (style.singleLine || (isPlainList && inline.length + inner.length <= inlineLength))
    return Array.isArray(value) ? `[${inline}]` : `{ ${inline} }`;
  const separator = `,${style.lineBreak}${inner}`;
  return `${open}${style.lineBreak}${inner}${items.join(separator)}${style.lineBreak}${indent}${close}`;
}

/** @throws AppError INVALID_INPUT for the key `__proto__` */
export function printKey(key: string, style: TextStyle): string {
  if (key === "__proto__") throw new AppError("INVALID_INPUT", "The key __proto__ is not allowed.");
  const isPlainWord = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) && !literalWords.has(key);
  return style.unquotedKeys && isPlainWord ? key : printString(key, style.quote);
}

/** Words that some readers take for a value even in front of a colon. */
const literalWords = new Set(["null", "true", "false", "Infinity", "NaN"]);

function printString(value: string, quote: '"' | "'"): string {
  // Line separators are legal in JSON5 strings but break what reads the text as script.
  const json = JSON.stringify(value).replace(/[\u2028\u2029]/g, (unit) =>
    unit === "\u2028" ? "\\u2028" : "\\u2029",
  );
  if (quote === '"') return json;
  return `'${json.slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
}
