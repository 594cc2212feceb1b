/** Tavily's search. */

import { joinUrl } from "../../../net/serviceUrl.ts";
import { listAt, numberAt, textAt } from "../readJson.ts";
import { countParam, searchInput } from "../searchParams.ts";
import type { SearchProvider } from "../searchTypes.ts";

export const tavily: SearchProvider = {
  id: "tavily",
  label: "Tavily",
  pluginId: "tavily",
  isPluginOnByDefault: false,
  order: 70,
  key: {
    paths: [["plugins", "entries", "tavily", "config", "webSearch", "apiKey"]],
    env: ["TAVILY_API_KEY"],
  },
  missingKey: "missing_tavily_api_key",
  docs: "https://docs.tavily.com/",
  maxCount: 20,
  timeoutMs: 30_000,
  ignoresSearchSettings: true,
  describe: () => "Searches the web with Tavily: titles, addresses and snippets.",
  input: () => searchInput({ count: countParam(20) }),
  async search(call) {
    const { settings, env } = call.setup;
    const base = textAt(settings, "baseUrl") ?? env.TAVILY_BASE_URL?.trim() ?? "https://api.tavily.com";
    const answer = await call.sendJson({
      url: joinUrl(base, "search"),
      method: "POST",
      headers: { authorization: `Bearer ${call.key}`, "x-client-source": "sallyport" },
      body: { query: call.args.query, max_results: call.count },
    });
    const hits = listAt(answer, "results").map((item) => ({
      title: textAt(item, "title") ?? "",
      url: textAt(item, "url") ?? "",
      snippetField: "snippet" as const,
      snippet: textAt(item, "content") ?? "",
      published: textAt(item, "published_date"),
      facts: { score: numberAt(item, "score") },
    }));
    return { kind: "hits", hits, answer: textAt(answer, "answer") };
  },
};
