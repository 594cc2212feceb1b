/** One agent's index at work: kept up to date, searched, mended when it is damaged. Runs in a worker or, unbuilt, here. */

import { realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { createEmbeddingDesk, type EmbeddingDesk } from "./embeddings/embeddingDesk.ts";
import {
  type EngineCall,
  type IndexPhase,
  type IndexSettings,
  type IndexState,
  maxSkippedShown,
  type SearchAnswer,
  type SearchRequest,
} from "./memoryTypes.ts";
import { isDamage, type NoteIndex, removeIndex } from "./noteIndex.ts";
import { metaOf, openOrReplace, rebuildBeside } from "./openIndex.ts";
import { searchIndex } from "./searchIndex.ts";
import { type SyncOutcome, syncNotes } from "./syncNotes.ts";
import { createVectorIndex, type VectorIndex } from "./vectorIndex.ts";
import { type NoteWatch, watchNotes } from "./watchNotes.ts";

export interface MemoryEngine {
  handle(
    call: EngineCall,
    signal: AbortSignal,
    onProgress: (state: IndexState) => void,
  ): Promise<SearchAnswer | IndexState>;
  dispose(): Promise<void>;
}

export interface MemoryEngineDeps {
  fetch: GuardedFetch;
  log(level: "info" | "warn", event: string, fields: Record<string, unknown>): void;
}

/** So few notes are looked at before each search: events of the file system can come after the question. */
const alwaysListed = 200;
const progressEveryMs = 400;
const maxEvents = 5;

interface Opened {
  index: NoteIndex;
  vectors: VectorIndex;
}

export function createMemoryEngine(deps: MemoryEngineDeps): MemoryEngine {
  let settings: IndexSettings | null = null;
  let opened: Opened | null = null;
  let embeddings: EmbeddingDesk | null = null;
  let watching: NoteWatch | null = null;
  let quiet: NodeJS.Timeout | undefined;
  let regular: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isCurrent = false;
  let isDisposed = false;
  let phase: IndexPhase = { kind: "idle" };
  let problem: string | null = null;
  let skipped: SyncOutcome["skipped"] = [];
  const events: string[] = [];
  const ending = new AbortController();
  const waiting = new Set<() => void>();

  const setPhase = (next: IndexPhase) => {
    phase = next;
    for (const tell of waiting) tell();
  };
  const note = (event: string) => {
    events.push(event);
    if (events.length > maxEvents) events.shift();
  };

  const state = (): IndexState => ({
    phase,
    isCurrent,
    files: opened?.index.size().files ?? 0,
    chunks: opened?.index.size().chunks ?? 0,
    embedded: embeddings === null || opened === null ? null : opened.vectors.count(),
    problem,
    embeddingProblem: embeddings?.problem() ?? null,
    skipped: skipped.slice(0, maxSkippedShown),
    skippedTotal: skipped.length,
    events: [...events],
  });

  const open = (file: string): Opened => {
    if (opened !== null) return opened;
    const index = openOrReplace(file, (error) => {
      deps.log("warn", "memory.indexDamaged", { path: file, error: messageOf(error) });
      note(`The index was damaged (${messageOf(error)}) and was built anew from the notes.`);
      isCurrent = false;
    });
    opened = { index, vectors: createVectorIndex(index) };
    return opened;
  };

  const throwAway = (error: unknown) => {
    if (opened === null) return;
    const file = opened.index.path;
    deps.log("warn", "memory.indexDamaged", { path: file, error: messageOf(error) });
    note(`The index was damaged (${messageOf(error)}) and was built anew from the notes.`);
    opened.index.close();
    opened = null;
    removeIndex(file);
    isCurrent = false;
  };

  const fill = async (target: Opened, of: IndexSettings) => {
    const outcome = await syncNotes({
      index: target.index,
      settings: of,
      signal: ending.signal,
      onPhase: setPhase,
    });
    target.vectors.forget(outcome.removedFiles);
    skipped = outcome.skipped;
  };

  const syncOnce = async (of: IndexSettings) => {
    let target = open(of.indexPath);
    const meta = metaOf(of);
    const before = target.index.readMeta();
    if (before !== null && before !== meta && target.index.size().files > 0) {
      deps.log("info", "memory.indexRebuilt", { path: of.indexPath });
      const index = await rebuildBeside(target.index, meta, (fresh) =>
        fill({ index: fresh, vectors: createVectorIndex(fresh) }, of),
      ).catch((error: unknown) => {
        // It may be closed already: the next use opens whatever is there.
        opened?.index.close();
        opened = null;
        throw error;
      });
      opened = { index, vectors: createVectorIndex(index) };
      target = opened;
    } else if (before !== meta) target.index.writeMeta(meta);
    await fill(target, of);
    await embeddings?.embedMissing(target.index, target.vectors, ending.signal, setPhase);
  };

  /** Runs until nothing has changed meanwhile; one at a time. */
  const sync = (): Promise<void> => {
    running ??= (async () => {
      try {
        for (let round = 0; settings !== null && round < 3; round += 1) {
          isCurrent = true;
          await syncOnce(settings);
          if (isCurrent) break;
        }
        problem = null;
      } catch (error) {
        isCurrent = false;
        if (ending.signal.aborted) return;
        if (isDamage(error)) throwAway(error);
        problem = messageOf(error);
        deps.log("warn", "memory.syncFailed", { error: problem });
      } finally {
        running = null;
        setPhase({ kind: "idle" });
      }
    })();
    return running;
  };

  const configure = async (next: IndexSettings) => {
    const before = settings;
    if (before !== null && JSON.stringify(before) === JSON.stringify(next)) return;
    settings = next;
    isCurrent = false;
    if (JSON.stringify(before?.embeddings) !== JSON.stringify(next.embeddings) || embeddings === null) {
      embeddings =
        next.embeddings === null
          ? null
          : createEmbeddingDesk({ setup: next.embeddings, settings: next, fetch: deps.fetch, log: deps.log });
    }
    if (opened !== null && opened.index.path !== next.indexPath) {
      await running;
      opened.index.close();
      opened = null;
    }
    clearInterval(regular);
    if (next.intervalMinutes > 0)
      regular = setInterval(() => void sync(), next.intervalMinutes * 60_000).unref();
    const isSamePlace =
      before !== null &&
      before.watch === next.watch &&
      JSON.stringify([before.workspace, before.extraPaths]) ===
        JSON.stringify([next.workspace, next.extraPaths]);
    if (!isSamePlace) await watchPlaces(next);
  };

  const watchPlaces = async (of: IndexSettings) => {
    await watching?.close();
    watching = null;
    if (!of.watch || isDisposed) return;
    // Links are not followed while watching, so the workspace itself must not be reached by one.
    const workspace = await realpath(of.workspace).catch(() => of.workspace);
    watching = watchNotes(
      { workspace, extraPaths: of.extraPaths },
      () => {
        isCurrent = false;
        clearTimeout(quiet);
        quiet = setTimeout(() => void sync(), settings?.watchDebounceMs ?? 0).unref();
      },
      (error) => deps.log("warn", "memory.watchFailed", { error: messageOf(error) }),
    );
  };

  /** Waits for the index and tells meanwhile. @returns false when the time was up first */
  const wait = async (
    work: Promise<void>,
    waitMs: number,
    signal: AbortSignal,
    tell: (state: IndexState) => void,
  ): Promise<boolean> => {
    let lastMs = performance.now();
    const onPhase = () => {
      if (performance.now() - lastMs < progressEveryMs) return;
      lastMs = performance.now();
      tell(state());
    };
    waiting.add(onPhase);
    const timer = new AbortController();
    try {
      const timeUp = delay(waitMs, false, { signal: AbortSignal.any([timer.signal, signal]) });
      // Whoever waits looks at the signal itself.
      return await Promise.race([work.then(() => true), timeUp.catch(() => false)]);
    } finally {
      waiting.delete(onPhase);
      timer.abort();
    }
  };

  const isFresh = () =>
    isCurrent && watching?.isReliable() === true && (opened?.index.size().files ?? 0) > alwaysListed;

  /** @returns whether the index holds the notes as they were when the request came, or later */
  const bringUp = async (
    request: SearchRequest,
    signal: AbortSignal,
    tell: (state: IndexState) => void,
  ): Promise<boolean> => {
    if (!request.syncs && isCurrent) return true;
    const deadlineMs = performance.now() + request.waitMs;
    // One that runs may have passed a note that changed since; the next one has not.
    for (let before = running; ; before = null) {
      if (before === null && isFresh()) return true;
      const work = before ?? sync();
      if (request.waitMs === 0) return false;
      const isDone = await wait(work, Math.max(0, deadlineMs - performance.now()), signal, tell);
      if (before === null || !isDone) return isDone && problem === null;
    }
  };

  const search = async (
    request: SearchRequest,
    signal: AbortSignal,
    tell: (state: IndexState) => void,
  ): Promise<SearchAnswer> => {
    for (let attempt = 1; ; attempt += 1) {
      const isCurrentNow = await bringUp(request, signal, tell);
      signal.throwIfAborted();
      if (settings === null) throw new AppError("INTERNAL", "The memory engine has no settings.");
      const hardening = new Set(settings.hardening);
      try {
        const notices: string[] = [];
        const { index, vectors } = open(settings.indexPath);
        const isSameModel = index.readMeta() === metaOf(settings);
        const asked =
          embeddings === null || !isSameModel || vectors.count() === 0
            ? null
            : await embeddings.embedQuery(request.query, signal);
        if (asked?.kind === "failed" && !hardening.has("memory.keywordsWithoutEmbeddings")) throw asked.error;
        if (asked?.kind === "failed") notices.push(`${messageOf(asked.error)} Searched by keywords only.`);
        // The wait for the service may have brought another index.
        const now = open(settings.indexPath);
        const found = searchIndex({
          index: now.index,
          vectors: now.vectors,
          request,
          queryVector: asked?.kind === "vector" ? asked.vector : null,
          hardening,
        });
        const mode = asked?.kind === "vector" ? "hybrid" : "fts-only";
        const answered = { ...state(), isCurrent: isCurrentNow };
        // What happened to the index is told once.
        events.length = 0;
        return { hits: found.hits, mode, index: answered, notices: [...notices, ...found.notices] };
      } catch (error) {
        if (!isDamage(error) || attempt > 1) throw error;
        await running;
        throwAway(error);
      }
    }
  };

  return {
    async handle(call, signal, onProgress) {
      if (isDisposed) throw new AppError("UNAVAILABLE", "The memory index is closing.");
      if (call.kind === "state") return state();
      await configure(call.settings);
      if (call.kind === "search") return search(call.request, signal, onProgress);
      await sync();
      return state();
    },
    async dispose() {
      if (isDisposed) return;
      isDisposed = true;
      ending.abort(new AppError("CANCELLED", "The memory index is closing."));
      clearTimeout(quiet);
      clearInterval(regular);
      await watching?.close();
      await running;
      opened?.index.close();
      opened = null;
    },
  };
}
