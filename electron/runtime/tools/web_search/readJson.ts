/** Reading answers of services whose shape is theirs to break. */

import { getIn } from "../../../../shared/policy/configRecord.ts";

/** @returns the text at the end of the keys, trimmed; undefined when there is none */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = getIn(value, ...keys);
  return typeof found === "string" && found.trim() !== "" ? found.trim() : undefined;
}

export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = getIn(value, ...keys);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** @returns the list at the end of the keys; empty when there is none */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = getIn(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** @returns the texts of a list */
export function textsAt(value: unknown, ...keys: readonly string[]): string[] {
  return listAt(value, ...keys).filter((item) => typeof item === "string");
}

/** @returns the host of an address; undefined when it is none */
export function siteOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** @returns the record without undefined values */
export function withoutAbsent(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
