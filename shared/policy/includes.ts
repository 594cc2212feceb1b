/** Parts of a config that stand in other files, which nothing here reads. */

import type { ConfigPath } from "./types.ts";

/**
 * Rules in an included file would be overlooked, so a config that has one is refused instead of being answered for.
 * @returns the path of the first `$include`, at any depth
 */
export function findInclude(value: unknown, path: ConfigPath = []): ConfigPath | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    if (name === "$include") return here;
    const below = findInclude(item, here);
    if (below !== null) return below;
  }
  return null;
}
