/** Grok with its web search: an answer with citations. */

import { listAt, textAt, textsAt } from "../readJson.ts";
import { countParam, searchInput } from "../searchParams.ts";
import type { Citation, SearchProvider } from "../searchTypes.ts";

export const grok: SearchProvider = {
  id: "grok",
  label: "Grok",
  pluginId: "xai",
  isPluginOnByDefault: true,
  order: 30,
  key: {
    paths: [
      ["plugins", "entries", "xai", "config", "webSearch", "apiKey"],
      ["tools", "web", "search", "grok", "apiKey"],
    ],
    env: ["XAI_API_KEY"],
  },
  missingKey: "missing_xai_api_key",
  docs: "https://docs.x.ai/docs/guides/tools/search-tools",
  maxCount: 10,
  timeoutMs: 30_000,
  ignoresSearchSettings: false,
  describe: () =>
    "Asks Grok, which searches the web, and returns its answer with the addresses it is based on.",
  input: () => searchInput({ count: countParam(10) }),
  async search(call) {
    const { settings } = call.setup;
    const model = textAt(settings, "model") ?? "grok-4-1-fast";
    const answer = await call.sendJson({
      url: "https://api.x.ai/v1/responses",
      method: "POST",
      headers: { authorization: `Bearer ${call.key}` },
      body: { model, input: [{ role: "user", content: call.args.query }], tools: [{ type: "web_search" }] },
    });
    const texts = listAt(answer, "output").flatMap((item) => [
      ...(textAt(item, "type") === "output_text" ? [item] : []),
      ...listAt(item, "content").filter((part) => textAt(part, "type") === "output_text"),
    ]);
    const first = texts[0];
    const listed: Citation[] = textsAt(answer, "citations").map((url) => ({ url }));
    const annotated = listAt(first, "annotations").flatMap((note): Citation[] => {
      const url = textAt(note, "type") === "url_citation" ? textAt(note, "url") : undefined;
      return url === undefined ? [] : [{ url }];
    });
    const inline = settings.inlineCitations === true ? listAt(answer, "inline_citations") : [];
    return {
      kind: "answer",
      content: textAt(first, "text") ?? "",
      citations: listed.length > 0 ? listed : annotated,
      model,
      ...(inline.length > 0 ? { inlineCitations: inline } : {}),
    };
  },
};
