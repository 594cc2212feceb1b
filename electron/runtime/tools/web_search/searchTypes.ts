/** What a search provider is and gives. One file per provider below `providers/`. */

import type { z } from "zod";
import type { ConfigRecord } from "../../../../shared/policy/configRecord.ts";
import type { FoundKey, KeyPlaces } from "../../net/apiKeys.ts";

export type ProviderId =
  | "brave"
  | "gemini"
  | "grok"
  | "kimi"
  | "perplexity"
  | "firecrawl"
  | "exa"
  | "tavily"
  | "duckduckgo";

export type SearchArgs = { query: string; count?: number | undefined } & Readonly<Record<string, unknown>>;

/** What the config says about a provider, before any request. */
export interface ProviderSetup {
  /** `plugins.entries.<plugin>.config.webSearch`; empty when there is none. */
  settings: ConfigRecord;
  key: FoundKey;
  env: Readonly<Record<string, string | undefined>>;
}

export interface ServiceRequest {
  url: string;
  method: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
}

export interface SearchCall {
  args: SearchArgs;
  /** Within the limits of the provider. */
  count: number;
  setup: ProviderSetup;
  /** "" for a provider without key. */
  key: string;
  nowMs: number;
  /** @throws AppError for every answer but a good one with JSON */
  sendJson(request: ServiceRequest): Promise<unknown>;
  sendText(request: ServiceRequest): Promise<string>;
  /** Where an address leads after its redirects, by HEAD under the strict rules; the address itself when that fails. */
  finalUrlsOf(urls: readonly string[]): Promise<string[]>;
}

export interface SearchHit {
  title: string;
  url: string;
  /** Name of the field that the reference has it in. */
  snippetField: "description" | "snippet" | "snippets";
  snippet: string;
  published?: string | undefined;
  siteName?: string | undefined;
  /** Further fields of the provider; texts among them are untrusted and listed in `texts`. */
  facts?: Readonly<Record<string, number | readonly number[] | undefined>>;
  texts?: Readonly<Record<string, string | undefined>>;
}

export interface Citation {
  url: string;
  title?: string | undefined;
}

export type SearchAnswer =
  | {
      kind: "hits";
      hits: SearchHit[];
      /** A text of the service about all hits, untrusted. */
      answer?: string | undefined;
      /** Asked for on purpose: snippets may be this long. */
      snippetChars?: number;
      extra?: Readonly<Record<string, string | number>>;
    }
  | { kind: "answer"; content: string; citations: Citation[]; model: string; inlineCitations?: unknown }
  | Refusal;

/** Bad arguments; a normal result with a code, as in the reference. */
export interface Refusal {
  kind: "refused";
  error: string;
  message: string;
}

export interface SearchProvider {
  id: ProviderId;
  label: string;
  pluginId: string;
  /** Whether the plugin takes part with an entry that does not say `enabled: true`. */
  isPluginOnByDefault: boolean;
  /** Position in the automatic choice. */
  order: number;
  /** null: needs none. */
  key: KeyPlaces | null;
  /** Code of the answer when there is no key. */
  missingKey: string;
  /** Where a person gets a key. */
  docs: string;
  maxCount: number;
  timeoutMs: number;
  /** Takes no notice of `maxResults`, `timeoutSeconds`, `cacheTtlMinutes` (tools-files-web-media.md 5.2). */
  ignoresSearchSettings: boolean;
  describe(setup: ProviderSetup): string;
  input(setup: ProviderSetup): z.ZodType<SearchArgs>;
  search(call: SearchCall): Promise<SearchAnswer>;
}

export function refused(error: string, message: string): Refusal {
  return { kind: "refused", error, message };
}
