/** The embeddings of one index: asked for in the background and for queries, left alone for a while when they fail. */

import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import type { GuardedFetch } from "../../net/guardedFetch.ts";
import type { EmbeddingSetup, IndexPhase, IndexSettings } from "../memoryTypes.ts";
import { isDamage, type NoteIndex } from "../noteIndex.ts";
import type { VectorIndex } from "../vectorIndex.ts";
import { createEmbedder } from "./createEmbedder.ts";
import { embedChunks } from "./embedChunks.ts";

export type QueryVector = { kind: "vector"; vector: Float32Array } | { kind: "failed"; error: unknown };

export interface EmbeddingDesk {
  /** Never throws for the service's sake: what is wrong with it is a `problem`. */
  embedMissing(
    index: NoteIndex,
    vectors: VectorIndex,
    signal: AbortSignal,
    onPhase: (phase: IndexPhase) => void,
  ): Promise<void>;
  embedQuery(query: string, signal: AbortSignal): Promise<QueryVector>;
  problem(): string | null;
}

const pauseMs = 60_000;
/** A key does not become right by asking again. */
const rejectedPauseMs = 600_000;
const maxKeptQueries = 100;

export function createEmbeddingDesk(deps: {
  setup: EmbeddingSetup;
  settings: IndexSettings;
  fetch: GuardedFetch;
  log(level: "info" | "warn", event: string, fields: Record<string, unknown>): void;
}): EmbeddingDesk {
  const { settings } = deps;
  const embedder = createEmbedder({ setup: deps.setup, fetch: deps.fetch, limits: settings.limits });
  const kept = new Map<string, Float32Array>();
  let failure: { error: unknown; untilMs: number } | null = null;

  const failed = (error: unknown) => {
    const { status, retryAfterSeconds } = error instanceof AppError ? (error.data ?? {}) : {};
    const usualMs =
      settings.limits?.pauseMs ?? (status === 401 || status === 403 ? rejectedPauseMs : pauseMs);
    const toldMs = typeof retryAfterSeconds === "number" ? retryAfterSeconds * 1000 : 0;
    failure = { error, untilMs: performance.now() + Math.max(usualMs, toldMs) };
    deps.log("warn", "memory.embeddingsFailed", { provider: deps.setup.id, error: messageOf(error) });
  };
  const isPaused = () => failure !== null && performance.now() < failure.untilMs;

  return {
    problem: () => (failure === null ? null : messageOf(failure.error)),
    async embedMissing(index, vectors, signal, onPhase) {
      if (isPaused()) return;
      try {
        await embedChunks({
          index,
          embedder,
          cache: settings.cache,
          signal,
          nowMs: () => Date.now(),
          onProgress: (chunksDone, chunksTotal) => onPhase({ kind: "embedding", chunksDone, chunksTotal }),
          onAdded: (fileIds) => vectors.forget(fileIds),
        });
        failure = null;
      } catch (error) {
        signal.throwIfAborted();
        if (isDamage(error) || !(error instanceof AppError)) throw error;
        failed(error);
      }
    },
    async embedQuery(query, signal) {
      const before = kept.get(query);
      if (before !== undefined) return { kind: "vector", vector: before };
      if (failure !== null && isPaused()) return { kind: "failed", error: failure.error };
      try {
        const [vector] = await embedder.embed([query], "query", signal);
        if (vector === undefined) throw new AppError("TOOL_FAILED", `${embedder.label} gave no embedding.`);
        kept.set(query, vector);
        const oldest = kept.keys().next().value;
        if (kept.size > maxKeptQueries && oldest !== undefined) kept.delete(oldest);
        return { kind: "vector", vector };
      } catch (error) {
        signal.throwIfAborted();
        failed(error);
        return { kind: "failed", error };
      }
    },
  };
}
