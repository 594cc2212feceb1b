/** Gives every passage its vector: from the cache, else from the service, a few requests at a time. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { utf8Length } from "../../../../shared/files/index.ts";
import { bytesOf, countOf, type NoteIndex, numberOf, textOf } from "../noteIndex.ts";
import { bytesToVector, vectorBytes } from "../vectorIndex.ts";
import type { Embedder } from "./createEmbedder.ts";

const batchBytes = 8000;
const maxBatchTexts = 100;
const concurrency = 4;
const pageSize = 256;

export interface EmbedChunksDeps {
  index: NoteIndex;
  embedder: Embedder;
  cache: { isEnabled: boolean; maxEntries: number | null };
  signal: AbortSignal;
  nowMs(): number;
  onProgress(chunksDone: number, chunksTotal: number): void;
  /** Notes whose passages got vectors. */
  onAdded(fileIds: ReadonlySet<number>): void;
}

interface Pending {
  id: number;
  fileId: number;
  hash: string;
  text: string;
}

/** @throws the embedder's problem; what was embedded before stays. */
export async function embedChunks(deps: EmbedChunksDeps): Promise<void> {
  const { index, embedder, cache, signal } = deps;
  const { db } = index;
  const total = countOf(db, "SELECT count(*) AS n FROM chunks");
  let done = countOf(db, "SELECT count(*) AS n FROM vectors");
  const pendingPage = db.prepare(
    `SELECT c.id, c.file_id, c.hash, c.text FROM chunks c LEFT JOIN vectors v ON v.chunk_id = c.id
     WHERE v.chunk_id IS NULL AND c.id < ? ORDER BY c.id DESC LIMIT ${pageSize}`,
  );
  const cached = db.prepare("SELECT vector FROM embedding_cache WHERE provider_key = ? AND hash = ?");
  const addVector = db.prepare(
    "INSERT OR REPLACE INTO vectors (chunk_id, vector) SELECT id, ? FROM chunks WHERE id = ?",
  );
  const addCached = db.prepare(
    "INSERT OR REPLACE INTO embedding_cache (provider_key, hash, vector, used_at_ms) VALUES (?, ?, ?, ?)",
  );

  const keep = (chunk: Pending, vector: Float32Array, isNew: boolean) => {
    addVector.run(vectorBytes(vector), chunk.id);
    if (isNew && cache.isEnabled) {
      addCached.run(embedder.identity, chunk.hash, vectorBytes(vector), deps.nowMs());
    }
    done += 1;
  };
  const embedBatch = async (batch: readonly Pending[]) => {
    const vectors = await embedder.embed(
      batch.map((chunk) => chunk.text),
      "document",
      signal,
    );
    inTransaction(index, () =>
      batch.forEach((chunk, at) => {
        const vector = vectors[at];
        if (vector !== undefined) keep(chunk, vector, true);
      }),
    );
    deps.onAdded(new Set(batch.map((chunk) => chunk.fileId)));
    deps.onProgress(done, total);
  };

  let below = index.maxChunkId() + 1;
  for (;;) {
    signal.throwIfAborted();
    const page = pendingPage.all(below).map(pendingOf);
    const last = page.at(-1);
    if (last === undefined) break;
    below = last.id;
    const missing: Pending[] = [];
    inTransaction(index, () => {
      for (const chunk of page) {
        const row = cache.isEnabled ? cached.get(embedder.identity, chunk.hash) : undefined;
        const bytes = row === undefined ? null : bytesOf(row, "vector");
        if (bytes !== null) keep(chunk, bytesToVector(bytes), false);
        else missing.push(chunk);
      }
    });
    deps.onAdded(new Set(page.map((chunk) => chunk.fileId)));
    await runAll(batchesOf(missing), embedBatch);
    deps.onProgress(done, total);
    await nextTurn();
  }
  if (cache.maxEntries !== null) trimCache(index, cache.maxEntries);
}

/** In order, each within the size of a request. */
function batchesOf(chunks: readonly Pending[]): Pending[][] {
  const batches: Pending[][] = [];
  let batch: Pending[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const size = utf8Length(chunk.text);
    if (batch.length > 0 && (bytes + size > batchBytes || batch.length >= maxBatchTexts)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(chunk);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** The first failure ends all: the others would most likely meet it too. */
async function runAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed: { error: unknown } | null = null;
  const lane = async () => {
    while (failed === null) {
      const item = items[next];
      next += 1;
      if (item === undefined) return;
      try {
        await work(item);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane));
  const outcome = failed as { error: unknown } | null;
  if (outcome !== null) throw outcome.error;
}

function inTransaction(index: NoteIndex, work: () => void): void {
  index.db.transaction(work).immediate();
}

function trimCache(index: NoteIndex, maxEntries: number): void {
  const surplus = countOf(index.db, "SELECT count(*) AS n FROM embedding_cache") - maxEntries;
  if (surplus <= 0) return;
  index.db
    .prepare(
      `DELETE FROM embedding_cache WHERE (provider_key, hash) IN
       (SELECT provider_key, hash FROM embedding_cache ORDER BY used_at_ms LIMIT ?)`,
    )
    .run(surplus);
}

function pendingOf(row: unknown): Pending {
  return {
    id: numberOf(row, "id"),
    fileId: numberOf(row, "file_id"),
    hash: textOf(row, "hash"),
    text: textOf(row, "text"),
  };
}
