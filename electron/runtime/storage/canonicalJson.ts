/** JSON with one spelling per value, so that equal data has equal hashes. */

/**
 * Keys sorted by UTF-16 units at every level, no white space; members that are `undefined` are left out.
 * @throws TypeError for cyclic data, as JSON.stringify does
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    const entries = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    // fromEntries defines own properties, so a key such as `__proto__` stays data.
    return Object.fromEntries(entries);
  });
}
