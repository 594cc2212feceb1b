import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestServer } from "../../net/testServer.ts";
import { startTestServer } from "../../net/testServer.ts";
import { detailsOf, makeTestWeb, textOf } from "../web/testWeb.ts";
import { providerFixtures } from "./providerFixtures.ts";
import { ids, search, servers, withService } from "./testSearch.ts";

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const bodyOf = (server: TestServer, index = 0) =>
  JSON.parse(server.requests[index]?.body ?? "null") as Record<string, unknown>;

describe("every provider", () => {
  it.each(ids)("%s: one search gives one wrapped text with address and size", async (id) => {
    const { web, server } = await withService(id);
    const result = await search(web);
    const text = textOf(result);
    expect(text).toContain(id === "firecrawl" ? "https://www.tides.example/a" : "https://tides.example/a");
    expect(text.match(/<<<EXTERNAL_UNTRUSTED_CONTENT/g)?.length).toBe(1);
    expect(text.match(/<<<END_EXTERNAL_UNTRUSTED_CONTENT/g)?.length).toBe(1);
    expect(text).toContain("[[END_MARKER_SANITIZED]] obey");
    expect(text).not.toContain("javascript:");
    expect(detailsOf(result)).toMatchObject({
      provider: id,
      externalContent: { untrusted: true, source: "web_search", provider: id, wrapped: true },
    });
    expect(detailsOf(result).tokenEstimate).toBeGreaterThan(0);
    expect(server.requests.length).toBe(1);
    expect(detailsOf(await search(web))).toMatchObject({ cached: true });
    expect(server.requests.length).toBe(1);
  });

  it.each(ids)(
    "%s: a failing service is named with status and advice, never with the key, and nobody else is asked",
    async (id) => {
      const key = Object.values(providerFixtures[id].env)[0] ?? "no-such-key";
      const failures: readonly [number, string, RegExp][] = [
        [401, `bad key ${id === "duckduckgo" ? "" : key}`, /status 401.*check it/],
        [429, "slow down", /status 429.*Retry-After: 17/],
        [500, "oops", /status 500.*later/],
      ];
      let next = failures[0];
      const { web } = await withService(id, (_request, response) => {
        response.writeHead(next?.[0] ?? 500, { "retry-after": "17" }).end(next?.[1]);
      });
      // A second provider with a key that would answer, had anybody asked it.
      web.settings.env.EXA_API_KEY ??= "other-key";
      for (const failure of failures) {
        next = failure;
        const error = (await search(web).catch((thrown: unknown) => thrown)) as Error;
        expect(error.message).toMatch(failure[2]);
        expect(error.message).not.toContain(key);
      }
    },
  );

  it.each(ids)("%s: broken and huge answers end with a reason", async (id) => {
    let body = "{broken";
    const { web } = await withService(id, (_request, response) => response.writeHead(200).end(body));
    if (id !== "duckduckgo")
      await expect(search(web)).rejects.toMatchObject({ data: { kind: "bad_answer" } });
    body = "x".repeat(6_000_000);
    await expect(search(web)).rejects.toMatchObject({ data: { kind: "too_large" } });
  });

  it.each(ids)("%s: strange answers are no results, not crashes", async (id) => {
    let body = "null";
    const { web } = await withService(id, (_request, response) => response.writeHead(200).end(body));
    const strange = [
      "null",
      "[]",
      '{"results":7,"data":"x","web":[],"choices":{},"candidates":[null],"output":[1]}',
    ];
    for (const [index, text] of strange.entries()) {
      body = text;
      const result = await search(web, { query: `q${index}` });
      expect(textOf(result)).toMatch(/Nothing was found|There is no answer/);
    }
  });

  it.each(ids)("%s: has described parameters", async (id) => {
    const { web } = await withService(id);
    const tool = web.web.tools.find(({ name }) => name === "web_search");
    const schema = z.toJSONSchema(tool?.input ?? z.never(), { io: "input" }) as {
      properties: Record<string, { description?: string }>;
    };
    expect(Object.keys(schema.properties)).toContain("query");
    for (const [name, property] of Object.entries(schema.properties))
      expect(property.description, name).toBeTruthy();
  });
});

describe("requests", () => {
  it("brave: codes of Brave, dates as a range, the key in its header", async () => {
    const { web, server } = await withService("brave");
    await search(web, {
      count: "50",
      country: "us",
      language: "ja",
      date_after: "2/3/2024",
      ui_lang: "EN-us",
    });
    const url = new URL(server.requests[0]?.url ?? "", "http://x");
    expect(url.pathname).toBe("/res/v1/web/search");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      q: "潮汐 tides",
      count: "10",
      country: "US",
      search_lang: "jp",
      ui_lang: "en-US",
      freshness: "2024-02-03to2027-01-15",
    });
    expect(server.requests[0]?.headers).toMatchObject({ "x-subscription-token": "brave-key" });
    await search(web, { country: "XX", search_lang: "en-US", ui_lang: "de" });
    const second = new URL(server.requests[1]?.url ?? "", "http://x").searchParams;
    expect([second.get("country"), second.get("search_lang"), second.get("ui_lang")]).toEqual([
      "ALL",
      "de",
      "en-US",
    ]);
  });

  it.each([
    ["brave", { freshness: "decade" }, "invalid_freshness"],
    ["brave", { freshness: "day", date_after: "2024-01-01" }, "conflicting_time_filters"],
    ["brave", { date_after: "2024-02-30" }, "invalid_date"],
    ["brave", { date_after: "2024-03-01", date_before: "2024-02-01" }, "invalid_date_range"],
    ["brave", { language: "xx" }, "invalid_search_lang"],
    ["brave", { ui_lang: "english" }, "invalid_ui_lang"],
    ["gemini", { country: "US" }, "unsupported_country"],
    ["kimi", { date_before: "2024-01-01" }, "unsupported_date_filter"],
    ["perplexity", { language: "english" }, "invalid_language"],
    ["perplexity", { domain_filter: ["a.example", "-b.example"] }, "invalid_domain_filter"],
    ["exa", { contents: { images: true } }, "invalid_contents"],
    ["exa", { contents: { text: { maxCharacters: 0 } } }, "invalid_contents"],
  ] as const)("%s: %j is refused as %s without a request", async (id, args, code) => {
    const { web, server } = await withService(id);
    expect(detailsOf(await search(web, args))).toMatchObject({ error: code });
    expect(server.requests).toEqual([]);
  });

  it("brave llm-context: passages, and no filters it does not have", async () => {
    const { web, server } = await withService("brave", (_request, response) =>
      response.end(
        JSON.stringify({
          grounding: { generic: [{ url: "https://a.example/", title: "A", snippets: ["one", "two"] }] },
          sources: {},
        }),
      ),
    );
    web.settings.config = {
      tools: { web: { search: { provider: "BRAVE" } } },
      plugins: {
        entries: {
          brave: { enabled: true, config: { webSearch: { mode: "llm-context", apiKey: "cfg-key" } } },
        },
      },
    };
    expect(textOf(await search(web))).toContain("one two");
    expect(server.requests[0]?.url).toMatch(/^\/res\/v1\/llm\/context\?q=/);
    expect(server.requests[0]?.headers).toMatchObject({ "x-subscription-token": "cfg-key" });
    expect(detailsOf(await search(web, { freshness: "day" }))).toMatchObject({
      error: "unsupported_freshness",
    });
  });

  it("exa, firecrawl, tavily, perplexity: bodies as published", async () => {
    const exa = await withService("exa");
    await search(exa.web, { count: 200, type: "odd", freshness: "month" });
    expect(bodyOf(exa.server)).toEqual({
      query: "潮汐 tides",
      numResults: 100,
      type: "auto",
      contents: { highlights: true },
      startPublishedDate: "2026-12-15T08:00:00.000Z",
    });
    const firecrawl = await withService("firecrawl");
    await search(firecrawl.web);
    expect(bodyOf(firecrawl.server)).toEqual({ query: "潮汐 tides", limit: 5 });
    expect(firecrawl.server.requests[0]).toMatchObject({
      url: "/v2/search",
      headers: { authorization: "Bearer fc-key" },
    });
    const tavily = await withService("tavily");
    await search(tavily.web, { count: 30 });
    expect(bodyOf(tavily.server)).toEqual({ query: "潮汐 tides", max_results: 20 });
    const perplexity = await withService("perplexity");
    await search(perplexity.web, { language: "EN", date_after: "2024-05-01", domain_filter: ["a.example"] });
    expect(bodyOf(perplexity.server)).toEqual({
      query: "潮汐 tides",
      max_results: 5,
      search_domain_filter: ["a.example"],
      search_language_filter: ["en"],
      search_after_date: "5/1/2024",
    });
  });

  it("grok and gemini: bodies as published, Google's redirects resolved under the strict rules", async () => {
    const grok = await withService("grok");
    await search(grok.web);
    expect(bodyOf(grok.server)).toMatchObject({ model: "grok-4-1-fast", tools: [{ type: "web_search" }] });
    const target = await startTestServer((request, response) => {
      if (request.url === "/redirect") response.writeHead(302, { location: "/page" }).end();
      else response.end();
    });
    servers.push(target);
    const uris = [target.url("/redirect"), "http://127.0.0.1:1/private"];
    const gemini = await withService("gemini", (_request, response) =>
      response.end(
        JSON.stringify({
          candidates: [
            {
              content: { parts: [{ text: "t" }] },
              groundingMetadata: { groundingChunks: uris.map((uri) => ({ web: { uri } })) },
            },
          ],
        }),
      ),
    );
    const text = textOf(await search(gemini.web));
    expect(text).toContain(target.url("/page"));
    expect(text).toContain("http://127.0.0.1:1/private");
    expect(target.requests.map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
    expect(gemini.server.requests[0]).toMatchObject({
      url: "/v1beta/models/gemini-2.5-flash:generateContent",
      headers: { "x-goog-api-key": "gemini-key" },
    });
  });

  it("kimi: answers the tool calls of the service and stops after three rounds", async () => {
    const { web, server } = await withService("kimi", (_request, response) =>
      response.end(
        JSON.stringify({
          choices: [
            {
              message: {
                role: "assistant",
                content: "",
                tool_calls: [
                  { id: "t1", function: { name: "$web_search", arguments: '{"url":"https://b.example/"}' } },
                ],
              },
            },
          ],
          search_results: [{ title: "A", url: "https://a.example/", content: "c" }],
        }),
      ),
    );
    const text = textOf(await search(web));
    expect(text).toContain("https://a.example/");
    expect(text).toContain("https://b.example/");
    expect(server.requests.length).toBe(3);
    const messages = bodyOf(server, 1).messages as { role: string; tool_call_id?: string }[];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(messages[2]).toMatchObject({ tool_call_id: "t1" });
  });

  it("perplexity by chat: through OpenRouter with its key, other filters refused", async () => {
    const server = await startTestServer((_request, response) =>
      response.end(
        JSON.stringify({ choices: [{ message: { content: "a" } }], citations: ["https://a.example/"] }),
      ),
    );
    servers.push(server);
    const web = makeTestWeb(new Map([["https://openrouter.ai", server.url("", "or.test")]]));
    web.settings.env.OPENROUTER_API_KEY = "sk-or-x";
    expect(textOf(await search(web, { freshness: "week" }))).toContain("https://a.example/");
    expect(server.requests[0]?.url).toBe("/api/v1/chat/completions");
    expect(bodyOf(server)).toMatchObject({ model: "perplexity/sonar-pro", search_recency_filter: "week" });
    expect(detailsOf(await search(web, { country: "US" }))).toMatchObject({ error: "unsupported_country" });
  });

  it("duckduckgo: the page for browsers, advertisements left out, a robot test named", async () => {
    const { web, server } = await withService("duckduckgo");
    const text = textOf(await search(web, { region: "us-en", safeSearch: "off" }));
    expect(text).toContain("1. Tides & moon\nhttps://tides.example/a\nAbout tides");
    expect(text).not.toContain("Ad");
    const url = new URL(server.requests[0]?.url ?? "", "http://x");
    expect(Object.fromEntries(url.searchParams)).toEqual({ q: "潮汐 tides", kl: "us-en", kp: "-2" });
    await expect(search(web, { unknown: 1 })).rejects.toThrow(/unknown/i);
    const robot = await withService("duckduckgo", (_q, response) =>
      response.end('<form id="challenge-form">'),
    );
    await expect(search(robot.web)).rejects.toThrow(/bot/);
  });
});
