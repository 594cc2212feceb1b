/** Firecrawl's search. */

import { getIn } from "../../../../../shared/policy/configRecord.ts";
import { netProblem } from "../../../net/netProblem.ts";
import { serviceUrl } from "../../../net/serviceUrl.ts";
import { siteOf, textAt } from "../readJson.ts";
import { countParam, searchInput } from "../searchParams.ts";
import type { SearchHit, SearchProvider } from "../searchTypes.ts";

/** Versions of the service put the list in different places. */
const itemPlaces = [
  ["data"],
  ["results"],
  ["data", "results"],
  ["data", "data"],
  ["data", "web"],
  ["web", "results"],
];

export const firecrawl: SearchProvider = {
  id: "firecrawl",
  label: "Firecrawl",
  pluginId: "firecrawl",
  isPluginOnByDefault: false,
  order: 60,
  key: {
    paths: [
      ["plugins", "entries", "firecrawl", "config", "webSearch", "apiKey"],
      ["tools", "web", "search", "firecrawl", "apiKey"],
      ["tools", "web", "fetch", "firecrawl", "apiKey"],
    ],
    env: ["FIRECRAWL_API_KEY"],
  },
  missingKey: "missing_firecrawl_api_key",
  docs: "https://docs.firecrawl.dev/",
  maxCount: 10,
  timeoutMs: 30_000,
  ignoresSearchSettings: true,
  describe: () => "Searches the web with Firecrawl: titles, addresses and snippets.",
  input: () => searchInput({ count: countParam(10) }),
  async search(call) {
    const { settings, env } = call.setup;
    const base = textAt(settings, "baseUrl") ?? env.FIRECRAWL_BASE_URL?.trim() ?? "https://api.firecrawl.dev";
    const answer = await call.sendJson({
      url: serviceUrl(base, "/v2/search"),
      method: "POST",
      headers: { authorization: `Bearer ${call.key}` },
      body: { query: call.args.query, limit: call.count },
    });
    if (getIn(answer, "success") === false) {
      throw netProblem("bad_answer", "Firecrawl says that the search failed. Try again later.");
    }
    const items = itemPlaces.map((place) => getIn(answer, ...place)).find(Array.isArray) ?? [];
    return { kind: "hits", hits: items.map(hitOf) };
  },
};

function hitOf(item: unknown): SearchHit {
  const url = textAt(item, "url") ?? textAt(item, "metadata", "sourceURL") ?? "";
  return {
    title: textAt(item, "title") ?? textAt(item, "metadata", "title") ?? "",
    url,
    snippetField: "description",
    snippet:
      textAt(item, "description") ?? textAt(item, "snippet") ?? textAt(item, "metadata", "description") ?? "",
    published: textAt(item, "publishedDate") ?? textAt(item, "date"),
    siteName: siteOf(url)?.replace(/^www\./, ""),
    ...(textAt(item, "markdown") === undefined ? {} : { texts: { content: textAt(item, "markdown") } }),
  };
}
