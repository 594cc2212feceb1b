/** Guards values of configuration that name a program (spec/exec.md 12). */

/** @returns whether the value names one program and nothing else: no operators, quotes, line breaks or options. */
export function isSafeExecutableValue(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const trimmed = value.trim();
  if (trimmed === "" || /[\0\r\n;&|`$<>'"]/.test(trimmed)) return false;
  return isPathLike(trimmed) || isBareName(trimmed);
}

function isPathLike(value: string): boolean {
  return /^[.~]/.test(value) || /[\\/]/.test(value) || /^[A-Za-z]:[\\/]/.test(value);
}

function isBareName(value: string): boolean {
  return /^[A-Za-z0-9._+][A-Za-z0-9._+-]*$/.test(value);
}
