/** JSON merge patch as `config.patch` takes it: null removes, and lists of objects merge by `id`. Pure. */

import { defineOwn } from "../json5/json5Document.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * @param target plain data; left as it is
 * @returns the patched copy
 * @see gateway-sessions-nodes.md §8
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch) && Array.isArray(target)) return mergedById(target, patch) ?? patch;
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  const result: Record<string, unknown> = {};
  for (const [key, value] of merged) defineOwn(result, key, value);
  return result;
}

/** Items with a known id are patched where they stand, others are appended; undefined: these lists have no ids. */
function mergedById(target: readonly unknown[], patch: readonly unknown[]): unknown[] | undefined {
  // An empty list says what the list shall be; there is nothing to merge.
  if (patch.length === 0 || ![...target, ...patch].every((item) => idOf(item) !== undefined))
    return undefined;
  const result = [...target];
  for (const item of patch) {
    const index = result.findIndex((old) => idOf(old) === idOf(item));
    if (index < 0) result.push(mergePatch(undefined, item));
    else result[index] = mergePatch(result[index], item);
  }
  return result;
}

function idOf(item: unknown): string | undefined {
  return isObject(item) && typeof item.id === "string" ? item.id : undefined;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
