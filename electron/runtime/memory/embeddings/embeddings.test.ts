/** Searching by meaning: a local server plays each service in its published form, and everything that goes wrong. */

import { mkdir, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { embeddingProviderIds } from "../../../../shared/memory/index.ts";
import { startTestServer, type TestServer } from "../../net/testServer.ts";
import { makeTestMemory, type TestMemory } from "../testMemory.ts";
import { embeddingFixtures, meaningOf } from "./embeddingFixtures.ts";

let memory: TestMemory;
let server: TestServer;
let problems: unknown[];
let embedded: { texts: string[]; kind: string | null }[];
/** What happens to a request; gives true when it was answered. */
let trouble: (response: ServerResponse, nth: number, isQuery: boolean) => boolean;
let provider: (typeof embeddingProviderIds)[number];

beforeEach(async () => {
  problems = [];
  embedded = [];
  trouble = () => false;
  provider = "openai";
  let nth = 0;
  server = await startTestServer((request, response) => {
    try {
      const fixture = embeddingFixtures[provider];
      expect(request.method).toBe("POST");
      expect(request.url).toBe(fixture.path);
      const sent = fixture.read(JSON.parse(request.text), request.headers);
      embedded.push(sent);
      nth += 1;
      const isQuery = sent.texts.length === 1 && sent.texts[0]?.startsWith("where") === true;
      if (trouble(response, nth, isQuery)) return;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(fixture.answer(sent.texts.map(meaningOf))));
    } catch (error) {
      problems.push(error);
      response.statusCode = 400;
      response.end("{}");
    }
  });
  memory = await makeTestMemory({
    limits: { retryFirstMs: 1, queryTimeoutMs: 2000, batchTimeoutMs: 2000, pauseMs: 60_000 },
  });
  await write("memory/a.md", "A feline slept on the roof.");
  await write("memory/b.md", "The vessel left the harbour.");
  await write("memory/c.md", "Heavy storm tomorrow.");
});
afterEach(async () => {
  await memory.remove();
  await server.close();
  expect(problems).toEqual([]);
});

async function write(file: string, text: string): Promise<void> {
  const absolute = path.join(memory.workspaceOf(), file);
  await mkdir(path.dirname(absolute), { recursive: true });
  await writeFile(absolute, text);
}
const setUp = (more: Record<string, unknown> = {}) => {
  const base = `http://127.0.0.1:${server.port}${provider === "ollama" ? "" : "/v1"}`;
  Object.assign(memory.settings.env, embeddingFixtures[provider].env);
  memory.settings.config = {
    agents: {
      defaults: {
        memorySearch: {
          provider: provider === "ollama" ? "ollama" : "auto",
          remote: { baseUrl: base },
          ...more,
        },
      },
    },
  };
};
const search = (query: string) => memory.call("memory_search", { query });
const refuse =
  (
    status: number,
    headers: Record<string, string> = {},
    body = '{"error":{"message":"no sk-test-openai"}}',
  ) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers);
    response.end(body);
    return true;
  };

describe("each service", () => {
  it.each(embeddingProviderIds)("%s finds what means the same in other words", async (id) => {
    provider = id;
    setUp();
    const found = await search("where is the kitten");
    expect(found).toMatchObject({ provider: id, mode: "hybrid", model: expect.any(String) });
    expect(found.results[0]?.path).toBe("memory/a.md");
    expect(found.index).toMatchObject({ embedded: 3, isComplete: true });
    const kinds = embedded.map((one) => one.kind);
    if (kinds.some((kind) => kind !== null)) expect(new Set(kinds)).toEqual(new Set(["document", "query"]));
  });
});

describe("the index of meanings", () => {
  it("asks once per passage and query, and takes vectors along when the index is built anew", async () => {
    setUp();
    await search("where is the boat");
    await search("where is the boat");
    expect(embedded.flatMap((one) => one.texts).sort()).toHaveLength(4);
    setUp({ chunking: { tokens: 300, overlap: 10 } });
    expect((await search("where is the boat")).results[0]?.path).toBe("memory/b.md");
    expect(embedded.filter((one) => one.texts.some((text) => !text.startsWith("where")))).toHaveLength(1);
  });

  it("ranks a find both ways above a find one way", async () => {
    await write("memory/d.md", "Another feline, called Tabitha, likes the garden.");
    setUp();
    const found = await search("where is Tabitha the cat");
    expect(found.results[0]?.path).toBe("memory/d.md");
    expect(found.results.map((result) => result.path)).toContain("memory/a.md");
  });

  it("sends batches of bounded size", async () => {
    await write("memory/long.md", `${"long text about a ship ".repeat(60)}\n`.repeat(40));
    setUp();
    await search("where is the ship");
    for (const { texts } of embedded) expect(texts.join("").length).toBeLessThanOrEqual(8000);
    expect(embedded.length).toBeGreaterThan(5);
  });

  it("lets old daily notes sink when notes age", async () => {
    await write("memory/1969-01-01.md", "a boat");
    await write("memory/1970-01-01.md", "a boat");
    setUp({ query: { hybrid: { temporalDecay: { enabled: true } } } });
    const paths = (await search("boat")).results.map((result) => result.path);
    expect(paths.indexOf("memory/1970-01-01.md")).toBeLessThan(
      paths.includes("memory/1969-01-01.md") ? paths.indexOf("memory/1969-01-01.md") : 99,
    );
  });
});

describe("a service in trouble", () => {
  const expectKeywords = async (said: RegExp) => {
    const found = await search("vessel");
    expect(found).toMatchObject({ mode: "fts-only", provider: "none" });
    expect(found.results.map((result) => result.path)).toEqual(["memory/b.md"]);
    expect(found.notes?.join(" ")).toMatch(said);
    expect(JSON.stringify(found)).not.toContain("sk-test-openai");
    return found;
  };

  it("that rejects the key leaves the search by keywords, and is not asked again", async () => {
    setUp();
    trouble = refuse(401);
    await expectKeywords(/status 401\. The key is wrong.*keywords only/);
    expect(server.requests).toHaveLength(1);
    await expectKeywords(/status 401/);
    expect(server.requests).toHaveLength(1);
  });

  it("that limits the rate is tried again, then its hint is passed on", async () => {
    setUp();
    trouble = (response, nth) => nth < 3 && refuse(429, { "retry-after": "0" })(response);
    expect(await search("where is the vessel")).toMatchObject({ mode: "hybrid" });
    await memory.remove();
    memory = await makeTestMemory({ limits: { retryFirstMs: 1 } });
    await write("memory/b.md", "The vessel left the harbour.");
    setUp();
    let asked = 0;
    trouble = (response) => {
      asked += 1;
      return refuse(429, { "retry-after": asked === 3 ? "7" : "0" })(response);
    };
    await expectKeywords(/status 429.*wait 7 seconds/);
  });

  it("that fails is tried three times", async () => {
    setUp();
    trouble = refuse(500);
    await expectKeywords(/status 500.*try again later/);
    expect(server.requests).toHaveLength(3);
  });

  it("that does not answer in time is given up", async () => {
    setUp();
    trouble = () => true;
    await expectKeywords(/did not answer within 2 seconds/);
  });

  it.each([
    ["no JSON", "<html>welcome</html>", /no JSON/],
    ["too few embeddings", '{"data":[]}', /without one embedding per text/],
    [
      "no numbers",
      '{"data":[{"index":0,"embedding":["x"]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}',
      /no numbers/,
    ],
    [
      "strange indexes",
      '{"data":[{"index":7,"embedding":[1]},{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]}',
      /without one embedding/,
    ],
    [
      "different sizes",
      '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]},{"index":2,"embedding":[1]}]}',
      /different sizes/,
    ],
    [
      "zeros",
      '{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]},{"index":2,"embedding":[1,1]}]}',
      /nothing but zeros/,
    ],
  ])("that answers with %s is not believed", async (_what, body, said) => {
    setUp();
    trouble = (response) => {
      response.end(body);
      return true;
    };
    await expectKeywords(said);
  });

  it("that answers without end is cut off", async () => {
    setUp();
    trouble = (response) => {
      const block = Buffer.alloc(1024 * 1024, 0x20);
      let sent = 0;
      const more = () => {
        while (sent < 40 && !response.destroyed) {
          sent += 1;
          if (!response.write(block)) return void response.once("drain", more);
        }
        response.end();
      };
      response.on("error", () => {});
      more();
      return true;
    };
    await expectKeywords(/more than 32 MiB/);
  });

  it("that is not there is said to refuse connections", async () => {
    setUp();
    const { port } = server;
    await server.close();
    await expectKeywords(/refuses connections/);
    server = await startTestServer((_request, response) => response.end(), "127.0.0.1", port);
  });

  it("for the query alone leaves the meanings for the next time", async () => {
    setUp();
    trouble = (response, _nth, isQuery) => isQuery && refuse(400)(response);
    const found = await search("where is the vessel");
    expect(found).toMatchObject({ mode: "fts-only", index: { embedded: 3 } });
    expect(found.notes?.join()).toMatch(/status 400.*keywords only/);
  });

  it("makes the search unavailable with the rule off, as in the reference", async () => {
    memory.settings.hardening = new Set(
      [...memory.settings.hardening].filter((rule) => rule !== "memory.keywordsWithoutEmbeddings"),
    );
    setUp();
    trouble = (response, _nth, isQuery) => isQuery && refuse(429, { "retry-after": "0" })(response);
    expect(await search("where is the vessel")).toMatchObject({
      unavailable: true,
      warning: expect.stringContaining("quota"),
    });
  });
});

describe("the choice of a service", () => {
  it("goes to the fallback when the first has no key", async () => {
    provider = "mistral";
    setUp({ provider: "openai", fallback: "mistral" });
    const found = await search("where is the kitten");
    expect(found).toMatchObject({ provider: "mistral", fallback: { from: "openai" } });
  });

  it("goes to the fallback once the first has failed", async () => {
    Object.assign(memory.settings.env, embeddingFixtures.mistral.env);
    provider = "voyage";
    setUp({ provider: "voyage", fallback: "mistral" });
    trouble = refuse(500);
    expect(await search("vessel")).toMatchObject({ mode: "fts-only" });
    provider = "mistral";
    trouble = () => false;
    const found = await search("where is the kitten");
    expect(found).toMatchObject({ provider: "mistral", mode: "hybrid", fallback: { from: "voyage" } });
    expect(found.results[0]?.path).toBe("memory/a.md");
  });

  it("says that a named one has no key, is unknown, or has a key that cannot be resolved", async () => {
    const notesFor = async (memorySearch: unknown) => {
      memory.settings.config = { agents: { defaults: { memorySearch } } };
      return (await search("vessel")).notes?.join(" ");
    };
    expect(await notesFor({ provider: "voyage" })).toMatch(/Voyage has no key .*VOYAGE_API_KEY/);
    expect(await notesFor({ provider: "local" })).toMatch(/"local" are not built here/);
    const missing = { source: "env", provider: "default", id: "NO_SUCH_VARIABLE" };
    expect(await notesFor({ provider: "openai", remote: { apiKey: missing } })).toMatch(
      /NO_SUCH_VARIABLE.*keywords/s,
    );
    expect(server.requests).toEqual([]);
  });

  it("takes the key of an agent over that of all", async () => {
    setUp();
    memory.settings.config = {
      agents: {
        defaults: {
          memorySearch: { remote: { apiKey: "wrong", baseUrl: `http://127.0.0.1:${server.port}/v1` } },
        },
        list: [{ id: "main", memorySearch: { remote: { apiKey: "sk-test-openai" } } }],
      },
    };
    expect(await search("where is the vessel")).toMatchObject({ mode: "hybrid" });
  });
});
