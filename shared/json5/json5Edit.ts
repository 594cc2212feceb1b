/** Changes single values of a JSON5 text by splicing it, so that comments and formatting elsewhere stay. */

import { AppError } from "../errors/index.ts";
import {
  childOf,
  type DocumentPath,
  type Json5Document,
  memberKey,
  nodeAt,
  parseJson5,
  type ValueNode,
} from "./json5Document.ts";
import { indentAt, printValue, styleOf } from "./json5Print.ts";
import { insertItem, removeItem } from "./json5Splice.ts";
import { isSameValue } from "./sameValue.ts";
import { applyToValue } from "./valueEdit.ts";

/** The last part of an `insert` path is the index in the list; the list's length appends. */
export type DocumentEdit =
  | { op: "set"; path: DocumentPath; value?: unknown }
  | { op: "insert"; path: DocumentPath; value?: unknown }
  | { op: "remove"; path: DocumentPath };

/**
 * @returns the new text; it parses to exactly the edited value
 * @throws AppError INVALID_INPUT when the text cannot be parsed, a path leads through something that is neither
 * object nor list, an index is out of range, or the value is not plain JSON
 */
export function applyEdits(text: string, edits: readonly DocumentEdit[]): string {
  return edits.reduce(applyEdit, text);
}

/** One edit; see `applyEdits`. Removing what is not there changes nothing. */
export function applyEdit(text: string, edit: DocumentEdit): string {
  const before = read(text);
  // A value `undefined` cannot be written: setting it means removing.
  const wanted: DocumentEdit =
    edit.op === "set" && edit.value === undefined ? { op: "remove", path: edit.path } : edit;
  const expected = applyToValue(before.value, wanted);
  const result =
    wanted.op === "set"
      ? setPath(text, wanted.path, wanted.value)
      : wanted.op === "insert"
        ? insertAt(text, wanted.path, wanted.value)
        : removePath(text, wanted.path);
  // The splice is trusted only when the text reads back as what was meant.
  if (!isSameValue(read(result).value, expected))
    throw new AppError("INTERNAL", "The edit would have changed more than it should; nothing was written.");
  return result;
}

function setPath(text: string, path: DocumentPath, value: unknown): string {
  const document = read(text);
  let node = document.root;
  for (const [depth, part] of path.entries()) {
    const child = childOf(node, part);
    if (child === null) return insertItem(document, node, part, wrap(path.slice(depth + 1), value));
    node = child.value;
  }
  return replaceNode(document, node, path, value);
}

/** Replaces only what differs inside objects and lists, so that comments next to the rest survive. */
function replaceNode(document: Json5Document, node: ValueNode, path: DocumentPath, value: unknown): string {
  const old = valueIn(document, path);
  if (isSameValue(old, plain(value))) return document.text;
  if (node.type === "Object" && isRecord(value) && node.members.length > 0) {
    let { text } = document;
    const wanted = new Map(Object.entries(value).filter(([, item]) => item !== undefined));
    for (const key of node.members.map(memberKey))
      if (!wanted.has(key)) text = removePath(text, [...path, key]);
    for (const [key, item] of wanted) text = setPath(text, [...path, key], item);
    return text;
  }
  if (
    node.type === "Array" &&
    Array.isArray(value) &&
    Array.isArray(old) &&
    old.length > 0 &&
    value.length > 0
  )
    return replaceList(document.text, path, old, value);
  const { start, end } = node.loc;
  const printed = printValue(value, styleOf(document), indentAt(document.text, start.offset));
  return splice(document.text, start.offset, end.offset, printed);
}

function replaceList(text: string, path: DocumentPath, old: unknown[], wanted: unknown[]): string {
  let head = 0;
  const shorter = Math.min(old.length, wanted.length);
  while (head < shorter && isSameValue(old[head], plain(wanted[head]))) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSameValue(old.at(-1 - tail), plain(wanted.at(-1 - tail)))) tail += 1;
  let result = text;
  const oldMiddle = old.length - head - tail;
  const newMiddle = wanted.length - head - tail;
  for (let index = 0; index < Math.min(oldMiddle, newMiddle); index += 1)
    result = setPath(result, [...path, head + index], wanted[head + index]);
  for (let index = oldMiddle; index < newMiddle; index += 1)
    result = insertAt(result, [...path, head + index], wanted[head + index]);
  for (let index = oldMiddle - 1; index >= newMiddle; index -= 1)
    result = removePath(result, [...path, head + index]);
  return result;
}

function insertAt(text: string, path: DocumentPath, value: unknown): string {
  const document = read(text);
  const index = path.at(-1);
  const listPath = path.slice(0, -1);
  const list = nodeAt(document.root, listPath);
  if (list === null) return setPath(text, listPath, [value]);
  if (list.type !== "Array" || typeof index !== "number")
    throw new AppError("INVALID_INPUT", `${showPath(listPath)} is not a list.`);
  return insertItem(document, list, index, value);
}

function removePath(text: string, path: DocumentPath): string {
  const document = read(text);
  const last = path.at(-1);
  if (last === undefined) throw new AppError("INVALID_INPUT", "The whole document cannot be removed.");
  const parent = nodeAt(document.root, path.slice(0, -1));
  if (parent === null || childOf(parent, last) === null) return text;
  return removeItem(document, parent, last);
}

/** The missing containers around a value: a number asks for a list, a word for an object. */
function wrap(path: DocumentPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, part) => {
    if (typeof part !== "number") return Object.fromEntries([[part, inner]]);
    if (part !== 0) throw new AppError("INVALID_INPUT", `A new list starts at index 0, not ${part}.`);
    return [inner];
  }, value);
}

function read(text: string): Json5Document {
  const parsed = parseJson5(text, { path: "" });
  if (parsed.ok) return parsed.document;
  const { line, column, message } = parsed.problem;
  throw new AppError(
    "INVALID_INPUT",
    `The text cannot be edited. Line ${line}, column ${column}: ${message}`,
  );
}

function valueIn(document: Json5Document, path: DocumentPath): unknown {
  let value = document.value;
  for (const part of path) value = isContainer(value) ? Reflect.get(value, String(part)) : undefined;
  return value;
}

/** As it will read back: object members without a value are not written. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, plain(item)]),
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

function showPath(path: DocumentPath): string {
  return path.length === 0 ? "The document" : path.join(".");
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
