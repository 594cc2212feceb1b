/** What the memory service and the engine behind it say to each other; plain data, since a worker may stand between. */

import type { EmbeddingProviderId } from "../../../shared/memory/index.ts";

/** An embeddings service, ready to be asked. */
export interface EmbeddingSetup {
  id: EmbeddingProviderId;
  model: string;
  /** http or https, without the path of the call. */
  baseUrl: string;
  /** Empty: the service wants none. */
  key: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** null: as the model gives it. */
  dimensions: number | null;
}

/** Everything about one agent's index. */
export interface IndexSettings {
  agentId: string;
  /** The SQLite file, absolute. */
  indexPath: string;
  /** Absolute. */
  workspace: string;
  /** Files and folders outside the usual places, absolute. */
  extraPaths: readonly string[];
  chunkTokens: number;
  chunkOverlap: number;
  watch: boolean;
  watchDebounceMs: number;
  intervalMinutes: number;
  embeddings: EmbeddingSetup | null;
  cache: { isEnabled: boolean; maxEntries: number | null };
  /** Rules that are on. */
  hardening: readonly string[];
  /** Limits that tests shorten; absent: the usual ones. */
  limits?: EmbeddingLimits;
}

export interface EmbeddingLimits {
  queryTimeoutMs?: number;
  batchTimeoutMs?: number;
  retryFirstMs?: number;
  /** How long a service that failed is left alone. */
  pauseMs?: number;
}

export interface SearchRequest {
  query: string;
  maxResults: number;
  minScore: number;
  vectorWeight: number;
  textWeight: number;
  candidateMultiplier: number;
  mmrLambda: number | null;
  halfLifeDays: number | null;
  /** Notes outside the workspace are left out. */
  ownNotesOnly: boolean;
  /** Looks for changed notes first. */
  syncs: boolean;
  /** Longest wait for the index; 0: takes what is there. */
  waitMs: number;
  maxSnippetChars: number;
  nowMs: number;
}

export interface Hit {
  id: number;
  /** Relative to the workspace with `/`, absolute outside of it. */
  path: string;
  startLine: number;
  endLine: number;
  score: number;
  textScore: number | null;
  snippet: string;
  /** The snippet is a part of its passage. */
  isCut: boolean;
  /** The note lies outside the workspace. */
  isForeign: boolean;
}

export type IndexPhase =
  | { kind: "idle" }
  | { kind: "listing" }
  | { kind: "reading"; filesDone: number; filesTotal: number }
  | { kind: "embedding"; chunksDone: number; chunksTotal: number };

export interface IndexState {
  phase: IndexPhase;
  /** The notes are indexed as they were when the question came, or as of the last change that was seen. */
  isCurrent: boolean;
  files: number;
  chunks: number;
  /** Passages that have a vector; null: no embeddings are in use. */
  embedded: number | null;
  /** What stopped the last sync; null: nothing. */
  problem: string | null;
  /** Why there are no or not all embeddings; null: nothing is wrong with them. */
  embeddingProblem: string | null;
  /** Files and folders that were left out, with the reason; at most `maxSkippedShown`. */
  skipped: readonly { path: string; why: string }[];
  skippedTotal: number;
  /** What happened to the index itself since the engine started: it was damaged, or built anew. */
  events: readonly string[];
}

export interface SearchAnswer {
  hits: Hit[];
  mode: "hybrid" | "fts-only";
  index: IndexState;
  /** Said to the caller as they are. */
  notices: string[];
}

export type EngineCall =
  | { kind: "search"; settings: IndexSettings; request: SearchRequest }
  | { kind: "sync"; settings: IndexSettings }
  | { kind: "state" };

export type ToEngine = { id: number; call: EngineCall } | { id: number; cancel: true };

export type FromEngine =
  | { id: number; kind: "progress"; state: IndexState }
  | { id: number; kind: "answer"; value: SearchAnswer | IndexState }
  | { id: number; kind: "error"; message: string; data: Record<string, unknown> | undefined; code: string }
  | { id: 0; kind: "log"; level: "info" | "warn"; event: string; fields: Record<string, unknown> };

export const maxSkippedShown = 10;
