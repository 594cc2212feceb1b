/** Keeps exec-approvals.json: lossless, locked between processes, atomic, and never overwritten when it is broken. */

import { randomUUID } from "node:crypto";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import {
  type ApprovalsFile,
  type ApprovalsState,
  emptyApprovals,
  normalizeApprovalsFile,
  serializeApprovals,
} from "../../../shared/exec/approvalsFile.ts";
import type { Clock } from "../clock.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import { type AllowlistUse, withEntry, withoutEntry, withUses } from "./approvalsEdit.ts";
import {
  type ApprovalsFileState,
  brokenApprovals,
  readApprovalsText,
  strictReading,
} from "./approvalsState.ts";
import { type ApprovalsFileView, approvalsView, type EntryFindings } from "./approvalsView.ts";
import { readTextFile, writeFileAtomic } from "./atomicWrite.ts";
import { withFileLock } from "./fileLock.ts";
import { watchFile } from "./watchFile.ts";

export interface ApprovalsStoreDeps {
  path: string;
  /** OpenClaw's default file when the state directory is another one: read, never written. */
  otherPath?: string | null;
  logger: Logger;
  clock: Clock;
  debounceMs?: number;
}

export interface ApprovalsStore {
  current(): ApprovalsFileState;
  /** The other file, or null when there is only one place. */
  other(): ApprovalsFileState | null;
  /** Both as the exec policy takes them. */
  approvals(): { own: ApprovalsState; other: ApprovalsState | null };
  reload(): Promise<void>;
  /**
   * Replaces the content. The socket token, which no reader gets, is kept.
   * @param baseHash hash of the file that the caller has seen; null when there was none
   * @throws AppError INVALID_INPUT for a stale hash or an invalid file, UNAVAILABLE while the file is broken
   */
  set(file: unknown, baseHash: string | null): Promise<void>;
  /** @throws AppError UNAVAILABLE while the file is broken */
  addAllowlist(agentId: string, pattern: string): Promise<{ added: boolean }>;
  /** @throws AppError UNAVAILABLE while the file is broken */
  removeAllowlist(agentId: string, pattern: string): Promise<{ removed: boolean }>;
  /** Notes the use of entries; entries that are gone, and a broken file, are left alone. */
  recordUse(uses: readonly AllowlistUse[]): Promise<void>;
  /** @param findings hygiene of the entries, for the panel */
  view(findings?: EntryFindings): ApprovalsFileView;
  events: Emitter<{ changed: ApprovalsFileState }>;
  dispose(): Promise<void>;
}

export async function createApprovalsStore(deps: ApprovalsStoreDeps): Promise<ApprovalsStore> {
  const { path, logger, clock } = deps;
  const otherPath = deps.otherPath ?? null;
  const events = createEmitter<{ changed: ApprovalsFileState }>({
    onListenerError: (_name, error) => logger.error("approvalsFile.listenerFailed", { error }),
  });
  let own = await load(path);
  let other = otherPath === null ? null : await load(otherPath);
  let changes = 0;
  for (const state of [own, other]) if (state !== null) logState(state);

  function logState(state: ApprovalsFileState): void {
    if (state.kind === "broken")
      logger.error("approvalsFile.broken", { path: state.path, problems: state.problems });
    else logger.info("approvalsFile.loaded", { path: state.path, kind: state.kind });
  }

  function accept(nextOwn: ApprovalsFileState, nextOther: ApprovalsFileState | null): void {
    const isOwnNew = !isSame(own, nextOwn);
    const isOtherNew = other !== null && nextOther !== null && !isSame(other, nextOther);
    if (!isOwnNew && !isOtherNew) return;
    own = nextOwn;
    other = nextOther;
    changes += 1;
    if (isOwnNew) logState(nextOwn);
    if (isOtherNew && nextOther !== null) logState(nextOther);
    events.emit("changed", own);
  }

  async function reload(): Promise<void> {
    // What was read before a newer state came in is out of date and must not replace it.
    for (;;) {
      const changesBefore = changes;
      const nextOwn = await load(path);
      const nextOther = otherPath === null ? null : await load(otherPath);
      if (changes === changesBefore) return accept(nextOwn, nextOther);
    }
  }

  /**
   * One read-change-write step under the lock.
   * @param make gets the file with an id for every entry; null = nothing to write
   */
  function change(
    make: (file: ApprovalsFile, state: ApprovalsFileState) => ApprovalsFile | null,
  ): Promise<boolean> {
    return withFileLock(path, async () => {
      const now = await load(path);
      if (now.kind === "broken") throw refuseBroken(now);
      const next = make(now.kind === "ok" ? withIds(now.raw) : emptyApprovals, now);
      if (next === null) {
        accept(now, other);
        return false;
      }
      const text = `${JSON.stringify(serializeApprovals(next), null, 2)}\n`;
      const state = readApprovalsText(text, path);
      // Nothing is written that could not be read again.
      if (state.kind !== "ok")
        throw new AppError("INVALID_INPUT", `${path} was not written: the result would not be readable.`);
      if (now.kind === "missing" || text !== now.text) await writeFileAtomic(path, text);
      accept(state, other);
      return true;
    });
  }

  const onFileEvent = (): void => {
    reload().catch((error: unknown) => logger.error("approvalsFile.reloadFailed", { path, error }));
  };
  const watchOptions = { logger, ...(deps.debounceMs === undefined ? {} : { debounceMs: deps.debounceMs }) };
  const stops = [await watchFile(path, onFileEvent, watchOptions)];
  if (otherPath !== null) stops.push(await watchFile(otherPath, onFileEvent, watchOptions));
  await reload();

  return {
    current: () => own,
    other: () => other,
    approvals: () => ({ own: own.approvals, other: other?.approvals ?? null }),
    reload,
    async set(file, baseHash) {
      await change((before, state) => {
        const hash = state.kind === "ok" ? state.hash : null;
        if (hash !== baseHash)
          throw new AppError("INVALID_INPUT", `${path} was changed meanwhile. Read it again and repeat.`, {
            data: { reason: "stale", hash },
          });
        return withIds(keepSocketToken(file, before.raw));
      });
    },
    addAllowlist: async (agentId, pattern) => ({
      added: await change((file) =>
        withEntry(file, agentId, { id: randomUUID(), pattern, lastUsedAt: clock.nowMs() }),
      ),
    }),
    removeAllowlist: async (agentId, pattern) => ({
      removed: await change((file) => withoutEntry(file, agentId, pattern)),
    }),
    async recordUse(uses) {
      // Nothing to note: then the file is not even locked.
      if (uses.length === 0 || own.kind !== "ok") return;
      try {
        await change((file) => withUses(file, uses, clock.nowMs()));
      } catch (error) {
        // The command may run all the same: the note is a convenience, and the next read shows what is wrong.
        logger.warn("approvalsFile.useNotRecorded", { path, error });
      }
    },
    view: (findings) => approvalsView(own, findings ?? (() => [])),
    events,
    async dispose() {
      events.clear();
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

async function load(path: string): Promise<ApprovalsFileState> {
  try {
    return readApprovalsText(await readTextFile(path), path);
  } catch (error) {
    const problem = { path, line: null, column: null, message: messageOf(error), configPath: null };
    return brokenApprovals(path, null, [problem]);
  }
}

/** @throws AppError INVALID_INPUT for what is not a version-1 file */
function withIds(raw: unknown): ApprovalsFile {
  const state = normalizeApprovalsFile(raw, { newId: randomUUID, hardening: strictReading });
  if (state.kind === "ok") return state.file;
  const reason = state.kind === "unreadable" ? state.reason : "no content";
  throw new AppError("INVALID_INPUT", `This is not a valid approvals file: ${reason}.`);
}

function keepSocketToken(file: unknown, before: Readonly<Record<string, unknown>>): unknown {
  if (typeof file !== "object" || file === null || Array.isArray(file)) return file;
  const next: Record<string, unknown> = { version: 1, ...file };
  const kept = before.socket;
  if (typeof kept !== "object" || kept === null) return next;
  const given = next.socket;
  return { ...next, socket: { ...kept, ...(typeof given === "object" ? given : {}) } };
}

function refuseBroken(state: Extract<ApprovalsFileState, { kind: "broken" }>): AppError {
  const reason = state.approvals.kind === "unreadable" ? state.approvals.reason : state.path;
  return new AppError(
    "UNAVAILABLE",
    `The approvals file is broken and was left as it is. ${reason} Mend the file or move it away; until then every exec is denied.`,
    { data: { problems: state.problems } },
  );
}

function isSame(a: ApprovalsFileState, b: ApprovalsFileState): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "missing" || b.kind === "missing") return true;
  if (a.text !== b.text) return false;
  return a.kind === "ok" || b.kind === "ok" || a.problems[0]?.message === b.problems[0]?.message;
}
