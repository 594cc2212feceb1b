/** One runtime per state directory: a lock that the operating system releases when its holder dies. */

import { chmodSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import Libsql from "libsql";
import { z } from "zod";
import { AppError, messageOf } from "../../../shared/errors/index.ts";

const holderSchema = z.object({ pid: z.number(), startedAtMs: z.number(), shell: z.string() });
export type InstanceHolder = z.infer<typeof holderSchema>;

export type InstanceLock =
  | { ok: true; release(): void }
  | { ok: false; holder: InstanceHolder | null; message: string };

/**
 * The lock is an exclusive SQLite transaction on a small file of its own. Unlike a pid file it cannot go stale: a
 * crash, SIGKILL or a reused pid leaves nothing behind that would keep the next start waiting.
 * @param lockPath for example `<stateDir>/sallyport.lock`; never open that file by other means in this process,
 * since closing any handle of it would release a POSIX lock
 * @param about.shell what holds it, for the message to the other one
 * @throws AppError UNAVAILABLE when the lock file cannot be made or used
 */
export function acquireInstanceLock(
  lockPath: string,
  about: { shell: string; startedAtMs?: number },
): InstanceLock {
  const holderPath = `${lockPath}.json`;
  let db: Libsql.Database | null = null;
  try {
    mkdirSync(path.dirname(lockPath), { recursive: true, mode: 0o700 });
    db = new Libsql(lockPath);
    db.exec("PRAGMA busy_timeout = 0");
    db.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    db?.close();
    if (isBusy(cause)) {
      const holder = readHolder(holderPath);
      const who = holder === null ? "" : ` (process ${holder.pid}, ${holder.shell})`;
      return {
        ok: false,
        holder,
        message: `Sallyport already runs on ${path.dirname(lockPath)}${who}. Use that one, end it, or set OPENCLAW_STATE_DIR to another folder.`,
      };
    }
    throw new AppError("UNAVAILABLE", `Cannot lock ${lockPath}: ${messageOf(cause)}.`, {
      cause,
      data: { path: lockPath },
    });
  }
  const held = db;
  chmodSync(lockPath, 0o600);
  const holder: InstanceHolder = {
    pid: process.pid,
    startedAtMs: about.startedAtMs ?? Date.now(),
    shell: about.shell,
  };
  writeFileSync(holderPath, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  let isReleased = false;
  return {
    ok: true,
    release() {
      if (isReleased) return;
      isReleased = true;
      try {
        unlinkSync(holderPath);
      } catch {
        // It only names the holder for messages; a leftover is overwritten by the next one.
      }
      held.exec("ROLLBACK");
      held.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|SQLITE_LOCKED|database is locked/i.test(
    `${messageOf(error)} ${typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""}`,
  );
}

function readHolder(holderPath: string): InstanceHolder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(holderPath, "utf8")));
  } catch {
    // The holder may just be writing it; the lock itself is what counts.
    return null;
  }
}
