/** Brings the index up to date with the notes on disk, in small steps that let a search in between. */

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { chunkMarkdown } from "../../../shared/memory/index.ts";
import { errnoOf } from "../storage/atomicWrite.ts";
import { listNotes, type Note } from "./listNotes.ts";
import type { IndexPhase, IndexSettings } from "./memoryTypes.ts";
import type { NoteIndex } from "./noteIndex.ts";
import { readNoteText } from "./readNote.ts";

/** A search that arrives meanwhile waits no longer than this. */
const sliceMs = 20;
/** A commit costs a write to disk; what is not committed is read again after a crash. */
const commitEveryMs = 400;

export interface SyncOutcome {
  skipped: { path: string; why: string }[];
  /** Notes whose passages changed, by id; their vectors are gone. */
  removedFiles: number[];
  changed: number;
}

export interface SyncDeps {
  index: NoteIndex;
  settings: IndexSettings;
  signal: AbortSignal;
  onPhase(phase: IndexPhase): void;
}

/** Gives way to whatever waits once a slice is used up. */
export function createPacer(everyMs = sliceMs): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < everyMs) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}

/** @throws what SQLite or the signal says; the index then holds all notes that were finished before */
export async function syncNotes({ index, settings, signal, onPhase }: SyncDeps): Promise<SyncOutcome> {
  onPhase({ kind: "listing" });
  const hardening = new Set(settings.hardening);
  const { notes, skipped } = await listNotes(
    {
      workspace: settings.workspace,
      extraPaths: settings.extraPaths,
      refusesHardLinks: hardening.has("memory.refuseHardLinks"),
    },
    signal,
  );
  const known = index.files();
  const wanted = notes.filter((note) => known.get(note.shownPath)?.stamp !== note.stamp);
  const present = new Set(notes.map((note) => note.shownPath));
  const gone = [...known.values()].filter((file) => !present.has(file.path));
  const outcome: SyncOutcome = { skipped, removedFiles: [], changed: 0 };
  if (wanted.length === 0 && gone.length === 0) return outcome;

  const pace = createPacer();
  const writing = createTransaction(index);
  let filesDone = 0;
  const report = () => onPhase({ kind: "reading", filesDone, filesTotal: wanted.length });
  const remove = (id: number) => {
    index.removeFile(id);
    outcome.removedFiles.push(id);
  };

  const replace = async (note: Note) => {
    const before = known.get(note.shownPath);
    const read = await readOne(note, skipped);
    if (read === null) {
      if (before !== undefined) remove(before.id);
      return;
    }
    if (before !== undefined && before.hash === read.hash) {
      return index.touchFile(before.id, note.stamp, note.mtimeMs);
    }
    if (before !== undefined) remove(before.id);
    const fileId = index.addFile({ ...note, path: note.shownPath, hash: read.hash });
    outcome.changed += 1;
    const chunks = chunkMarkdown(read.text, {
      tokens: settings.chunkTokens,
      overlap: settings.chunkOverlap,
      hardening,
    });
    for (const chunk of chunks) {
      if (chunk.text.trim() === "") continue;
      index.addChunk(fileId, chunk, createHash("sha256").update(chunk.text).digest("base64url"));
      await pace();
    }
  };

  try {
    writing.begin();
    for (const file of gone) {
      remove(file.id);
      await pace();
    }
    for (const note of wanted) {
      signal.throwIfAborted();
      await replace(note);
      filesDone += 1;
      report();
      writing.commitIfDue();
      await pace();
    }
    writing.commit();
  } catch (error) {
    writing.rollback();
    throw error;
  }
  return outcome;
}

async function readOne(note: Note, skipped: SyncOutcome["skipped"]) {
  try {
    const read = await readNoteText(note.realPath);
    if (read === null) skipped.push({ path: note.shownPath, why: "changed while it was read" });
    return read;
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    if (code !== "ENOENT") skipped.push({ path: note.shownPath, why: `cannot be read (${code})` });
    return null;
  }
}

function createTransaction(index: NoteIndex) {
  let openedMs: number | null = null;
  const begin = () => {
    index.db.exec("BEGIN IMMEDIATE");
    openedMs = performance.now();
  };
  const commit = () => {
    if (openedMs === null) return;
    index.db.exec("COMMIT");
    openedMs = null;
  };
  return {
    begin,
    commit,
    commitIfDue() {
      if (openedMs === null || performance.now() - openedMs < commitEveryMs) return;
      commit();
      begin();
    },
    rollback() {
      if (openedMs === null) return;
      openedMs = null;
      try {
        index.db.exec("ROLLBACK");
        index.recount();
      } catch {
        // SQLite has taken the change back itself, or the file is damaged; the first error says which.
      }
    },
  };
}
