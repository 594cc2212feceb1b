/** Perplexity: its search API, or a Sonar model by chat, directly or through OpenRouter. */

import { z } from "zod";
import { joinUrl } from "../../../net/serviceUrl.ts";
import { listAt, siteOf, textAt, textsAt, withoutAbsent } from "../readJson.ts";
import {
  countParam,
  country,
  dateAfter,
  dateBefore,
  freshness,
  language,
  searchInput,
} from "../searchParams.ts";
import {
  type Citation,
  type ProviderSetup,
  refused,
  type SearchAnswer,
  type SearchCall,
  type SearchProvider,
} from "../searchTypes.ts";
import { americanDate, timeFilterOf, unsupportedFilter } from "../timeFilters.ts";

const directBase = "https://api.perplexity.ai";
const openRouterBase = "https://openrouter.ai/api/v1";
const defaultModel = "perplexity/sonar-pro";
const maxDomains = 20;
const charsPerToken = 4;

export const perplexity: SearchProvider = {
  id: "perplexity",
  label: "Perplexity",
  pluginId: "perplexity",
  isPluginOnByDefault: false,
  order: 50,
  key: {
    paths: [
      ["plugins", "entries", "perplexity", "config", "webSearch", "apiKey"],
      ["tools", "web", "search", "perplexity", "apiKey"],
    ],
    env: ["PERPLEXITY_API_KEY", "OPENROUTER_API_KEY"],
  },
  missingKey: "missing_perplexity_api_key",
  docs: "https://docs.perplexity.ai/",
  maxCount: 10,
  timeoutMs: 30_000,
  ignoresSearchSettings: false,
  describe: (setup) =>
    usesSearchApi(setup)
      ? "Searches the web with Perplexity: titles, addresses and snippets, by country, language, date and domain."
      : "Asks a Perplexity model, which searches the web, and returns its answer with the addresses it is based on.",
  input: (setup) =>
    searchInput({
      count: countParam(10),
      freshness,
      ...(usesSearchApi(setup)
        ? {
            country,
            language,
            date_after: dateAfter,
            date_before: dateBefore,
            domain_filter: z
              .array(z.string().max(300))
              .optional()
              .describe("At most 20 domains: all wanted, or all unwanted with - in front"),
            max_tokens: z
              .number()
              .int()
              .min(1)
              .max(1_000_000)
              .optional()
              .describe("Tokens of all results together"),
            max_tokens_per_page: z.number().int().min(1).optional().describe("Tokens of each result"),
          }
        : otherFilters),
    }),
  search: (call) => (usesSearchApi(call.setup) ? searchApi(call) : chat(call)),
};

/** Known, so that they can be refused by name, and described as such. */
const otherFilters = Object.fromEntries(
  [
    "country",
    "language",
    "date_after",
    "date_before",
    "domain_filter",
    "max_tokens",
    "max_tokens_per_page",
  ].map((name) => [name, z.unknown().optional().describe("Not supported here")]),
);

function isOpenRouter(setup: ProviderSetup): boolean {
  const { key } = setup;
  if (key.kind === "absent") return false;
  return (
    key.from === "OPENROUTER_API_KEY" || (typeof key.value === "string" && key.value.startsWith("sk-or-"))
  );
}

function baseOf(setup: ProviderSetup): string {
  return textAt(setup.settings, "baseUrl") ?? (isOpenRouter(setup) ? openRouterBase : directBase);
}

function usesSearchApi(setup: ProviderSetup): boolean {
  const { settings } = setup;
  return (
    textAt(settings, "baseUrl") === undefined &&
    textAt(settings, "model") === undefined &&
    !isOpenRouter(setup)
  );
}

async function searchApi(call: SearchCall): Promise<SearchAnswer> {
  const { args } = call;
  const time = timeFilterOf(args, false);
  if (time.kind === "refused") return time;
  const lang = typeof args.language === "string" ? args.language.toLowerCase() : undefined;
  if (lang !== undefined && !/^[a-z]{2}$/.test(lang)) {
    return refused("invalid_language", "language is a two-letter code, en for instance.");
  }
  const domains = Array.isArray(args.domain_filter) ? args.domain_filter.map(String) : undefined;
  const denied = domains?.filter((domain) => domain.startsWith("-")).length ?? 0;
  if (domains !== undefined && (domains.length > maxDomains || (denied > 0 && denied < domains.length))) {
    return refused(
      "invalid_domain_filter",
      "domain_filter takes at most 20 domains, all wanted or all with - in front.",
    );
  }
  const answer = await call.sendJson({
    url: `${directBase}/search`,
    method: "POST",
    headers: { authorization: `Bearer ${call.key}` },
    body: withoutAbsent({
      query: args.query,
      max_results: call.count,
      country: typeof args.country === "string" ? args.country.toUpperCase() : undefined,
      search_domain_filter: domains,
      search_recency_filter: time.freshness,
      search_language_filter: lang === undefined ? undefined : [lang],
      search_after_date: time.after && americanDate(time.after),
      search_before_date: time.before && americanDate(time.before),
      max_tokens: args.max_tokens,
      max_tokens_per_page: args.max_tokens_per_page,
    }),
  });
  const hits = listAt(answer, "results").map((item) => {
    const url = textAt(item, "url") ?? "";
    return {
      title: textAt(item, "title") ?? "",
      url,
      snippetField: "description" as const,
      snippet: textAt(item, "snippet") ?? "",
      published: textAt(item, "date"),
      siteName: siteOf(url),
    };
  });
  const perPage = args.max_tokens_per_page;
  return {
    kind: "hits",
    hits,
    ...(typeof perPage === "number" ? { snippetChars: perPage * charsPerToken } : {}),
  };
}

async function chat(call: SearchCall): Promise<SearchAnswer> {
  const { args, setup } = call;
  const names = [
    "country",
    "language",
    "date_after",
    "date_before",
    "domain_filter",
    "max_tokens",
    "max_tokens_per_page",
  ];
  const unsupported = unsupportedFilter(args, names, "Perplexity by chat");
  if (unsupported !== null) return unsupported;
  const time = timeFilterOf(args, false);
  if (time.kind === "refused") return time;
  const base = baseOf(setup);
  const wanted = textAt(setup.settings, "model") ?? defaultModel;
  // Only OpenRouter knows models by their maker.
  const model = siteOf(base) === siteOf(directBase) ? wanted.replace(/^perplexity\//, "") : wanted;
  const answer = await call.sendJson({
    url: joinUrl(base, "chat/completions"),
    method: "POST",
    headers: {
      authorization: `Bearer ${call.key}`,
      "x-title": "Sallyport Web Search",
    },
    body: withoutAbsent({
      model,
      messages: [{ role: "user", content: args.query }],
      search_recency_filter: time.freshness,
    }),
  });
  const message = listAt(answer, "choices")[0];
  const listed: Citation[] = textsAt(answer, "citations").map((url) => ({ url }));
  const annotated = listAt(message, "message", "annotations").flatMap((note): Citation[] => {
    const url = textAt(note, "url_citation", "url") ?? textAt(note, "url");
    return textAt(note, "type") === "url_citation" && url !== undefined ? [{ url }] : [];
  });
  return {
    kind: "answer",
    content: textAt(message, "message", "content") ?? "",
    citations: listed.length > 0 ? listed : annotated,
    model,
  };
}
