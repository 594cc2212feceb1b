/** The SQLite file of an agent's notes: passages, an index of words, one of trigrams, vectors and their cache. */

import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import Libsql from "libsql";
import { messageOf } from "../../../shared/errors/index.ts";
import { type Chunk, foldText, indexTerms } from "../../../shared/memory/index.ts";

export type IndexDatabase = Libsql.Database;

export interface StoredFile {
  id: number;
  path: string;
  hash: string;
  stamp: string;
}

export interface NoteIndex {
  readonly path: string;
  readonly db: IndexDatabase;
  /** What the index was made with; null: nothing yet. */
  readMeta(): string | null;
  writeMeta(text: string): void;
  files(): Map<string, StoredFile>;
  /** Adds an empty entry for a note. @returns its id */
  addFile(file: Omit<StoredFile, "id"> & { isForeign: boolean; mtimeMs: number }): number;
  touchFile(id: number, stamp: string, mtimeMs: number): void;
  addChunk(fileId: number, chunk: Chunk, hash: string): void;
  removeFile(id: number): void;
  /** Counts anew, after a change was taken back. */
  recount(): void;
  /** Passages and the sum of their folded units. */
  size(): { files: number; chunks: number; chars: number };
  maxChunkId(): number;
  /** Folds the log in and closes; may be called twice. */
  close(): void;
}

/** Goes up when the tables or the folding of text change. */
export const indexFormat = 1;

/**
 * Words and trigrams keep no positions and no text: finds are counted in the passage itself, which makes the index half
 * as large and twice as fast to write. Rows come from `chunks`.
 */
const schema = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, stamp TEXT NOT NULL,
  is_foreign INTEGER NOT NULL, mtime_ms INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL, start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL, chars INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS chunks_file ON chunks (file_id, chars);
CREATE TABLE IF NOT EXISTS vectors (chunk_id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS embedding_cache (
  provider_key TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL, used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (provider_key, hash)) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
  terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE IF NOT EXISTS trigrams USING fts5 (
  folded, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
`;

/** Entries that are collected before they are written: fewer and larger parts take less merging. */
const hashBytes = 16 * 1024 * 1024;

const metaKey = "memory_index_meta_v1";

/**
 * Opens or makes the file, private to the user.
 * @throws anything SQLite says; `isDamage` tells whether the file is to be thrown away
 */
export function openNoteIndex(file: string): NoteIndex {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(file);
  // Made with its mode, not changed to it: there is no moment in which others could open it.
  if (isNew) closeSync(openSync(file, "wx", 0o600));
  else chmodSync(file, 0o600);
  const db = new Libsql(file);
  try {
    db.exec("PRAGMA busy_timeout = 5000");
    db.exec("PRAGMA journal_mode = WAL");
    // The index can be made again: after a power cut the last notes are read once more.
    db.exec("PRAGMA synchronous = NORMAL");
    db.exec("PRAGMA cache_size = -32768");
    if (!isNew) requireSound(db);
    db.exec(schema);
    for (const table of ["words", "trigrams"]) {
      db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${hashBytes})`);
    }
    return wrap(db, file);
  } catch (error) {
    db.close();
    throw error;
  }
}

export class DamagedIndex extends Error {}

export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndex) return true;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return /SQLITE_(?:NOTADB|CORRUPT)|not a database|malformed|no such table|has no column/i.test(
    `${code} ${messageOf(error)}`,
  );
}

/** Removes the file with its logs; nothing in it is lost that the notes do not have. */
export function removeIndex(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${file}${suffix}`, { force: true });
}

function requireSound(db: IndexDatabase): void {
  const verdict = textOf(db.prepare("PRAGMA quick_check(1)").get(), "quick_check");
  if (verdict !== "ok") throw new DamagedIndex(verdict);
  const hasTables = countOf(db, "SELECT count(*) AS n FROM sqlite_master WHERE name = 'trigrams'") === 1;
  if (!hasTables) return;
  // Pages can be whole while rows of one table are gone.
  const chunks = countOf(db, "SELECT count(*) AS n FROM chunks");
  for (const table of ["words", "trigrams"]) {
    if (countOf(db, `SELECT count(*) AS n FROM ${table}_docsize`) !== chunks) {
      throw new DamagedIndex(`the index of ${table} does not hold every passage`);
    }
  }
}

function wrap(db: IndexDatabase, file: string): NoteIndex {
  const statements = {
    addFile: db.prepare("INSERT INTO files (path, hash, stamp, is_foreign, mtime_ms) VALUES (?, ?, ?, ?, ?)"),
    touchFile: db.prepare("UPDATE files SET stamp = ?, mtime_ms = ? WHERE id = ?"),
    removeFile: db.prepare("DELETE FROM files WHERE id = ?"),
    addChunk: db.prepare(
      "INSERT INTO chunks (file_id, start_line, end_line, chars, hash, text) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    addWords: db.prepare("INSERT INTO words (rowid, terms) VALUES (?, ?)"),
    addTrigrams: db.prepare("INSERT INTO trigrams (rowid, folded) VALUES (?, ?)"),
    chunkIds: db.prepare("SELECT id, chars FROM chunks WHERE file_id = ?"),
    removeWords: db.prepare("DELETE FROM words WHERE rowid = ?"),
    removeTrigrams: db.prepare("DELETE FROM trigrams WHERE rowid = ?"),
    removeVector: db.prepare("DELETE FROM vectors WHERE chunk_id = ?"),
    removeChunks: db.prepare("DELETE FROM chunks WHERE file_id = ?"),
  };
  let [files, chunks, chars, maxId] = [0, 0, 0, 0];
  const recount = () => {
    const sums = db.prepare("SELECT count(*) AS n, coalesce(sum(chars), 0) AS chars FROM chunks").get();
    chunks = numberOf(sums, "n");
    chars = numberOf(sums, "chars");
    files = countOf(db, "SELECT count(*) AS n FROM files");
    maxId = countOf(db, "SELECT coalesce(max(id), 0) AS n FROM chunks");
  };
  recount();
  let isOpen = true;
  return {
    path: file,
    db,
    readMeta() {
      const row = db.prepare("SELECT value FROM meta WHERE key = ?").get(metaKey);
      return row === undefined ? null : textOf(row, "value");
    },
    writeMeta(text) {
      db.prepare(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      ).run(metaKey, text);
    },
    files() {
      const rows = db.prepare("SELECT id, path, hash, stamp FROM files").all();
      return new Map(
        rows.map((row) => [
          textOf(row, "path"),
          {
            id: numberOf(row, "id"),
            path: textOf(row, "path"),
            hash: textOf(row, "hash"),
            stamp: textOf(row, "stamp"),
          },
        ]),
      );
    },
    addFile(added) {
      const { path: notePath, hash, stamp, isForeign, mtimeMs } = added;
      files += 1;
      return Number(
        statements.addFile.run(notePath, hash, stamp, isForeign ? 1 : 0, mtimeMs).lastInsertRowid,
      );
    },
    touchFile: (id, stamp, mtimeMs) => void statements.touchFile.run(stamp, mtimeMs, id),
    addChunk(fileId, chunk, hash) {
      const folded = foldText(chunk.text);
      const { lastInsertRowid } = statements.addChunk.run(
        fileId,
        chunk.startLine,
        chunk.endLine,
        folded.length,
        hash,
        chunk.text,
      );
      statements.addWords.run(lastInsertRowid, [...indexTerms(folded)].join(" "));
      statements.addTrigrams.run(lastInsertRowid, folded);
      chunks += 1;
      chars += folded.length;
      maxId = Number(lastInsertRowid);
    },
    removeFile(id) {
      for (const row of statements.chunkIds.all(id)) {
        const chunkId = numberOf(row, "id");
        statements.removeWords.run(chunkId);
        statements.removeTrigrams.run(chunkId);
        statements.removeVector.run(chunkId);
        chunks -= 1;
        chars -= numberOf(row, "chars");
      }
      statements.removeChunks.run(id);
      statements.removeFile.run(id);
      files -= 1;
    },
    recount,
    size: () => ({ files, chunks, chars }),
    maxChunkId: () => maxId,
    close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // Nothing is lost: the log beside the file holds the rest, and the next close folds it in.
      }
      db.close();
    },
  };
}

export function countOf(db: IndexDatabase, sql: string): number {
  return numberOf(db.prepare(sql).get(), "n");
}

export function numberOf(row: unknown, column: string): number {
  return Number(typeof row === "object" && row !== null ? Reflect.get(row, column) : 0);
}

export function textOf(row: unknown, column: string): string {
  return String(typeof row === "object" && row !== null ? Reflect.get(row, column) : "");
}

/** @returns the bytes of a blob, which comes as a buffer from single rows and bare from lists of rows; null: none */
export function bytesOf(row: unknown, column: string): Buffer | null {
  const value: unknown = typeof row === "object" && row !== null ? Reflect.get(row, column) : null;
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  // Not by `instanceof`: it may be of another realm.
  const isBare = Object.prototype.toString.call(value) === "[object ArrayBuffer]";
  return isBare ? Buffer.from(value as ArrayBuffer) : null;
}
