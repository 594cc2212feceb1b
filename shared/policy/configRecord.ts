/** Reading a config of unknown shape without trusting its prototypes, its types or its later owners. */

import type { ConfigPath } from "./types.ts";

/** A plain object without prototype: `record["constructor"]` is the config's own value or undefined. */
export type ConfigRecord = Readonly<Record<string, unknown>>;

const maxDepth = 64;

/** Snapshots that were made here: frozen in depth, so they stand for themselves in later snapshots. */
const snapshots = new WeakSet<object>();

/**
 * Copies plain JSON data into frozen objects without prototype, so that names like `__proto__` are ordinary keys and
 * later changes of the original cannot reach a compiled policy. Anything that is not JSON becomes undefined.
 * Parts that are snapshots already are taken over as they are: an edit of a snapshot copies only what it changed.
 */
export function snapshotConfig(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (typeof value !== "object" || depth > maxDepth) return undefined;
  if (snapshots.has(value)) return value;
  const copy = Array.isArray(value)
    ? value.map((item) => snapshotConfig(item, depth + 1))
    : recordSnapshot(value, depth);
  snapshots.add(copy);
  return Object.freeze(copy);
}

/** Whether a value is part of a snapshot, so that it never changes. */
export function isSnapshot(value: object): boolean {
  return snapshots.has(value);
}

function recordSnapshot(value: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = snapshotConfig(item, depth + 1);
  return copy;
}

/** @returns the value as a record, or undefined for anything else (lists included) */
export function asRecord(value: unknown): ConfigRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as ConfigRecord)
    : undefined;
}

/** @returns the value at the end of the keys; undefined as soon as something on the way is not an object */
export function getIn(value: unknown, ...keys: readonly string[]): unknown {
  let current = value;
  for (const key of keys) {
    const record = asRecord(current);
    if (record === undefined || !Object.hasOwn(record, key)) return undefined;
    current = record[key];
  }
  return current;
}

/** @returns the record at the end of the keys, or undefined */
export function getRecord(value: unknown, ...keys: readonly string[]): ConfigRecord | undefined {
  return asRecord(getIn(value, ...keys));
}

/** @returns the list at the end of the keys, or undefined when it is anything else */
export function getList(value: unknown, ...keys: readonly string[]): readonly unknown[] | undefined {
  const found = getIn(value, ...keys);
  return Array.isArray(found) ? found : undefined;
}

/** @returns the string at the end of the keys, or undefined */
export function getString(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = getIn(value, ...keys);
  return typeof found === "string" ? found : undefined;
}

/** @returns entries of an object whose values are objects, in file order */
export function recordEntries(value: unknown): [string, ConfigRecord][] {
  const record = asRecord(value);
  if (record === undefined) return [];
  const entries: [string, ConfigRecord][] = [];
  for (const [key, item] of Object.entries(record)) {
    const child = asRecord(item);
    if (child !== undefined) entries.push([key, child]);
  }
  return entries;
}

const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** Writes a config path the way a person would: `agents.list[1].tools.byProvider["openai/gpt-5.2"].deny[0]`. */
export function pathText(path: ConfigPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (!plainKey.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** @returns the value at a path; undefined as soon as something on the way is neither object nor list */
export function valueAt(config: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof part === "number") return Array.isArray(value) ? value[part] : undefined;
    return getIn(value, part);
  }, config);
}

/** Reads a path that `pathText` wrote. @returns undefined for any other text */
export function parsePathText(text: string): ConfigPath | undefined {
  const parts: (string | number)[] = [];
  const step = /\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|(\.?)([A-Za-z_$][\w$-]*)/gy;
  let read = 0;
  for (const [whole, index, quoted, dot, plain] of text.matchAll(step)) {
    if (plain !== undefined && (dot === "") !== (read === 0)) return undefined;
    read += whole.length;
    if (index !== undefined) parts.push(Number(index));
    else if (quoted !== undefined) parts.push(String(JSON.parse(quoted)));
    else if (plain !== undefined) parts.push(plain);
  }
  return read === text.length && parts.length > 0 ? parts : undefined;
}

/** Freezes plain data in depth. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}
