/** Gemini with Google Search as its tool: an answer with citations. */

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

export const gemini: SearchProvider = {
  id: "gemini",
  label: "Gemini",
  pluginId: "google",
  isPluginOnByDefault: true,
  order: 20,
  key: {
    paths: [
      ["plugins", "entries", "google", "config", "webSearch", "apiKey"],
      ["tools", "web", "search", "gemini", "apiKey"],
    ],
    env: ["GEMINI_API_KEY"],
  },
  missingKey: "missing_gemini_api_key",
  docs: "https://ai.google.dev/gemini-api/docs/google-search",
  maxCount: 10,
  timeoutMs: 30_000,
  ignoresSearchSettings: false,
  describe: () =>
    "Asks Gemini, which searches with Google, and returns its answer with the addresses it is based on.",
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
    const unsupported = unsupportedFilter(call.args, names, "Gemini");
    if (unsupported !== null) return unsupported;
    const model = textAt(call.setup.settings, "model") ?? "gemini-2.5-flash";
    const answer = await call.sendJson({
      url: `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      method: "POST",
      headers: { "x-goog-api-key": call.key },
      body: { contents: [{ parts: [{ text: call.args.query }] }], tools: [{ google_search: {} }] },
    });
    const candidate = listAt(answer, "candidates")[0];
    const content = listAt(candidate, "content", "parts")
      .map((part) => textAt(part, "text"))
      .filter((text) => text !== undefined)
      .join("\n");
    const cited = listAt(candidate, "groundingMetadata", "groundingChunks").flatMap((chunk) => {
      const url = textAt(chunk, "web", "uri");
      return url === undefined ? [] : [{ url, title: textAt(chunk, "web", "title") }];
    });
    // Google gives redirects of its own instead of the pages' addresses.
    const urls = await call.finalUrlsOf(cited.map(({ url }) => url));
    const citations = cited.map(({ url, title }, index) => ({ url: urls[index] ?? url, title }));
    return { kind: "answer", content, citations, model };
  },
};
