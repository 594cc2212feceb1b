/** Opens sallyport.db (SQLite through libsql) and brings its tables up to date. */

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import Libsql from "libsql";
import type { FileProblem } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { Logger } from "../logging/logger.ts";
import { type Migration, migrations } from "./migrations.ts";
import { createWalSync } from "./walSync.ts";

/** Synchronous connection; `prepare(sql).run/get/all`, `transaction(fn).immediate()`. */
export type Database = Libsql.Database;

export interface OpenedDatabase {
  db: Database;
  /** The file in use; another than asked for when that one is damaged. */
  path: string;
  /** One problem per damaged file that was left as it is. */
  problems: FileProblem[];
  /** Flushes what was committed, in the background: to be called after a commit that must survive a power cut. */
  syncSoon(): void;
  close(): void;
}

/** So many damaged files in a row mean that the disk is failing. */
const maxReplacements = 9;

/**
 * A damaged file is neither deleted nor moved: the next free name (`sallyport-2.db`, …) takes its place, and the
 * problem stays until a person has looked at it.
 * @throws AppError UNAVAILABLE when no file can be opened, or a newer version of the app has written it
 */
export function openDatabase(deps: { path: string; logger: Logger }): OpenedDatabase {
  const problems: FileProblem[] = [];
  mkdirSync(path.dirname(deps.path), { recursive: true, mode: 0o700 });
  for (let number = 1; number <= maxReplacements; number += 1) {
    const file = numbered(deps.path, number);
    try {
      const db = openChecked(file);
      if (number > 1) deps.logger.error("database.replaced", { damaged: deps.path, path: file });
      let isOpen = true;
      const walSync = createWalSync(file, deps.logger);
      return {
        db,
        path: file,
        problems,
        syncSoon: () => walSync.soon(),
        close() {
          if (!isOpen) return;
          isOpen = false;
          try {
            // Leaves one file behind instead of three.
            db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
          } catch (error) {
            // Nothing is lost: the log file beside the database holds the rest, and the next close folds it in.
            deps.logger.debug("database.notFolded", { path: file, error });
          }
          db.close();
        },
      };
    } catch (cause) {
      if (!isDamage(cause)) {
        if (cause instanceof AppError) throw cause;
        throw new AppError("UNAVAILABLE", `Cannot open the database ${file}: ${messageOf(cause)}.`, {
          cause,
          data: { path: file },
        });
      }
      problems.push({
        path: file,
        line: null,
        column: null,
        configPath: null,
        message: `The database ${file} is damaged (${messageOf(cause)}). It was left as it is, and ${path.basename(numbered(deps.path, number + 1))} is used instead: the history before is not shown. Restore it from a backup, or move it away.`,
      });
    }
  }
  throw new AppError(
    "UNAVAILABLE",
    `${deps.path} and its replacements are all damaged. Check the disk, then move those files away.`,
    { data: { path: deps.path } },
  );
}

function openChecked(file: string): Database {
  const isNew = !existsSync(file);
  const db = new Libsql(file);
  try {
    db.exec("PRAGMA busy_timeout = 5000");
    if (!isNew) check(db);
    db.exec("PRAGMA journal_mode = WAL");
    // Commits do not wait for the disk; `syncSoon` flushes them right behind, so that they survive a power cut too.
    db.exec("PRAGMA synchronous = NORMAL");
    chmodSync(file, 0o600);
    migrate(db, file, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function check(db: Database): void {
  const row = db.prepare("PRAGMA quick_check(1)").get();
  const verdict =
    typeof row === "object" && row !== null && "quick_check" in row ? String(row.quick_check) : "no answer";
  if (verdict !== "ok") throw new DamagedDatabase(verdict);
}

class DamagedDatabase extends Error {}

function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabase) return true;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return /SQLITE_(NOTADB|CORRUPT)|not a database|malformed/i.test(`${code} ${messageOf(error)}`);
}

/** Each step runs once, in order, in one transaction with its entry in the table of steps. */
function migrate(db: Database, file: string, steps: readonly Migration[]): void {
  db.exec("CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT");
  const run = db.transaction(() => {
    const rows = db.prepare("SELECT id FROM migrations").all();
    const done = new Set(
      rows.map((row) => (typeof row === "object" && row !== null && "id" in row ? Number(row.id) : 0)),
    );
    const newest = Math.max(0, ...done);
    if (newest > steps.length)
      throw new AppError(
        "UNAVAILABLE",
        `${file} was written by a newer Sallyport. Update this one, or use another state directory.`,
        { data: { path: file } },
      );
    for (const [index, step] of steps.entries()) {
      if (done.has(index + 1)) continue;
      db.exec(step.sql);
      db.prepare("INSERT INTO migrations (id, name) VALUES (?, ?)").run(index + 1, step.name);
    }
  });
  run.immediate();
}

function numbered(file: string, number: number): string {
  if (number === 1) return file;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${number}${ext}`);
}
