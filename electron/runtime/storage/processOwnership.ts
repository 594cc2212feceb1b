/** Keeps in the database which processes belong to us, so that a later start finds the survivors of a crash. */

import { z } from "zod";
import type { OwnershipEntry, ProcessOwnership } from "../exec/sessions/ownership.ts";
import { type Logger, silentLogger } from "../logging/logger.ts";
import type { Database } from "./database.ts";

const ownershipEntry: z.ZodType<OwnershipEntry> = z.object({
  execId: z.string(),
  sessionId: z.string(),
  agentId: z.string(),
  scopeKey: z.string(),
  sessionKey: z.string().nullable(),
  command: z.string(),
  cwd: z.string(),
  pid: z.number().int(),
  startTime: z.string(),
  bootId: z.string().nullable(),
  startedAtMs: z.number(),
  members: z.array(z.object({ pid: z.number().int(), startTime: z.string() })),
  owner: z.object({ pid: z.number().int(), startTime: z.string() }),
});

const row = z.object({ exec_id: z.string(), entry: z.string() });

/** All calls are synchronous: an entry is on disk before the command it names can be forgotten by a crash. */
export function createProcessOwnership(db: Database, logger: Logger = silentLogger): ProcessOwnership {
  const put = db.prepare("INSERT OR REPLACE INTO process_ownership (exec_id, entry) VALUES (?, ?)");
  const drop = db.prepare("DELETE FROM process_ownership WHERE exec_id = ?");
  const all = db.prepare("SELECT exec_id, entry FROM process_ownership ORDER BY rowid");
  return {
    record(entry) {
      put.run(entry.execId, JSON.stringify(entry));
    },
    remove(execId) {
      drop.run(execId);
    },
    list() {
      return all.all().flatMap((found) => {
        const { exec_id, entry } = row.parse(found);
        const parsed = ownershipEntry.safeParse(safeJson(entry));
        // Ending a process by an entry that is not understood could hit a stranger's; it is kept and reported.
        if (!parsed.success) logger.warn("processOwnership.unreadable", { execId: exec_id });
        return parsed.success ? [parsed.data] : [];
      });
    },
  };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema refuses undefined, and the caller reports it.
    return undefined;
  }
}
