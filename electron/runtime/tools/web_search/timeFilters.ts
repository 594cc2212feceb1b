/** Filters by time, as models give them, checked once for all providers. */

import { type Refusal, refused, type SearchArgs } from "./searchTypes.ts";

export type Freshness = "day" | "week" | "month" | "year";

export interface TimeFilter {
  kind: "time";
  freshness: Freshness | undefined;
  /** `YYYY-MM-DD`, both ends belong to the range. */
  after: string | undefined;
  before: string | undefined;
}

const freshnessNames: ReadonlyMap<string, Freshness> = new Map([
  ["day", "day"],
  ["pd", "day"],
  ["week", "week"],
  ["pw", "week"],
  ["month", "month"],
  ["pm", "month"],
  ["year", "year"],
  ["py", "year"],
]);

/** @param takesRange whether `freshness` may also be `YYYY-MM-DDtoYYYY-MM-DD` */
export function timeFilterOf(args: SearchArgs, takesRange: boolean): TimeFilter | Refusal {
  const given = textOf(args.freshness)?.toLowerCase();
  const after = textOf(args.date_after);
  const before = textOf(args.date_before);
  if (given !== undefined && (after !== undefined || before !== undefined)) {
    return refused(
      "conflicting_time_filters",
      "Give either freshness or date_after and date_before, not both.",
    );
  }
  if (given !== undefined) {
    const freshness = freshnessNames.get(given);
    if (freshness !== undefined) return { kind: "time", freshness, after: undefined, before: undefined };
    const range = takesRange ? /^(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})$/.exec(given) : null;
    const from = isoDate(range?.[1]);
    const to = isoDate(range?.[2]);
    if (from === undefined || to === undefined || from > to) {
      return refused(
        "invalid_freshness",
        `freshness is day, week, month or year${takesRange ? ", or YYYY-MM-DDtoYYYY-MM-DD" : ""}.`,
      );
    }
    return { kind: "time", freshness: undefined, after: from, before: to };
  }
  const from = isoDate(after);
  const to = isoDate(before);
  if ((after !== undefined && from === undefined) || (before !== undefined && to === undefined)) {
    return refused("invalid_date", "Dates are YYYY-MM-DD and must exist in the calendar.");
  }
  if (from !== undefined && to !== undefined && from > to) {
    return refused("invalid_date_range", "date_after is later than date_before.");
  }
  return { kind: "time", freshness: undefined, after: from, before: to };
}

/** @returns `YYYY-MM-DD` for that form and for `M/D/YYYY`; undefined for days that do not exist */
export function isoDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const [year, month, day] = iso
    ? [iso[1], iso[2], iso[3]]
    : american
      ? [american[3], american[1]?.padStart(2, "0"), american[2]?.padStart(2, "0")]
      : [];
  if (year === undefined) return undefined;
  const wanted = `${year}-${month}-${day}`;
  const date = new Date(`${wanted}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(wanted) ? wanted : undefined;
}

/** @returns `M/D/YYYY` */
export function americanDate(iso: string): string {
  const [year = "", month = "", day = ""] = iso.split("-");
  return `${Number(month)}/${Number(day)}/${year}`;
}

/** The moment that lies so long before; a month back from the 31st is the last day of a shorter month. */
export function startOf(freshness: Freshness, nowMs: number): Date {
  const date = new Date(nowMs);
  if (freshness === "day") date.setUTCDate(date.getUTCDate() - 1);
  else if (freshness === "week") date.setUTCDate(date.getUTCDate() - 7);
  else {
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() - (freshness === "month" ? 1 : 12));
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    date.setUTCDate(Math.min(day, last));
  }
  return date;
}

const filterCodes: readonly (readonly [argument: string, code: string])[] = [
  ["country", "unsupported_country"],
  ["language", "unsupported_language"],
  ["freshness", "unsupported_freshness"],
  ["date_after", "unsupported_date_filter"],
  ["date_before", "unsupported_date_filter"],
  ["ui_lang", "unsupported_ui_lang"],
  ["domain_filter", "unsupported_domain_filter"],
  ["max_tokens", "unsupported_content_budget"],
  ["max_tokens_per_page", "unsupported_content_budget"],
];

/** @returns the refusal for the first of these arguments that was given; null when none was */
export function unsupportedFilter(args: SearchArgs, names: readonly string[], label: string): Refusal | null {
  for (const [name, code] of filterCodes) {
    if (names.includes(name) && args[name] !== undefined) {
      return refused(code, `${label} has no ${name} filter. Leave it out, or put it into the query.`);
    }
  }
  return null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
