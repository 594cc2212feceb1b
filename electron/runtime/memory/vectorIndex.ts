/** Vectors of the passages, kept per note in memory, and compared with all of them at each search. */

import { bytesOf, type NoteIndex, numberOf } from "./noteIndex.ts";

export interface VectorIndex {
  /** The notes or their vectors changed: they are read again when needed. */
  forget(fileIds: Iterable<number>): void;
  /** @returns best first; cosine, below 0 counts as 0 */
  nearest(query: Float32Array, limit: number, ownNotesOnly: boolean): { id: number; score: number }[];
  /** Passages with a vector. */
  count(): number;
}

interface Block {
  ids: number[];
  isForeign: boolean;
  data: Float32Array;
}

/** @returns the vector with length 1, so that a product of two is their cosine; null when it has no direction */
export function unitVector(values: readonly number[] | Float32Array): Float32Array | null {
  const vector = Float32Array.from(values);
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) return null;
  return vector.map((value) => value / length);
}

export function vectorBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function bytesToVector(bytes: Uint8Array): Float32Array {
  // A copy: the bytes may start anywhere in memory, numbers may not.
  return new Float32Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.byteLength / 4));
}

export function createVectorIndex(index: NoteIndex): VectorIndex {
  const blocks = new Map<number, Block>();
  let isComplete = false;

  const load = () => {
    if (isComplete) return;
    const files = index.db
      .prepare("SELECT DISTINCT c.file_id AS id FROM chunks c JOIN vectors v ON v.chunk_id = c.id")
      .all()
      .map((row) => numberOf(row, "id"));
    const ofFile = index.db.prepare(
      `SELECT v.chunk_id, v.vector, f.is_foreign FROM chunks c JOIN vectors v ON v.chunk_id = c.id
       JOIN files f ON f.id = c.file_id WHERE c.file_id = ? ORDER BY c.id`,
    );
    for (const fileId of files) if (!blocks.has(fileId)) blocks.set(fileId, blockOf(ofFile.all(fileId)));
    isComplete = true;
  };

  return {
    forget(fileIds) {
      for (const id of fileIds) blocks.delete(id);
      isComplete = false;
    },
    nearest(query, limit, ownNotesOnly) {
      load();
      const best: { id: number; score: number }[] = [];
      const dims = query.length;
      let worst = 0;
      for (const { ids, data, isForeign } of blocks.values()) {
        if ((ownNotesOnly && isForeign) || data.length !== ids.length * dims) continue;
        for (let at = 0; at < ids.length; at += 1) {
          const base = at * dims;
          let sum = 0;
          for (let axis = 0; axis < dims; axis += 1) sum += (query[axis] ?? 0) * (data[base + axis] ?? 0);
          if (sum <= worst) continue;
          best.push({ id: ids[at] ?? 0, score: Math.min(1, sum) });
          if (best.length >= limit * 4) {
            best.sort((a, b) => b.score - a.score);
            best.length = limit;
            worst = best.at(-1)?.score ?? 0;
          }
        }
      }
      return best.sort((a, b) => b.score - a.score).slice(0, limit);
    },
    count: () => numberOf(index.db.prepare("SELECT count(*) AS n FROM vectors").get(), "n"),
  };
}

function blockOf(rows: readonly unknown[]): Block {
  const ids: number[] = [];
  const vectors: Float32Array[] = [];
  for (const row of rows) {
    const bytes = bytesOf(row, "vector");
    if (bytes === null) continue;
    ids.push(numberOf(row, "chunk_id"));
    vectors.push(bytesToVector(bytes));
  }
  const dims = vectors[0]?.length ?? 0;
  const data = new Float32Array(dims * ids.length);
  vectors.forEach((vector, at) => {
    // One of another length cannot be compared; it stays all zero and is never found.
    if (vector.length === dims) data.set(vector, at * dims);
  });
  return { ids, isForeign: numberOf(rows[0], "is_foreign") === 1, data };
}
