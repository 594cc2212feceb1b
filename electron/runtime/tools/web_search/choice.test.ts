import { afterEach, describe, expect, it } from "vitest";
import { detailsOf, makeTestWeb, textOf } from "../web/testWeb.ts";
import { providerFixtures } from "./providerFixtures.ts";
import { searchProviders } from "./providers/index.ts";
import { search, servers, withService } from "./testSearch.ts";

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
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
