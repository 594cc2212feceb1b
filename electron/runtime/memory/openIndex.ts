/** Opens an agent's index, throws a damaged one away, and builds a new one beside it when its rules have changed. */

import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, renameSync } from "node:fs";
import path from "node:path";
import type { IndexSettings } from "./memoryTypes.ts";
import {
  bytesOf,
  type IndexDatabase,
  indexFormat,
  isDamage,
  type NoteIndex,
  numberOf,
  openNoteIndex,
  removeIndex,
  textOf,
} from "./noteIndex.ts";
import { createPacer } from "./syncNotes.ts";

const tempMark = ".new-";
const cachePage = 200;

/** What passages and vectors depend on: another text means another index. */
export function metaOf(settings: IndexSettings): string {
  const { embeddings } = settings;
  return JSON.stringify({
    format: indexFormat,
    model: embeddings?.model ?? "fts-only",
    provider: embeddings?.id ?? "none",
    providerKey: embeddings === null ? null : shortHash([embeddings.baseUrl, embeddings.dimensions]),
    sources: ["memory"],
    scopeHash: shortHash([settings.workspace, ...[...settings.extraPaths].sort()]),
    chunkTokens: settings.chunkTokens,
    chunkOverlap: settings.chunkOverlap,
    isOverlapBounded: settings.hardening.includes("memory.boundedOverlap"),
    ftsTokenizer: "trigram",
  });
}

/** @param onDamaged told the reason before the file is thrown away and made anew */
export function openOrReplace(file: string, onDamaged: (error: unknown) => void): NoteIndex {
  removeLeftovers(file);
  try {
    return openNoteIndex(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    onDamaged(error);
    removeIndex(file);
    return openNoteIndex(file);
  }
}

/**
 * @param fill brings the new index up to date; until it is done, `old` answers searches
 * @returns the new index in the place of the old one, which is closed
 */
export async function rebuildBeside(
  old: NoteIndex,
  meta: string,
  fill: (fresh: NoteIndex) => Promise<void>,
): Promise<NoteIndex> {
  const temp = `${old.path}${tempMark}${randomUUID().slice(0, 8)}`;
  try {
    const fresh = openNoteIndex(temp);
    try {
      fresh.writeMeta(meta);
      await copyCache(old.db, fresh.db);
      await fill(fresh);
    } finally {
      fresh.close();
    }
    // A search that comes between closing and renaming finds no connection; both happen in one turn.
    old.close();
    removeIndex(old.path);
    renameSync(temp, old.path);
    return openNoteIndex(old.path);
  } finally {
    removeIndex(temp);
  }
}

/** Vectors cost money and time: they are taken along for texts that come again. */
async function copyCache(from: IndexDatabase, to: IndexDatabase): Promise<void> {
  const page = from.prepare(
    `SELECT provider_key, hash, vector, used_at_ms FROM embedding_cache
     WHERE (provider_key, hash) > (?, ?) ORDER BY provider_key, hash LIMIT ${cachePage}`,
  );
  const insert = to.prepare("INSERT OR REPLACE INTO embedding_cache VALUES (?, ?, ?, ?)");
  const pace = createPacer();
  for (let [provider, hash] = ["", ""]; ; ) {
    const rows = page.all(provider, hash);
    const last = rows.at(-1);
    if (last === undefined) return;
    to.transaction(() => {
      for (const row of rows) {
        const vector = bytesOf(row, "vector");
        if (vector === null) continue;
        insert.run(textOf(row, "provider_key"), textOf(row, "hash"), vector, numberOf(row, "used_at_ms"));
      }
    }).immediate();
    [provider, hash] = [textOf(last, "provider_key"), textOf(last, "hash")];
    await pace();
  }
}

/** Of a process that ended while it built. */
function removeLeftovers(file: string): void {
  const folder = path.dirname(file);
  if (!existsSync(folder)) return;
  const start = `${path.basename(file)}${tempMark}`;
  const names = readdirSync(folder).filter((name) => name.startsWith(start));
  for (const name of new Set(names.map((one) => one.replace(/-(?:wal|shm|journal)$/, "")))) {
    removeIndex(path.join(folder, name));
  }
}

function shortHash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
