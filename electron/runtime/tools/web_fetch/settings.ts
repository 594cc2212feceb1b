/** `tools.web.fetch` of the config with its defaults (tools-files-web-media.md 6). */

import { getIn, getRecord } from "../../../../shared/policy/configRecord.ts";
import type { KeyPlaces } from "../../net/apiKeys.ts";

export interface WebFetchSettings {
  maxChars: number;
  maxCharsCap: number;
  maxResponseBytes: number;
  timeoutMs: number;
  cacheTtlMs: number;
  maxRedirects: number;
  userAgent: string;
  readability: boolean;
  firecrawl: FirecrawlSettings;
}

export interface FirecrawlSettings {
  /** null: on when there is a key. */
  enabled: boolean | null;
  baseUrl: string;
  onlyMainContent: boolean;
  maxAgeMs: number;
  timeoutMs: number;
}

export const firecrawlKey: KeyPlaces = {
  paths: [
    ["plugins", "entries", "firecrawl", "config", "webFetch", "apiKey"],
    ["tools", "web", "fetch", "firecrawl", "apiKey"],
  ],
  env: ["FIRECRAWL_API_KEY"],
};

const defaultFirecrawlUrl = "https://api.firecrawl.dev";
const desktopUserAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";

/** @param env for `FIRECRAWL_BASE_URL` */
export function webFetchSettings(
  config: unknown,
  env: Readonly<Record<string, string | undefined>>,
): WebFetchSettings {
  const fetch = getRecord(config, "tools", "web", "fetch");
  const firecrawl = getRecord(config, "tools", "web", "fetch", "firecrawl");
  const timeoutSeconds = Math.max(1, numberIn(fetch, "timeoutSeconds", 30));
  const maxCharsCap = numberIn(fetch, "maxCharsCap", 50_000);
  return {
    maxChars: numberIn(fetch, "maxChars", 50_000),
    maxCharsCap,
    maxResponseBytes: Math.min(Math.max(numberIn(fetch, "maxResponseBytes", 2_000_000), 32_000), 10_000_000),
    timeoutMs: timeoutSeconds * 1000,
    cacheTtlMs: numberIn(fetch, "cacheTtlMinutes", 15) * 60_000,
    maxRedirects: Math.min(Math.trunc(numberIn(fetch, "maxRedirects", 3)), 20),
    userAgent: headerText(getIn(fetch, "userAgent")) ?? desktopUserAgent,
    readability: getIn(fetch, "readability") !== false,
    firecrawl: {
      enabled: typeof firecrawl?.enabled === "boolean" ? firecrawl.enabled : null,
      baseUrl: textIn(firecrawl, "baseUrl") ?? env.FIRECRAWL_BASE_URL?.trim() ?? defaultFirecrawlUrl,
      onlyMainContent: getIn(firecrawl, "onlyMainContent") !== false,
      maxAgeMs: numberIn(firecrawl, "maxAgeMs", 172_800_000),
      timeoutMs: Math.max(1, numberIn(firecrawl, "timeoutSeconds", timeoutSeconds)) * 1000,
    },
  };
}

/** @returns characters of the whole answer */
export function effectiveMaxChars(asked: number | undefined, settings: WebFetchSettings): number {
  return Math.min(Math.max(asked ?? settings.maxChars, 100), settings.maxCharsCap);
}

function numberIn(record: unknown, key: string, fallback: number): number {
  const value = getIn(record, key);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : fallback;
}

function textIn(record: unknown, key: string): string | undefined {
  const value = getIn(record, key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Line breaks would end the header. */
function headerText(value: unknown): string | undefined {
  return typeof value === "string" && /^[\x20-\x7e]+$/.test(value.trim()) ? value.trim() : undefined;
}
