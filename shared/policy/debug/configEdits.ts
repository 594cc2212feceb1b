/** Applies edits to a config as plain data; the file with its comments is edited elsewhere by the same edits. */

import { AppError } from "../../errors/index.ts";
import { pathText, valueAt } from "../configRecord.ts";
import type { ConfigEdit, ConfigPath } from "../types.ts";

/**
 * @returns a new config; the given one is not touched
 * @throws AppError INVALID_INPUT when an edit points into something that is no list or object
 */
export function applyEdits(config: unknown, edits: readonly ConfigEdit[]): unknown {
  return edits.reduce((current, edit) => applyAt(current, edit, edit.path, 0), config);
}

/** @returns whether everything on the way to the place is a list or an object where the edit needs one, or missing */
export function fits(config: unknown, { path }: ConfigEdit): boolean {
  let value = config;
  for (const part of path) {
    if (value === undefined) return true;
    const isList = Array.isArray(value);
    if (typeof part === "number" ? !isList : isList || typeof value !== "object" || value === null)
      return false;
    value = valueAt(value, [part]);
  }
  return true;
}

function applyAt(value: unknown, edit: ConfigEdit, path: ConfigPath, depth: number): unknown {
  const part = path[depth];
  if (part === undefined) return "value" in edit ? edit.value : undefined;
  const isLast = depth === path.length - 1;
  if (typeof part === "number") return editList(value, edit, path, depth, part, isLast);
  return editObject(value, edit, path, depth, part, isLast);
}

function editList(
  value: unknown,
  edit: ConfigEdit,
  path: ConfigPath,
  depth: number,
  at: number,
  isLast: boolean,
): unknown[] {
  if (value !== undefined && !Array.isArray(value)) throw wrongPlace(path, "list");
  const list: unknown[] = [...(value ?? [])];
  if (!isLast) list[at] = applyAt(list[at], edit, path, depth + 1);
  else if (edit.op === "insert") list.splice(at, 0, edit.value);
  else if (edit.op === "remove") list.splice(at, 1);
  else list[at] = edit.value;
  return list;
}

function editObject(
  value: unknown,
  edit: ConfigEdit,
  path: ConfigPath,
  depth: number,
  key: string,
  isLast: boolean,
): Record<string, unknown> {
  if (value !== undefined && (typeof value !== "object" || value === null || Array.isArray(value))) {
    throw wrongPlace(path, "object");
  }
  const entries = new Map(Object.entries(value ?? {}));
  if (isLast && edit.op === "remove") entries.delete(key);
  else
    entries.set(
      key,
      isLast && "value" in edit ? edit.value : applyAt(entries.get(key), edit, path, depth + 1),
    );
  // fromEntries defines keys, so that `__proto__` is a key like any other.
  return Object.fromEntries(entries);
}

function wrongPlace(path: ConfigPath, wanted: string): AppError {
  return new AppError(
    "INVALID_INPUT",
    `Cannot edit ${pathText(path)}: there is no ${wanted} on the way to it.`,
  );
}
