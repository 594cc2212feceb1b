/** Parameters that several providers share, and the schema that a provider makes of them. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";
import type { SearchArgs } from "./searchTypes.ts";

const maxQueryChars = 2000;

export const query = z.string().max(maxQueryChars).describe("What to look for");

export const country = z.string().max(10).optional().describe("Two-letter country code, US for instance");
export const language = z.string().max(20).optional().describe("Two-letter language code, en for instance");
export const freshness = z
  .string()
  .max(40)
  .optional()
  .describe("Only results of the last day, week, month or year");
export const dateAfter = z
  .string()
  .max(20)
  .optional()
  .describe("Only results published on or after YYYY-MM-DD");
export const dateBefore = z
  .string()
  .max(20)
  .optional()
  .describe("Only results published on or before YYYY-MM-DD");

/** @returns number of results; values beyond the limits are brought within them, not refused */
export function countParam(max: number) {
  return z.number().optional().describe(`Number of results, 1 to ${max}`);
}

const numberNames = ["count", "max_tokens", "max_tokens_per_page"];

/** @returns a schema that also takes numbers as text and camelCase names */
export function searchInput(shape: z.ZodRawShape, isClosed = false): z.ZodType<SearchArgs> {
  const names = ["query", ...Object.keys(shape)];
  const object = isClosed ? z.strictObject({ query, ...shape }) : z.object({ query, ...shape });
  return z.preprocess(webArgs(names, numberNames), object) as unknown as z.ZodType<SearchArgs>;
}

/** @returns the count within 1 and `max`, without fraction */
export function clampCount(asked: number | undefined, fallback: number, max: number): number {
  const wanted = asked ?? fallback;
  return Math.min(Math.max(Number.isFinite(wanted) ? Math.trunc(wanted) : fallback, 1), max);
}
