/** Exa: search by meaning, with highlights, text or summaries of the pages. */

import { z } from "zod";
import { getIn } from "../../../../../shared/policy/configRecord.ts";
import { listAt, numberAt, siteOf, textAt, textsAt, withoutAbsent } from "../readJson.ts";
import { countParam, dateAfter, dateBefore, freshness, searchInput } from "../searchParams.ts";
import { type Refusal, refused, type SearchHit, type SearchProvider } from "../searchTypes.ts";
import { startOf, timeFilterOf } from "../timeFilters.ts";

const types: ReadonlySet<string> = new Set(["auto", "neural", "fast", "deep", "deep-reasoning", "instant"]);
const defaultContents = { highlights: true };
const askedSnippetChars = 4000;

/** Keys that each part of `contents` may have. */
const contentKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["text", new Set(["maxCharacters"])],
  ["highlights", new Set(["maxCharacters", "query", "numSentences", "highlightsPerUrl"])],
  ["summary", new Set(["query"])],
]);

export const exa: SearchProvider = {
  id: "exa",
  label: "Exa",
  pluginId: "exa",
  isPluginOnByDefault: false,
  order: 65,
  key: { paths: [["plugins", "entries", "exa", "config", "webSearch", "apiKey"]], env: ["EXA_API_KEY"] },
  missingKey: "missing_exa_api_key",
  docs: "https://docs.exa.ai/",
  maxCount: 100,
  timeoutMs: 30_000,
  ignoresSearchSettings: false,
  describe: () =>
    "Searches the web with Exa by meaning; can bring highlights, text or summaries of the pages along.",
  input: () =>
    searchInput({
      count: countParam(100),
      freshness,
      date_after: dateAfter,
      date_before: dateBefore,
      type: z.string().max(40).optional().describe("auto, neural, fast, deep, deep-reasoning or instant"),
      contents: z
        .unknown()
        .optional()
        .describe(
          "What to bring along: {text: true or {maxCharacters}, highlights: true or {maxCharacters, query, numSentences, highlightsPerUrl}, summary: true or {query}}",
        ),
    }),
  async search(call) {
    const { args } = call;
    const time = timeFilterOf(args, false);
    if (time.kind === "refused") return time;
    const problem = args.contents === undefined ? null : contentsProblem(args.contents);
    if (problem !== null) return problem;
    const start =
      time.freshness !== undefined
        ? startOf(time.freshness, call.nowMs).toISOString()
        : time.after && `${time.after}T00:00:00.000Z`;
    const answer = await call.sendJson({
      url: "https://api.exa.ai/search",
      method: "POST",
      headers: { "x-api-key": call.key, "x-exa-integration": "sallyport" },
      body: withoutAbsent({
        query: args.query,
        numResults: call.count,
        type: typeof args.type === "string" && types.has(args.type) ? args.type : "auto",
        contents: args.contents ?? defaultContents,
        startPublishedDate: start,
        endPublishedDate: time.before && `${time.before}T23:59:59.999Z`,
      }),
    });
    return {
      kind: "hits",
      hits: listAt(answer, "results").map(hitOf),
      ...(args.contents === undefined ? {} : { snippetChars: askedSnippetChars }),
    };
  },
};

function hitOf(item: unknown): SearchHit {
  const url = textAt(item, "url") ?? "";
  const highlights = textsAt(item, "highlights").join("\n");
  const summary = textAt(item, "summary");
  const scores = listAt(item, "highlightScores").filter((score) => typeof score === "number");
  return {
    title: textAt(item, "title") ?? "",
    url,
    snippetField: "description",
    snippet: highlights || summary || textAt(item, "text") || "",
    published: textAt(item, "publishedDate"),
    siteName: siteOf(url),
    ...(highlights !== "" && summary !== undefined ? { texts: { summary } } : {}),
    facts: { score: numberAt(item, "score"), ...(scores.length > 0 ? { highlightScores: scores } : {}) },
  };
}

function contentsProblem(contents: unknown): Refusal | null {
  const bad = (what: string) => refused("invalid_contents", `contents is not understood: ${what}.`);
  if (typeof contents !== "object" || contents === null || Array.isArray(contents))
    return bad("it is no object");
  for (const [part, value] of Object.entries(contents)) {
    const keys = contentKeys.get(part);
    if (keys === undefined) return bad("its parts are text, highlights and summary");
    if (typeof value === "boolean") continue;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return bad(`${part} is true, false or an object`);
    }
    for (const key of Object.keys(value)) {
      if (!keys.has(key)) return bad(`${part} takes ${[...keys].join(", ")}`);
      const setting = getIn(value, key);
      const isFine =
        key === "query"
          ? typeof setting === "string" && setting.trim() !== ""
          : typeof setting === "number" && Number.isInteger(setting) && setting > 0;
      if (!isFine)
        return bad(`${part}.${key} is ${key === "query" ? "a text" : "a whole number above zero"}`);
    }
  }
  return null;
}
