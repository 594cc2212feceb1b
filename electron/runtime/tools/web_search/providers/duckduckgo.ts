/** DuckDuckGo by its page without scripts; the one provider that needs no key. */

import { Parser } from "htmlparser2";
import { z } from "zod";
import { netProblem } from "../../../net/netProblem.ts";
import { siteOf } from "../readJson.ts";
import { countParam, searchInput } from "../searchParams.ts";
import type { SearchHit, SearchProvider } from "../searchTypes.ts";

const safeSearchCodes: ReadonlyMap<string, string> = new Map([
  ["strict", "1"],
  ["moderate", "-1"],
  ["off", "-2"],
]);
const safeSearchLevels = ["strict", "moderate", "off"] as const;
const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";

export const duckduckgo: SearchProvider = {
  id: "duckduckgo",
  label: "DuckDuckGo",
  pluginId: "duckduckgo",
  isPluginOnByDefault: false,
  order: 100,
  key: null,
  missingKey: "",
  docs: "https://duckduckgo.com/duckduckgo-help-pages/",
  maxCount: 10,
  timeoutMs: 20_000,
  ignoresSearchSettings: true,
  describe: () => "Searches the web with DuckDuckGo: titles, addresses and snippets.",
  input: () =>
    searchInput(
      {
        count: countParam(10),
        region: z.string().max(20).optional().describe("Region code, us-en for instance"),
        safeSearch: z
          .enum(safeSearchLevels)
          .optional()
          .describe("Filter for adult content; moderate by default"),
      },
      true,
    ),
  async search(call) {
    const { args, setup } = call;
    const url = new URL("https://html.duckduckgo.com/html");
    url.searchParams.set("q", args.query);
    const region = args.region ?? setup.settings.region;
    if (typeof region === "string" && region.trim() !== "") url.searchParams.set("kl", region.trim());
    const level = args.safeSearch ?? setup.settings.safeSearch;
    const code = typeof level === "string" ? safeSearchCodes.get(level) : undefined;
    url.searchParams.set("kp", code ?? "-1");
    const page = await call.sendText({
      url: url.href,
      method: "GET",
      headers: { accept: "text/html", "user-agent": userAgent },
    });
    const hits = hitsOf(page);
    if (hits.length === 0 && /anomaly-modal|challenge-form|g-recaptcha|are you a human/i.test(page)) {
      throw netProblem(
        "bad_answer",
        "DuckDuckGo takes this computer for a bot and shows a test instead of results. Wait, or set up a provider with a key.",
      );
    }
    return { kind: "hits", hits: hits.slice(0, call.count) };
  },
};

/** Links of class `result__a`, each with the `result__snippet` that follows. */
function hitsOf(page: string): SearchHit[] {
  const hits: SearchHit[] = [];
  let depth = 0;
  let reading: { field: "title" | "snippet"; depth: number } | null = null;
  let isSkipped = false;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        depth += 1;
        const classes = (attributes.class ?? "").split(/\s+/);
        if (tag === "a" && classes.includes("result__a")) {
          const url = targetOf(attributes.href ?? "");
          isSkipped = url === null;
          if (url === null) return;
          hits.push({ title: "", url, snippetField: "snippet", snippet: "", siteName: siteOf(url) });
          reading = { field: "title", depth };
        } else if (classes.includes("result__snippet") && !isSkipped) reading = { field: "snippet", depth };
      },
      ontext(text) {
        const hit = hits.at(-1);
        if (reading !== null && hit !== undefined) hit[reading.field] += text;
      },
      onclosetag() {
        if (reading?.depth === depth) reading = null;
        depth -= 1;
      },
    },
    { decodeEntities: true },
  );
  parser.end(page);
  return hits;
}

/** @returns the address behind the service's redirect; null for advertisements */
function targetOf(href: string): string | null {
  const full = href.startsWith("//") ? `https:${href}` : href;
  if (!URL.canParse(full, "https://html.duckduckgo.com")) return null;
  const url = new URL(full, "https://html.duckduckgo.com");
  const target = url.searchParams.get("uddg");
  if (target !== null) return /^https?:\/\/(?:[^/]*\.)?duckduckgo\.com\/y\.js/.test(target) ? null : target;
  return url.hostname.endsWith("duckduckgo.com") ? null : url.href;
}
