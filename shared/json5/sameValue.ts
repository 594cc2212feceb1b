/** Equality of plain data, as strict as a config needs it: NaN equals itself, and zero has a sign. */

/** @returns whether two values of plain JSON5 data are the same through and through; the order of keys does not count */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameValue(own(a, key), own(b, key)));
}

/** An own property by descriptor, so that no name means anything special. */
function own(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
