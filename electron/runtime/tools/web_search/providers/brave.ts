/** Brave Search: web results, or passages for models (`llm-context`). */

import { z } from "zod";
import { getIn } from "../../../../../shared/policy/configRecord.ts";
import { listAt, siteOf, textAt, textsAt } from "../readJson.ts";
import { countParam, country, dateAfter, dateBefore, language, searchInput } from "../searchParams.ts";
import {
  type ProviderSetup,
  type Refusal,
  refused,
  type SearchAnswer,
  type SearchCall,
  type SearchProvider,
} from "../searchTypes.ts";
import { type TimeFilter, timeFilterOf, unsupportedFilter } from "../timeFilters.ts";

const base = "https://api.search.brave.com/res/v1";

const countries: ReadonlySet<string> = new Set(
  "AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US ALL".split(
    " ",
  ),
);
const languages: ReadonlySet<string> = new Set(
  (
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de el gu he hi hu is it jp kn ko lv lt ms ml mr " +
    "nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
  ).split(" "),
);
const languageAliases: ReadonlyMap<string, string> = new Map([
  ["ja", "jp"],
  ["zh", "zh-hans"],
  ["zh-cn", "zh-hans"],
  ["zh-sg", "zh-hans"],
  ["zh-hk", "zh-hant"],
  ["zh-tw", "zh-hant"],
]);
const freshnessCodes = { day: "pd", week: "pw", month: "pm", year: "py" } as const;
const contextSnippetChars = 1500;

export const brave: SearchProvider = {
  id: "brave",
  label: "Brave Search",
  pluginId: "brave",
  isPluginOnByDefault: false,
  order: 10,
  key: {
    paths: [
      ["plugins", "entries", "brave", "config", "webSearch", "apiKey"],
      ["tools", "web", "search", "apiKey"],
      ["tools", "web", "search", "brave", "apiKey"],
    ],
    env: ["BRAVE_API_KEY"],
  },
  missingKey: "missing_brave_api_key",
  docs: "https://brave.com/search/api/",
  maxCount: 10,
  timeoutMs: 30_000,
  ignoresSearchSettings: false,
  describe: (setup) =>
    isContextMode(setup)
      ? "Searches the web with Brave and returns passages of the pages found."
      : "Searches the web with Brave: titles, addresses and snippets, by country, language and date.",
  input: () =>
    searchInput({
      count: countParam(10),
      country,
      language,
      freshness: z.string().max(40).optional().describe("day, week, month, year, or YYYY-MM-DDtoYYYY-MM-DD"),
      date_after: dateAfter,
      date_before: dateBefore,
      search_lang: z
        .string()
        .max(20)
        .optional()
        .describe("Language of the results in Brave's code; wins over language"),
      ui_lang: z.string().max(20).optional().describe("Language of the interface, en-US for instance"),
    }),
  search: (call) => (isContextMode(call.setup) ? searchContext(call) : searchWeb(call)),
};

function isContextMode(setup: ProviderSetup): boolean {
  return setup.settings.mode === "llm-context";
}

async function searchWeb(call: SearchCall): Promise<SearchAnswer> {
  const places = placesOf(call);
  if (places.kind === "refused") return places;
  const time = timeFilterOf(call.args, true);
  if (time.kind === "refused") return time;
  const url = new URL(`${base}/web/search`);
  url.searchParams.set("q", call.args.query);
  url.searchParams.set("count", String(call.count));
  for (const [name, value] of [...places.params, ["freshness", freshnessParam(time, call.nowMs)] as const]) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const answer = await call.sendJson({
    url: url.href,
    method: "GET",
    headers: { "x-subscription-token": call.key },
  });
  const hits = listAt(answer, "web", "results").map((item) => {
    const target = textAt(item, "url") ?? "";
    return {
      title: textAt(item, "title") ?? "",
      url: target,
      snippetField: "description" as const,
      snippet: textAt(item, "description") ?? "",
      published: textAt(item, "age"),
      siteName: siteOf(target),
    };
  });
  return { kind: "hits", hits };
}

async function searchContext(call: SearchCall): Promise<SearchAnswer> {
  const names = ["ui_lang", "freshness", "date_after", "date_before"];
  const unsupported = unsupportedFilter(call.args, names, "Brave in the mode llm-context");
  if (unsupported !== null) return unsupported;
  const places = placesOf(call);
  if (places.kind === "refused") return places;
  const url = new URL(`${base}/llm/context`);
  url.searchParams.set("q", call.args.query);
  for (const [name, value] of places.params) if (value !== undefined) url.searchParams.set(name, value);
  const answer = await call.sendJson({
    url: url.href,
    method: "GET",
    headers: { "x-subscription-token": call.key },
  });
  const hits = listAt(answer, "grounding", "generic").map((item) => {
    const target = textAt(item, "url") ?? "";
    return {
      title: textAt(item, "title") ?? "",
      url: target,
      snippetField: "snippets" as const,
      snippet: textsAt(item, "snippets").join("\n"),
      siteName: siteOf(target),
    };
  });
  const sources = getIn(answer, "sources");
  const sourceCount =
    typeof sources === "object" && sources !== null ? Object.keys(sources).length : hits.length;
  return {
    kind: "hits",
    hits,
    snippetChars: contextSnippetChars,
    extra: { mode: "llm-context", sourceCount },
  };
}

interface Places {
  kind: "places";
  params: (readonly [name: string, value: string | undefined])[];
}

/** Country and languages in Brave's own codes. */
function placesOf(call: SearchCall): Places | Refusal {
  const given = (name: string) => {
    const value = call.args[name];
    return typeof value === "string" ? value : undefined;
  };
  const asked = given("country")?.toUpperCase();
  const inCountry = asked === undefined || countries.has(asked) ? asked : "ALL";
  let search = given("search_lang") ?? given("language");
  let ui = given("ui_lang");
  // Models mix the two up; each has a form that the other has not.
  if (
    search !== undefined &&
    ui !== undefined &&
    isUiLanguage(search) &&
    !isSearchLanguage(search) &&
    isSearchLanguage(ui)
  ) {
    [search, ui] = [ui, search];
  }
  const code = search === undefined ? undefined : searchLanguage(search);
  if (search !== undefined && (code === undefined || !languages.has(code))) {
    return refused(
      "invalid_search_lang",
      "Brave does not know this search language. Give a code such as en, de, jp or zh-hans.",
    );
  }
  if (ui !== undefined && !isUiLanguage(ui)) {
    return refused("invalid_ui_lang", "ui_lang is a language and a region, en-US for instance.");
  }
  return {
    kind: "places",
    params: [
      ["country", inCountry],
      ["search_lang", code],
      ["ui_lang", ui === undefined ? undefined : uiLanguage(ui)],
    ],
  };
}

function searchLanguage(text: string): string {
  const lower = text.toLowerCase();
  return languageAliases.get(lower) ?? lower;
}

function isSearchLanguage(text: string): boolean {
  return languages.has(searchLanguage(text));
}

function isUiLanguage(text: string): boolean {
  return /^[a-z]{2}-[a-z]{2}$/i.test(text);
}

function uiLanguage(text: string): string {
  const [lang = "", region = ""] = text.split("-");
  return `${lang.toLowerCase()}-${region.toUpperCase()}`;
}

function freshnessParam(time: TimeFilter, nowMs: number): string | undefined {
  if (time.freshness !== undefined) return freshnessCodes[time.freshness];
  if (time.after === undefined && time.before === undefined) return undefined;
  return `${time.after ?? "1970-01-01"}to${time.before ?? new Date(nowMs).toISOString().slice(0, 10)}`;
}
