/** Reads `memorySearch` of the config for one agent, with every default and limit in one place. */

import { asRecord, getIn, getRecord } from "../policy/configRecord.ts";
import { normalizeAgentId } from "../policy/index.ts";
import { agentScopes } from "../policy/scopes.ts";
import type { CitationMode } from "./citation.ts";

export const embeddingProviderIds = ["openai", "gemini", "voyage", "mistral", "ollama"] as const;
export type EmbeddingProviderId = (typeof embeddingProviderIds)[number];

/** `unknown`: a name that is none of ours, kept so that the answer can name it. */
export type ProviderChoice =
  | { kind: "auto" }
  | { kind: "none" }
  | { kind: "named"; id: EmbeddingProviderId }
  | { kind: "unknown"; name: string };

export interface MemorySettings {
  isEnabled: boolean;
  /** As written; relative ones start at the workspace. */
  extraPaths: readonly string[];
  wantsSessions: boolean;
  provider: ProviderChoice;
  fallback: ProviderChoice;
  model: string | null;
  outputDimensionality: number | null;
  remote: {
    baseUrl: string | null;
    /** Text or a reference to a secret; undefined: none. */
    apiKey: unknown;
    headers: Readonly<Record<string, string>>;
  };
  /** As written, with `{agentId}`; null: the usual place. */
  storePath: string | null;
  usesVectors: boolean;
  chunkTokens: number;
  chunkOverlap: number;
  sync: { onSearch: boolean; watch: boolean; watchDebounceMs: number; intervalMinutes: number };
  query: {
    maxResults: number;
    minScore: number;
    isHybrid: boolean;
    /** Both sum up to 1. */
    vectorWeight: number;
    textWeight: number;
    candidateMultiplier: number;
    mmrLambda: number | null;
    halfLifeDays: number | null;
  };
  cache: { isEnabled: boolean; maxEntries: number | null };
  citations: CitationMode;
  /** `builtin`, or the name of one that is not built here. */
  backend: string;
}

type Values = Readonly<Record<string, unknown>>;

/** @returns the block of the agent over that of the defaults, key by key; lists of `extraPaths` joined */
export function resolveMemorySettings(config: unknown, agentId: string): MemorySettings {
  const shared = getRecord(config, "agents", "defaults", "memorySearch") ?? {};
  const own = getRecord(agentScopes(config).get(normalizeAgentId(agentId))?.entry, "memorySearch") ?? {};
  const merged = mergeRecords(shared, own);
  const at = (...keys: string[]) => getIn(merged, ...keys);
  const vectorWeight = within(at("query", "hybrid", "vectorWeight"), 0, 1, 0.7);
  const textWeight = within(at("query", "hybrid", "textWeight"), 0, 1, 0.3);
  const weights = vectorWeight + textWeight;
  const chunkTokens = whole(at("chunking", "tokens"), 1, 32_000, 400);
  const headers = asRecord(at("remote", "headers")) ?? {};
  const citations = getIn(config, "memory", "citations");
  const sources = at("sources");
  const maxEntries = at("cache", "maxEntries");
  const dimensions = at("outputDimensionality");
  return {
    isEnabled: at("enabled") !== false,
    extraPaths: [...new Set([...texts(shared.extraPaths), ...texts(own.extraPaths)])],
    wantsSessions: Array.isArray(sources) && sources.includes("sessions"),
    provider: choice(at("provider"), "auto"),
    fallback: choice(at("fallback"), "none"),
    model: text(at("model")),
    outputDimensionality: typeof dimensions === "number" && dimensions > 0 ? Math.trunc(dimensions) : null,
    remote: {
      baseUrl: text(at("remote", "baseUrl")),
      apiKey: at("remote", "apiKey"),
      headers: Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          typeof value === "string" ? [[name.toLowerCase(), value]] : [],
        ),
      ),
    },
    storePath: text(at("store", "path")),
    usesVectors: at("store", "vector", "enabled") !== false,
    chunkTokens,
    chunkOverlap: whole(at("chunking", "overlap"), 0, chunkTokens - 1, Math.min(80, chunkTokens - 1)),
    sync: {
      onSearch: at("sync", "onSearch") !== false,
      watch: at("sync", "watch") !== false,
      watchDebounceMs: whole(at("sync", "watchDebounceMs"), 0, 600_000, 1500),
      intervalMinutes: within(at("sync", "intervalMinutes"), 0, 1440, 0),
    },
    query: {
      maxResults: whole(at("query", "maxResults"), 1, maxResultsLimit, 6),
      minScore: within(at("query", "minScore"), 0, 1, 0.35),
      isHybrid: at("query", "hybrid", "enabled") !== false,
      vectorWeight: weights > 0 ? vectorWeight / weights : 0.7,
      textWeight: weights > 0 ? textWeight / weights : 0.3,
      candidateMultiplier: whole(at("query", "hybrid", "candidateMultiplier"), 1, 20, 4),
      mmrLambda:
        at("query", "hybrid", "mmr", "enabled") === true
          ? within(at("query", "hybrid", "mmr", "lambda"), 0, 1, 0.7)
          : null,
      halfLifeDays:
        at("query", "hybrid", "temporalDecay", "enabled") === true
          ? within(at("query", "hybrid", "temporalDecay", "halfLifeDays"), 0.01, 36_500, 30)
          : null,
    },
    cache: {
      isEnabled: at("cache", "enabled") !== false,
      maxEntries: typeof maxEntries === "number" && maxEntries > 0 ? Math.trunc(maxEntries) : null,
    },
    citations: citations === "on" || citations === "off" ? citations : "auto",
    backend: text(getIn(config, "memory", "backend")) ?? "builtin",
  };
}

/** No search lists more. */
export const maxResultsLimit = 50;
const maxMergeDepth = 8;

function mergeRecords(base: Values, over: Values, depth = 0): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const [below, above] = [asRecord(merged.get(key)), asRecord(value)];
    // A reference to a secret is one value: half of another one would be a wrong name.
    const isDeep = below !== undefined && above !== undefined && key !== "apiKey" && depth < maxMergeDepth;
    merged.set(key, isDeep ? mergeRecords(below, above, depth + 1) : value);
  }
  const record: Record<string, unknown> = Object.create(null);
  for (const [key, value] of merged) record[key] = value;
  return record;
}

function choice(value: unknown, absent: "auto" | "none"): ProviderChoice {
  const name = text(value)?.toLowerCase() ?? absent;
  if (name === "auto") return { kind: "auto" };
  if (name === "none") return { kind: "none" };
  const known = embeddingProviderIds.find((id) => id === name);
  return known === undefined ? { kind: "unknown", name } : { kind: "named", id: known };
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value)
    ? value.flatMap((item) => (typeof item === "string" && item.trim() !== "" ? [item.trim()] : []))
    : [];
}

function within(value: unknown, low: number, high: number, absent: number): number {
  return typeof value === "number" && Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : absent;
}

function whole(value: unknown, low: number, high: number, absent: number): number {
  return Math.trunc(within(value, low, high, absent));
}
