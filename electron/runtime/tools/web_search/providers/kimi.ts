/** Kimi with its built-in web search: an answer with citations, in up to three rounds. */

import { getIn } from "../../../../../shared/policy/configRecord.ts";
import { joinUrl } from "../../../net/serviceUrl.ts";
import { listAt, textAt } from "../readJson.ts";
import {
  countParam,
  country,
  dateAfter,
  dateBefore,
  freshness,
  language,
  searchInput,
} from "../searchParams.ts";
import type { SearchProvider } from "../searchTypes.ts";
import { unsupportedFilter } from "../timeFilters.ts";

const maxRounds = 3;
const searchTool = { type: "builtin_function", function: { name: "$web_search" } };

export const kimi: SearchProvider = {
  id: "kimi",
  label: "Kimi",
  pluginId: "moonshot",
  isPluginOnByDefault: true,
  order: 40,
  key: {
    paths: [
      ["plugins", "entries", "moonshot", "config", "webSearch", "apiKey"],
      ["tools", "web", "search", "kimi", "apiKey"],
    ],
    env: ["KIMI_API_KEY", "MOONSHOT_API_KEY"],
  },
  missingKey: "missing_kimi_api_key",
  docs: "https://platform.moonshot.ai/docs/guide/use-web-search",
  maxCount: 10,
  timeoutMs: 30_000,
  ignoresSearchSettings: false,
  describe: () =>
    "Asks Kimi, which searches the web, and returns its answer with the addresses it is based on.",
  input: () =>
    searchInput({
      count: countParam(10),
      country,
      language,
      freshness,
      date_after: dateAfter,
      date_before: dateBefore,
    }),
  async search(call) {
    const names = ["country", "language", "freshness", "date_after", "date_before"];
    const unsupported = unsupportedFilter(call.args, names, "Kimi");
    if (unsupported !== null) return unsupported;
    const { settings } = call.setup;
    const model = textAt(settings, "model") ?? "moonshot-v1-128k";
    const url = joinUrl(textAt(settings, "baseUrl") ?? "https://api.moonshot.ai/v1", "chat/completions");
    const messages: unknown[] = [{ role: "user", content: call.args.query }];
    const cited = new Set<string>();
    let content = "";
    for (let round = 0; round < maxRounds; round += 1) {
      const answer = await call.sendJson({
        url,
        method: "POST",
        headers: { authorization: `Bearer ${call.key}` },
        body: { model, messages, tools: [searchTool] },
      });
      const message = getIn(listAt(answer, "choices")[0], "message");
      content = textAt(message, "content") ?? textAt(message, "reasoning_content") ?? content;
      const found = listAt(answer, "search_results");
      for (const item of found) cited.add(textAt(item, "url") ?? "");
      const calls = listAt(message, "tool_calls");
      for (const one of calls)
        for (const address of urlsIn(textAt(one, "function", "arguments"))) cited.add(address);
      if (calls.length === 0) break;
      const results = found.map((item) => ({
        title: textAt(item, "title"),
        url: textAt(item, "url"),
        content: textAt(item, "content"),
      }));
      messages.push(message);
      for (const one of calls) {
        messages.push({
          role: "tool",
          tool_call_id: textAt(one, "id") ?? "",
          name: textAt(one, "function", "name") ?? "$web_search",
          // The service searches itself; its own arguments stand for results that it did not list.
          content:
            results.length > 0
              ? JSON.stringify({ search_results: results })
              : (textAt(one, "function", "arguments") ?? "{}"),
        });
      }
    }
    cited.delete("");
    return { kind: "answer", content, citations: [...cited].map((address) => ({ url: address })), model };
  },
};

/** @returns addresses of `search_results` and `url` in the arguments of a tool call */
function urlsIn(json: string | undefined): string[] {
  if (json === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Arguments that are no JSON cite nothing.
    return [];
  }
  const items = [value, ...listAt(value, "search_results"), ...listAt(value, "results")];
  return items.map((item) => textAt(item, "url")).filter((url) => url !== undefined);
}
