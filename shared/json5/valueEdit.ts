/** What an edit means for the parsed value; the text splice is checked against it. */

import { AppError } from "../errors/index.ts";
import { type DocumentPath, defineOwn } from "./json5Document.ts";
import type { DocumentEdit } from "./json5Edit.ts";

/**
 * @returns a changed copy; untouched branches are shared
 * @throws AppError INVALID_INPUT when the path leads through a plain value or past the end of a list
 */
export function applyToValue(value: unknown, edit: DocumentEdit): unknown {
  if (edit.op === "remove") return removeIn(value, edit.path);
  return setIn(value, edit.path, toPlain(edit.value), edit.op === "insert");
}

function setIn(node: unknown, path: DocumentPath, value: unknown, isInsert: boolean): unknown {
  const [part, ...rest] = path;
  if (part === undefined) {
    if (isInsert) throw new AppError("INVALID_INPUT", "An insertion needs the index in a list.");
    return value;
  }
  if (part === "__proto__") throw new AppError("INVALID_INPUT", "The key __proto__ is not allowed.");
  if (node === undefined) {
    if (typeof part !== "number") return { [part]: setIn(undefined, rest, value, isInsert) };
    if (part !== 0) throw new AppError("INVALID_INPUT", `A new list starts at index 0, not ${part}.`);
    return [setIn(undefined, rest, value, isInsert && rest.length > 0)];
  }
  if (Array.isArray(node)) {
    const index = listIndex(part);
    if (index === null || index > node.length)
      throw new AppError("INVALID_INPUT", `The list has ${node.length} items; there is no place ${part}.`);
    if (isInsert && rest.length === 0) return node.toSpliced(index, 0, value);
    const child = setIn(node[index], rest, value, isInsert);
    return index === node.length ? [...node, child] : node.with(index, child);
  }
  if (typeof node !== "object" || node === null)
    throw new AppError(
      "INVALID_INPUT",
      `Nothing can be set at "${part}": what is there is neither object nor list.`,
    );
  if (isInsert && rest.length === 0)
    throw new AppError("INVALID_INPUT", `Nothing can be inserted at "${part}": that is not a list.`);
  const copy = copyOf(node);
  const key = String(part);
  defineOwn(copy, key, setIn(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, value, isInsert));
  return copy;
}

function removeIn(node: unknown, path: DocumentPath): unknown {
  const [part, ...rest] = path;
  if (part === undefined) throw new AppError("INVALID_INPUT", "The whole document cannot be removed.");
  if (Array.isArray(node)) {
    const index = listIndex(part);
    if (index === null || index >= node.length) return node;
    return rest.length === 0 ? node.toSpliced(index, 1) : node.with(index, removeIn(node[index], rest));
  }
  if (typeof node !== "object" || node === null || !Object.hasOwn(node, String(part))) return node;
  const copy = copyOf(node);
  if (rest.length === 0) delete copy[String(part)];
  else defineOwn(copy, String(part), removeIn(copy[String(part)], rest));
  return copy;
}

function copyOf(node: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(node)) defineOwn(copy, key, item);
  return copy;
}

function listIndex(part: string | number): number | null {
  if (typeof part === "number") return Number.isInteger(part) && part >= 0 ? part : null;
  return /^\d+$/.test(part) ? Number(part) : null;
}

/** Members without a value are not written, so they are not expected either. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) defineOwn(copy, key, toPlain(item));
  return copy;
}
