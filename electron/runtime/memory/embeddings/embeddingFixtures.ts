/** For tests: the published form of each embeddings service, checked on the way in and made on the way out. */

import { expect } from "vitest";
import type { EmbeddingProviderId } from "../../../../shared/memory/index.ts";

export interface EmbeddingFixture {
  /** Where the format is published. */
  source: string;
  env: Record<string, string>;
  path: string;
  /** Checks a request and gives its texts with what kind they were sent as; null: the format has no kinds. */
  read(
    body: Record<string, unknown>,
    headers: Record<string, unknown>,
  ): { texts: string[]; kind: string | null };
  answer(vectors: number[][]): unknown;
}

const listAnswer = (model: string) => (vectors: number[][]) => ({
  object: "list",
  // Out of order on purpose: the index counts.
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse(),
  model,
  usage: { prompt_tokens: 8, total_tokens: 8 },
});

export const embeddingFixtures: Readonly<Record<EmbeddingProviderId, EmbeddingFixture>> = {
  openai: {
    source: "platform.openai.com, API reference, POST /v1/embeddings",
    env: { OPENAI_API_KEY: "sk-test-openai" },
    path: "/v1/embeddings",
    read(body, headers) {
      expect(headers.authorization).toBe("Bearer sk-test-openai");
      expect(body).toEqual({ model: "text-embedding-3-small", input: expect.any(Array) });
      return { texts: body.input as string[], kind: null };
    },
    answer: listAnswer("text-embedding-3-small"),
  },
  gemini: {
    source: "ai.google.dev, Gemini API reference, models.batchEmbedContents",
    env: { GEMINI_API_KEY: "gm-test-gemini" },
    path: "/v1/models/gemini-embedding-001:batchEmbedContents",
    read(body, headers) {
      expect(headers["x-goog-api-key"]).toBe("gm-test-gemini");
      const requests = body.requests as {
        model: string;
        taskType: string;
        content: { parts: { text: string }[] };
      }[];
      for (const request of requests) expect(request.model).toBe("models/gemini-embedding-001");
      const kind = requests[0]?.taskType === "RETRIEVAL_QUERY" ? "query" : "document";
      return { texts: requests.map((request) => request.content.parts[0]?.text ?? ""), kind };
    },
    answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  },
  voyage: {
    source: "docs.voyageai.com, API reference, POST /v1/embeddings",
    env: { VOYAGE_API_KEY: "vo-test-voyage" },
    path: "/v1/embeddings",
    read(body, headers) {
      expect(headers.authorization).toBe("Bearer vo-test-voyage");
      expect(body).toEqual({
        model: "voyage-4-large",
        input: expect.any(Array),
        input_type: expect.any(String),
      });
      return { texts: body.input as string[], kind: String(body.input_type) };
    },
    answer: listAnswer("voyage-4-large"),
  },
  mistral: {
    source: "docs.mistral.ai, API, POST /v1/embeddings",
    env: { MISTRAL_API_KEY: "mi-test-mistral" },
    path: "/v1/embeddings",
    read(body, headers) {
      expect(headers.authorization).toBe("Bearer mi-test-mistral");
      expect(body).toEqual({ model: "mistral-embed", input: expect.any(Array) });
      return { texts: body.input as string[], kind: null };
    },
    answer: listAnswer("mistral-embed"),
  },
  ollama: {
    source: "docs.ollama.com, API, POST /api/embed",
    env: {},
    path: "/api/embed",
    read(body, headers) {
      expect(headers.authorization).toBeUndefined();
      expect(body).toEqual({ model: "nomic-embed-text", input: expect.any(Array) });
      return { texts: body.input as string[], kind: null };
    },
    answer: (vectors) => ({
      model: "nomic-embed-text",
      embeddings: vectors,
      total_duration: 1,
      load_duration: 1,
    }),
  },
};

/** Meaning in three axes: animals, boats, weather; words that are spelled nothing alike can lie close together. */
export function meaningOf(text: string): number[] {
  const axes = [/cat|feline|kitten|猫/gi, /boat|vessel|ship/gi, /rain|storm|weather/gi];
  const values = axes.map((axis) => (text.match(axis)?.length ?? 0) + 0.01);
  return values;
}
