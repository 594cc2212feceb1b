/** Chunks, queries, scores and settings of notes. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allMemoryHardening,
  allOf,
  chunkMarkdown,
  citationOf,
  type Find,
  foldText,
  indexTerms,
  keywordScore,
  parseQuery,
  type RankOptions,
  rankFinds,
  resolveMemorySettings,
  showsCitations,
  weightedLength,
} from "./index.ts";

describe("chunks", () => {
  it("hold every line in order, within the size, for any text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 90 }), { maxLength: 60 }),
        fc.integer({ min: 8, max: 60 }),
        (lines, tokens) => {
          const text = lines.map((line) => line.replaceAll("\n", " ")).join("\n");
          const chunks = chunkMarkdown(text, { tokens, overlap: 0 });
          // Parts of one line stand in chunks of their own without a line break of the note between them.
          expect(
            chunks
              .map((chunk) => chunk.text)
              .join("")
              .replaceAll("\n", ""),
          ).toBe(text.replaceAll("\n", ""));
          for (const chunk of chunks) {
            expect(weightedLength(chunk.text)).toBeLessThanOrEqual(Math.max(32, tokens * 4) + 4);
            expect(chunk.startLine).toBeLessThanOrEqual(chunk.endLine);
          }
        },
      ),
      { seed: 11, numRuns: 200 },
    );
  });

  it("count dense letters as a token each and cut no surrogate pair", () => {
    expect(weightedLength("a漢𠀀")).toBe(9);
    const chunks = chunkMarkdown("𠀀".repeat(300), { tokens: 31, overlap: 0 });
    expect(chunks.map((chunk) => chunk.text).join("")).toContain("𠀀𠀀");
    for (const { text } of chunks) expect(text.isWellFormed()).toBe(true);
  });

  it("overlap by whole lines in the reference, by the configured size with the rule", () => {
    const text = "x".repeat(300);
    const options = { tokens: 25, overlap: 5 };
    expect(chunkMarkdown(text, options)[1]?.text).toHaveLength(201);
    const bounded = chunkMarkdown(text, { ...options, hardening: allMemoryHardening });
    expect(bounded[1]?.text).toHaveLength(121);
  });
});

describe("spelling", () => {
  it.each([
    ["Ｃａｆé", "cafe"],
    ["ÅNGSTRÖM", "angstrom"],
    ["がき", "がき"],
    ["한글", "한글"],
    ["👩‍💻👍🏽", "👩💻👍"],
    ["soft\u00adhyphen", "softhyphen"],
  ])("%s is folded to %s", (text, folded) => expect(foldText(text)).toBe(folded));

  it("keeps words for the index, runs of dense letters by pairs", () => {
    expect([...indexTerms(foldText("Don't use snake_case, 猫と犬 🚀!"))]).toEqual([
      "don",
      "t",
      "use",
      "snake_case",
      "猫",
      "猫と",
      "と",
      "と犬",
      "犬",
      "🚀",
    ]);
  });
});

describe("queries", () => {
  const texts = (query: string, hardening: ReadonlySet<string> = allMemoryHardening) =>
    parseQuery(query, hardening).terms.map((term) => term.text);

  it("lose stop words of seven languages while others are left", () => {
    expect(texts("what did we say about the harbour")).toEqual(["say", "harbour"]);
    expect(texts("the who")).toEqual(["the", "who"]);
    expect(texts("donde esta el puerto")).toEqual(["puerto"]);
  });

  it("keep short words and numbers with the rule, not in the reference", () => {
    expect(texts("AI on port 80")).toEqual(["ai", "port", "80"]);
    expect(texts("AI on port 80", new Set())).toEqual(["port"]);
  });

  it("never hold anything that an expression could be broken with, and stay few", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (query) => {
        const { terms } = parseQuery(query, allMemoryHardening);
        expect(terms.length).toBeLessThanOrEqual(24);
        for (const term of terms) {
          for (const part of [...term.words, ...term.trigrams]) {
            expect(part).not.toMatch(/["\s\0]/);
            expect(part).not.toBe("");
          }
        }
      }),
      { seed: 5, numRuns: 500 },
    );
    expect(allOf(['a"b', "c"])).toBe('"a""b" AND "c"');
    expect(parseQuery("x ".repeat(3000), allMemoryHardening).terms).toHaveLength(1);
  });
});

describe("scores of words", () => {
  const score = (text: string, query: string, hardening = allMemoryHardening) => {
    const { terms } = parseQuery(query, hardening);
    const corpus = { chunks: 10, averageChars: 40, frequency: new Map(terms.map((term) => [term.text, 2])) };
    return keywordScore(foldText(text), terms, corpus, hardening).score;
  };

  it("grow with finds and words, and count parts of words for less", () => {
    expect(score("a cat", "cat dog")).toBeLessThan(score("a cat and a dog", "cat dog"));
    expect(score("concatenated", "cat")).toBeLessThan(score("a cat is here", "cat"));
    expect(score("nothing", "cat")).toBe(0);
    expect(score("cat dog", "cat dog", new Set())).toBeCloseTo(score("cat dog", "cat", new Set()));
  });

  it("say where the find is", () => {
    const { terms } = parseQuery("fox", allMemoryHardening);
    const corpus = { chunks: 3, averageChars: 9, frequency: new Map([["fox", 1]]) };
    expect(keywordScore("one fox", terms, corpus, allMemoryHardening)).toMatchObject({ at: 4, matched: 1 });
  });
});

describe("the order of finds", () => {
  const nowMs = Date.UTC(2026, 0, 31);
  const options: RankOptions = {
    mode: "hybrid",
    maxResults: 6,
    minScore: 0.35,
    vectorWeight: 0.7,
    textWeight: 0.3,
    halfLifeDays: null,
    mmrLambda: null,
    keepsKeywordFinds: true,
    nowMs,
  };
  const find = (id: number, more: Partial<Find>): Find => ({
    id,
    path: `memory/${id}.md`,
    mtimeMs: 0,
    text: `text ${id}`,
    vectorScore: null,
    textScore: null,
    ...more,
  });

  it("weighs both ways and drops what is under the threshold", () => {
    const ranked = rankFinds(
      [
        find(1, { vectorScore: 0.8 }),
        find(2, { vectorScore: 0.8, textScore: 0.5 }),
        find(3, { vectorScore: 0.2 }),
      ],
      options,
    );
    expect(ranked.map(({ id, score }) => [id, Number(score.toFixed(2))])).toEqual([
      [2, 0.71],
      [1, 0.56],
    ]);
  });

  it("shows weak finds by keyword rather than nothing, by rule", () => {
    const weak = [find(1, { textScore: 0.4 }), find(2, { vectorScore: 0.1 })];
    expect(rankFinds(weak, options).map(({ id }) => id)).toEqual([1]);
    expect(rankFinds(weak, { ...options, keepsKeywordFinds: false })).toEqual([]);
    expect(rankFinds(weak, { ...options, mode: "fts-only" }).map(({ id }) => id)).toContain(1);
  });

  it("lets daily notes age by their day, foreign ones by change, and others never", () => {
    const aged = { ...options, halfLifeDays: 30, minScore: 0 };
    const ranked = rankFinds(
      [
        find(1, { path: "memory/2026-01-01.md", vectorScore: 1 }),
        find(2, { path: "MEMORY.md", vectorScore: 1 }),
        find(3, { path: "memory/project.md", vectorScore: 1 }),
        find(4, { path: "/notes/x.md", mtimeMs: nowMs - 60 * 86_400_000, vectorScore: 1 }),
        find(5, { path: "memory/2026-02-31.md", vectorScore: 1 }),
      ],
      aged,
    );
    expect(new Map(ranked.map(({ id, score }) => [id, Number(score.toFixed(3))]))).toEqual(
      new Map([
        [2, 0.7],
        [3, 0.7],
        [5, 0.7],
        [1, 0.35],
        [4, 0.175],
      ]),
    );
  });

  it("prefers a different find to one that says the same again", () => {
    const same = { text: "the blue boat in the harbour", vectorScore: 0.9 };
    const finds = [
      find(1, same),
      find(2, { ...same, vectorScore: 0.89 }),
      find(3, { text: "青い船 別の話", vectorScore: 0.7 }),
    ];
    const ids = (mmrLambda: number | null) =>
      rankFinds(finds, { ...options, mmrLambda, maxResults: 2 }).map(({ id }) => id);
    expect(ids(null)).toEqual([1, 2]);
    expect(ids(0.5)).toEqual([1, 3]);
    expect(ids(1)).toEqual([1, 2]);
  });
});

describe("settings", () => {
  it("have the defaults of the reference", () => {
    expect(resolveMemorySettings({}, "main")).toMatchObject({
      isEnabled: true,
      provider: { kind: "auto" },
      fallback: { kind: "none" },
      chunkTokens: 400,
      chunkOverlap: 80,
      sync: { onSearch: true, watch: true, watchDebounceMs: 1500, intervalMinutes: 0 },
      query: { maxResults: 6, minScore: 0.35, vectorWeight: 0.7, textWeight: 0.3, candidateMultiplier: 4 },
      citations: "auto",
      backend: "builtin",
    });
  });

  it("take an agent's values key by key, join its extra paths, and keep to the limits", () => {
    const config = {
      agents: {
        defaults: {
          memorySearch: {
            extraPaths: ["a", "b"],
            query: { maxResults: 9, hybrid: { vectorWeight: 1, textWeight: 1 } },
            remote: { apiKey: { source: "env", provider: "default", id: "A" }, headers: { "X-One": "1" } },
          },
        },
        list: [
          {
            id: "Work",
            memorySearch: {
              extraPaths: ["b", "c"],
              query: { minScore: 7, hybrid: { candidateMultiplier: 99 } },
              remote: { apiKey: { source: "file", provider: "p", id: "/k" } },
            },
          },
        ],
      },
    };
    expect(resolveMemorySettings(config, "work")).toMatchObject({
      extraPaths: ["a", "b", "c"],
      query: { maxResults: 9, minScore: 1, vectorWeight: 0.5, textWeight: 0.5, candidateMultiplier: 20 },
      remote: { apiKey: { source: "file", provider: "p", id: "/k" }, headers: { "x-one": "1" } },
    });
  });

  it("survive any shape", () => {
    const hostile = JSON.parse(
      '{"agents":{"defaults":{"memorySearch":{"__proto__":{"enabled":false},"query":5,"chunking":{"tokens":"x"}}}}}',
    );
    expect(resolveMemorySettings(hostile, "main")).toMatchObject({ isEnabled: true, chunkTokens: 400 });
    expect(resolveMemorySettings(null, "constructor").isEnabled).toBe(true);
  });
});

describe("citations", () => {
  it("name one line or a range, where one person reads along", () => {
    expect(citationOf("MEMORY.md", 3, 3)).toBe("MEMORY.md#L3");
    expect(citationOf("MEMORY.md", 3, 9)).toBe("MEMORY.md#L3-L9");
    expect(showsCitations("auto", "agent:main:mcp:x")).toBe(true);
    expect(showsCitations("auto", "agent:main:telegram:group:7")).toBe(false);
    expect(showsCitations("auto", "agent:main:discord:channel:7")).toBe(false);
    expect(showsCitations("on", "agent:main:telegram:group:7")).toBe(true);
    expect(showsCitations("off", "agent:main:x")).toBe(false);
  });
});
