import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestServer, type TestHandler, type TestServer } from "../../net/testServer.ts";
import { detailsOf, makeTestWeb, type TestWeb, textOf } from "../web/testWeb.ts";
import { providerFixtures } from "./providerFixtures.ts";
import { searchProviders } from "./providers/index.ts";
import type { ProviderId } from "./searchTypes.ts";

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const ids = Object.keys(providerFixtures) as ProviderId[];

/** The web tools with one provider's service played locally. */
async function withService(
  id: ProviderId,
  handle?: TestHandler,
): Promise<{ web: TestWeb; server: TestServer }> {
  const fixture = providerFixtures[id];
  const good: TestHandler = (_request, response) => {
    const isText = typeof fixture.answer === "string";
    response.writeHead(200, { "content-type": isText ? "text/html" : "application/json" });
    response.end(isText ? fixture.answer : JSON.stringify(fixture.answer));
  };
  const server = await startTestServer(handle ?? good);
  servers.push(server);
  const web = makeTestWeb(new Map([[fixture.origin, server.url("", `${id}.test`)]]));
  Object.assign(web.settings.env, fixture.env);
  web.settings.config = { tools: { web: { search: { provider: id } } } };
  return { web, server };
}
const search = (web: TestWeb, args: Record<string, unknown> = {}) =>
  web.call("web_search", { query: "潮汐 tides", ...args });
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

describe("choice of the provider", () => {
  const chosen = (config: unknown, env: Record<string, string> = {}, hardening?: ReadonlySet<string>) => {
    const web = makeTestWeb();
    Object.assign(web.settings.env, env);
    if (hardening !== undefined) web.settings.hardening = hardening;
    return web.web.searchProviderOf(config)?.id ?? null;
  };
  const allKeys = Object.assign({}, ...Object.values(providerFixtures).map(({ env }) => env)) as Record<
    string,
    string
  >;

  it("goes by order among those with a key, and ends at the one without", () => {
    const left = { ...allKeys };
    const order: (string | null)[] = [];
    for (const { id } of searchProviders) {
      order.push(chosen({}, left));
      for (const name of Object.keys(providerFixtures[id].env)) delete left[name];
    }
    expect(order).toEqual([
      "brave",
      "gemini",
      "grok",
      "kimi",
      "perplexity",
      "firecrawl",
      "exa",
      "tavily",
      "duckduckgo",
    ]);
  });

  it("keeps to the configured one, is absent without its key, and present on the reference's preset", () => {
    const config = { tools: { web: { search: { provider: " Exa " } } } };
    expect(chosen(config, allKeys)).toBe("exa");
    expect(chosen(config)).toBeNull();
    expect(chosen(config, {}, new Set())).toBe("exa");
    expect(chosen({ tools: { web: { search: { provider: "constructor" } } } })).toBe("duckduckgo");
  });

  it("leaves out plugins that are off, denied, or have an entry that does not enable them", () => {
    expect(chosen({ plugins: { entries: { brave: {} } } }, allKeys)).toBe("gemini");
    expect(chosen({ plugins: { entries: { google: {} } } }, { GEMINI_API_KEY: "k" })).toBe("gemini");
    expect(chosen({ plugins: { entries: { google: { enabled: false } } } }, { GEMINI_API_KEY: "k" })).toBe(
      "duckduckgo",
    );
    expect(chosen({ plugins: { deny: ["duckduckgo"] } })).toBeNull();
    expect(chosen({ plugins: { enabled: false } }, allKeys)).toBeNull();
  });

  it("finds keys in the config before the environment, and resolves references", async () => {
    const { web, server } = await withService("exa");
    web.settings.env.MY_EXA = "ref-key";
    const withKey = (apiKey: unknown) => ({
      tools: { web: { search: { provider: "exa" } } },
      plugins: { entries: { exa: { enabled: true, config: { webSearch: { apiKey } } } } },
    });
    for (const key of ["text-key", `\${MY_EXA}`, { source: "env", provider: "default", id: "MY_EXA" }]) {
      web.settings.config = withKey(key);
      await search(web, { query: JSON.stringify(key) });
    }
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([
      "text-key",
      "ref-key",
      "ref-key",
    ]);
    web.settings.config = withKey({ source: "env", provider: "default", id: "MISSING_KEY" });
    await expect(search(web, { query: "other" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    web.settings.config = withKey("two\nlines");
    await expect(search(web, { query: "third" })).rejects.toThrow(/no key has/);
    expect(server.requests.length).toBe(3);
  });

  it("answers with the code of the missing key on the reference's preset", async () => {
    const web = makeTestWeb();
    web.settings.hardening = new Set();
    web.settings.config = { tools: { web: { search: { provider: "brave" } } } };
    expect(detailsOf(await search(web))).toMatchObject({ error: "missing_brave_api_key" });
  });

  it("keeps one schema object for one setup, so that lists of tools can be cached", async () => {
    const { web } = await withService("perplexity");
    const tool = web.web.tools[0];
    expect(tool?.input).toBe(tool?.input);
    const before = tool?.input;
    web.settings.config = {};
    expect(tool?.input).toBe(before);
    web.settings.config = { tools: { web: { search: { provider: "duckduckgo" } } } };
    expect(tool?.input).not.toBe(before);
  });
});

describe("cost", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      title: `Result ${index}: ${"a title with words ".repeat(4)}`,
      url: `https://site${index}.example/articles/2024/some-path`,
      description: "A long description of the page that goes on and on. ".repeat(12),
    }));

  it("of ten long results is 300 to 600 tokens, and the cut is stated", async () => {
    const { web } = await withService("brave", (_request, response) =>
      response.end(JSON.stringify({ web: { results: many(10) } })),
    );
    const result = await search(web, { count: 10 });
    expect(detailsOf(result).tokenEstimate).toBeGreaterThanOrEqual(300);
    expect(detailsOf(result).tokenEstimate).toBeLessThanOrEqual(600);
    expect(textOf(result)).toContain("Snippets are cut to 90 characters; web_fetch reads a page.");
  });

  it("is the reference's on its preset: each field wrapped, nothing cut", async () => {
    const { web } = await withService("brave", (_request, response) =>
      response.end(JSON.stringify({ web: { results: many(2) } })),
    );
    web.settings.hardening = new Set();
    const result = await search(web);
    expect(textOf(result).match(/<<<EXTERNAL_UNTRUSTED_CONTENT/g)?.length).toBe(4);
    expect(detailsOf(result)).toMatchObject({ count: 2, results: [{ siteName: "site0.example" }, {}] });
    expect(JSON.parse(textOf(result))).toEqual(result.details);
  });

  it("of a long answer is bounded, with the citations in the same wrapper", async () => {
    const { web } = await withService("grok", (_request, response) =>
      response.end(
        JSON.stringify({
          output: [{ content: [{ type: "output_text", text: "words ".repeat(10_000) }] }],
          citations: Array.from({ length: 50 }, (_, index) => `https://site${index}.example/`),
        }),
      ),
    );
    const result = await search(web);
    expect(textOf(result).length).toBeLessThan(15_000);
    expect(textOf(result)).toContain("20 of 50 citations");
  });
});
