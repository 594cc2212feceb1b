/** Reads loosely written arguments: trimmed texts, numbers as text, yes and no. */

/** @returns the trimmed text; undefined when it is blank or none */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** @returns a finite number, also from a numeric text */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const text = textOf(value);
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

const yes: ReadonlySet<string> = new Set(["true", "1", "yes"]);
const no: ReadonlySet<string> = new Set(["false", "0", "no"]);

export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const word = typeof value === "number" ? String(value) : textOf(value)?.toLowerCase();
  if (word === undefined) return undefined;
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}

/** @returns texts without blanks; a single text counts as a list of one */
export function textsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((item) => textOf(typeof item === "number" ? String(item) : item) ?? []);
}

export function recordOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
