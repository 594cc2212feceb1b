/** How each embeddings service is asked and answers, as published. */

import { joinUrl } from "../../net/serviceUrl.ts";
import type { EmbeddingSetup } from "../memoryTypes.ts";

export type EmbeddingKind = "query" | "document";

export interface EmbeddingService {
  label: string;
  baseUrl: string;
  model: string;
  /** Longest single text; the rest of a longer one is not embedded. One token has at least one byte. */
  maxTextBytes: number;
  needsKey: boolean;
  env: readonly string[];
  /** Its names under `models.providers`. */
  configNames: readonly string[];
  request(setup: EmbeddingSetup, texts: readonly string[], kind: EmbeddingKind): ServiceCall;
  /** @returns one list per text in order, or null when the answer has another shape */
  read(answer: unknown, count: number): unknown[] | null;
}

export interface ServiceCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

const bearer = (key: string): Record<string, string> =>
  key === "" ? {} : { authorization: `Bearer ${key}` };

/** `{data: [{index, embedding}]}` in any order: OpenAI, Voyage, Mistral and what speaks their form. */
function readIndexed(answer: unknown, count: number): unknown[] | null {
  const data = fieldOf(answer, "data");
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors: unknown[] = new Array(count).fill(undefined);
  for (const [at, item] of data.entries()) {
    const index = fieldOf(item, "index");
    vectors[typeof index === "number" ? index : at] = fieldOf(item, "embedding");
  }
  return vectors.length === count && vectors.every((vector) => vector !== undefined) ? vectors : null;
}

export const embeddingServices: Readonly<Record<EmbeddingSetup["id"], EmbeddingService>> = {
  openai: {
    label: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    model: "text-embedding-3-small",
    maxTextBytes: 8000,
    needsKey: true,
    env: ["OPENAI_API_KEY"],
    configNames: ["openai"],
    request: (setup, texts) => ({
      url: joinUrl(setup.baseUrl, "embeddings"),
      headers: bearer(setup.key),
      body: {
        model: setup.model,
        input: texts,
        ...(setup.dimensions === null ? {} : { dimensions: setup.dimensions }),
      },
    }),
    read: readIndexed,
  },
  gemini: {
    label: "Gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-embedding-001",
    maxTextBytes: 2048,
    needsKey: true,
    env: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    configNames: ["gemini", "google"],
    request: (setup, texts, kind) => {
      const model = setup.model.startsWith("models/") ? setup.model : `models/${setup.model}`;
      return {
        url: joinUrl(setup.baseUrl, `${model}:batchEmbedContents`),
        headers: { "x-goog-api-key": setup.key },
        body: {
          requests: texts.map((text) => ({
            model,
            content: { parts: [{ text }] },
            taskType: kind === "query" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT",
            ...(setup.dimensions === null ? {} : { outputDimensionality: setup.dimensions }),
          })),
        },
      };
    },
    read(answer, count) {
      const list = fieldOf(answer, "embeddings");
      return Array.isArray(list) && list.length === count ? list.map((one) => fieldOf(one, "values")) : null;
    },
  },
  voyage: {
    label: "Voyage",
    baseUrl: "https://api.voyageai.com/v1",
    model: "voyage-4-large",
    maxTextBytes: 32_000,
    needsKey: true,
    env: ["VOYAGE_API_KEY"],
    configNames: ["voyage"],
    request: (setup, texts, kind) => ({
      url: joinUrl(setup.baseUrl, "embeddings"),
      headers: bearer(setup.key),
      body: {
        model: setup.model,
        input: texts,
        input_type: kind,
        ...(setup.dimensions === null ? {} : { output_dimension: setup.dimensions }),
      },
    }),
    read: readIndexed,
  },
  mistral: {
    label: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    model: "mistral-embed",
    maxTextBytes: 8000,
    needsKey: true,
    env: ["MISTRAL_API_KEY"],
    configNames: ["mistral"],
    request: (setup, texts) => ({
      url: joinUrl(setup.baseUrl, "embeddings"),
      headers: bearer(setup.key),
      body: { model: setup.model, input: texts },
    }),
    read: readIndexed,
  },
  ollama: {
    label: "Ollama",
    baseUrl: "http://127.0.0.1:11434",
    model: "nomic-embed-text",
    maxTextBytes: 8000,
    needsKey: false,
    env: ["OLLAMA_API_KEY"],
    configNames: ["ollama"],
    request: (setup, texts) => ({
      url: joinUrl(setup.baseUrl.replace(/\/v1\/?$/, ""), "api/embed"),
      headers: bearer(setup.key),
      body: { model: setup.model, input: texts },
    }),
    read(answer, count) {
      const list = fieldOf(answer, "embeddings");
      return Array.isArray(list) && list.length === count ? list : null;
    },
  },
};

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}
