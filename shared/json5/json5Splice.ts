/** Text surgery for one member of an object or one item of a list, with its comma and its line. */

import { AppError } from "../errors/index.ts";
import { type Json5Document, memberKey, type Token, type ValueNode } from "./json5Document.ts";
import { indentAt, lineStartOf, printKey, printValue, startsLine, styleOf } from "./json5Print.ts";

interface Range {
  start: number;
  end: number;
}

/**
 * Adds a member at the end of an object, or an item at an index of a list.
 * @throws AppError INVALID_INPUT when the node holds nothing, or the index is past the end
 */
export function insertItem(
  document: Json5Document,
  node: ValueNode,
  part: string | number,
  value: unknown,
): string {
  const style = styleOf(document);
  const { text } = document;
  const items = itemsOf(node);
  if (items === null)
    throw new AppError(
      "INVALID_INPUT",
      `"${part}" has no place there: it is neither in an object nor in a list.`,
    );
  const print = (indent: string): string => {
    const printed = printValue(value, style, indent);
    return node.type === "Object" ? `${printKey(String(part), style)}: ${printed}` : printed;
  };

  if (node.type === "Array") {
    const index = typeof part === "number" ? part : /^\d+$/.test(part) ? Number(part) : -1;
    if (!Number.isInteger(index) || index < 0 || index > items.length)
      throw new AppError("INVALID_INPUT", `The list has ${items.length} items; there is no place ${part}.`);
    const next = items[index];
    if (next !== undefined) {
      const indent = indentAt(text, next.start);
      const gap = startsLine(text, next.start) ? style.lineBreak + indent : " ";
      return cut(text, next.start, next.start, `${print(indent)},${gap}`);
    }
  }

  const open = node.loc.start.offset + 1;
  const close = node.loc.end.offset - 1;
  const outerIndent = indentAt(text, node.loc.start.offset);
  const last = items.at(-1);
  const inside = tokensBetween(document, last?.end ?? open, close);
  // New text goes behind the last comment or comma, which is the last thing that is not white space.
  const at = inside.at(-1)?.end ?? last?.end ?? open;
  const endsInLineComment = inside.at(-1)?.token.type === "LineComment";

  if (last === undefined) {
    const isInline = style.singleLine && !endsInLineComment;
    const indent = outerIndent + style.indent;
    // Without comments nothing between the brackets needs to stay.
    if (isInline) {
      const [before, after] = node.type === "Object" ? [" ", " "] : [at === open ? "" : " ", ""];
      return cut(text, at, close, `${before}${print(outerIndent)}${after}`);
    }
    return cut(
      text,
      at,
      close,
      `${style.lineBreak}${indent}${print(indent)}${style.lineBreak}${outerIndent}`,
    );
  }

  const comma = inside.find(({ token }) => token.type === "Comma");
  const isMultiLine = startsLine(text, items[0]?.start ?? open) || endsInLineComment;
  const indent = startsLine(text, last.start) ? indentAt(text, last.start) : outerIndent + style.indent;
  const trailing = comma === undefined ? "" : ",";
  const added = isMultiLine
    ? `${style.lineBreak}${indent}${print(indent)}${trailing}`
    : ` ${print(outerIndent)}${trailing}`;
  // A line comment at the very end needs its line break before the closing bracket.
  const tail = isMultiLine && !/[\r\n]/.test(text.slice(at, close)) ? style.lineBreak + outerIndent : "";
  const withAdded = cut(text, at, tail === "" ? at : close, added + tail);
  return comma === undefined ? cut(withAdded, last.end, last.end, ",") : withAdded;
}

/** Takes out one member or item with its comma; comments around it stay. */
export function removeItem(document: Json5Document, node: ValueNode, part: string | number): string {
  const items = itemsOf(node) ?? [];
  const index =
    node.type === "Object"
      ? node.members.findIndex((member) => memberKey(member) === String(part))
      : Number(part);
  const item = items[index];
  if (item === undefined) return document.text;
  const close = node.loc.end.offset - 1;
  const after = tokensBetween(document, item.end, items[index + 1]?.start ?? close);
  const previous = items[index - 1];
  const before = previous === undefined ? [] : tokensBetween(document, previous.end, item.start);
  // The last item without a comma behind it takes the comma in front of it along.
  const comma = [...after, ...before].find(({ token }) => token.type === "Comma");
  const cuts: Range[] = comma === undefined ? [item] : [item, comma];
  return cuts.sort((a, b) => b.start - a.start).reduce((text, range) => cutClean(text, range), document.text);
}

function itemsOf(node: ValueNode): Range[] | null {
  const children = node.type === "Object" ? node.members : node.type === "Array" ? node.elements : null;
  return (
    children?.map((child) => ({
      start: child.loc.start.offset,
      end: child.value.loc.end.offset,
    })) ?? null
  );
}

/** Commas and comments between two places. */
function tokensBetween(
  document: Json5Document,
  start: number,
  end: number,
): { token: Token; start: number; end: number }[] {
  const found: { token: Token; start: number; end: number }[] = [];
  for (const token of document.tokens) {
    const tokenStart = token.loc.start.offset;
    if (tokenStart < start) continue;
    if (tokenStart >= end) break;
    // The carriage return before a line feed belongs to the break, not to the comment.
    const raw = document.text.slice(tokenStart, token.loc.end.offset);
    found.push({ token, start: tokenStart, end: tokenStart + raw.trimEnd().length });
  }
  return found;
}

/** Removes a range, and the line with it when nothing else stands there, or the doubled blank that it would leave. */
function cutClean(text: string, range: Range): string {
  const lineStart = lineStartOf(text, range.start);
  const rest = /^[ \t]*(\r\n|\r|\n)?/.exec(text.slice(range.end));
  const isWholeLine = text.slice(lineStart, range.start).trim() === "" && rest?.[1] !== undefined;
  if (isWholeLine && lineStart > 0) return cut(text, lineStart, range.end + (rest?.[0].length ?? 0), "");
  const before = text[range.start - 1] ?? "";
  const after = text[range.end] ?? "";
  if (/[ \t]/.test(before) && /[ \t,\]]/.test(after)) {
    const run = /[ \t]*$/.exec(text.slice(lineStart, range.start))?.[0].length ?? 0;
    return cut(text, range.start - run, range.end, "");
  }
  const blanks = /[[{]/.test(before) ? (/^[ \t]*/.exec(text.slice(range.end))?.[0].length ?? 0) : 0;
  return cut(text, range.start, range.end + blanks, "");
}

function cut(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
