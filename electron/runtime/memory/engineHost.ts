/** Keeps one agent's engine in a worker: starts it when it is needed, ends it when it is not, starts it again after a crash. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { AppError, type ErrorCode, errorCodes, messageOf } from "../../../shared/errors/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { createMemoryEngine, type MemoryEngine } from "./createMemoryEngine.ts";
import type { EngineCall, FromEngine, IndexState, SearchAnswer, ToEngine } from "./memoryTypes.ts";

export interface EngineHost {
  /**
   * @throws AppError UNAVAILABLE when the worker stopped more than once during this call or too often lately; the
   *   signal's reason on cancel
   */
  call(
    call: EngineCall,
    signal: AbortSignal,
    onProgress?: (state: IndexState) => void,
  ): Promise<EngineAnswer>;
  dispose(): Promise<void>;
}

export interface EngineAnswer {
  value: SearchAnswer | IndexState;
  /** The worker stopped during the call and was started again. */
  restarts: number;
}

export interface EngineHostDeps {
  logger: Logger;
  /** The built `memoryWorker.ts`; null: everything runs on this thread (sources that are not built). */
  workerUrl: URL | null;
  /** For an engine on this thread. */
  fetch: GuardedFetch;
  /** Told of every worker that starts; for tests. */
  onWorker?: (worker: Worker) => void;
}

const idleMs = 15 * 60_000;
const maxHeapMb = 768;
const closeWithinMs = 5_000;
/** A note that makes the worker stop each time must not keep it starting for ever. */
const maxStops = 4;
const stopsWithinMs = 10 * 60_000;

/** @returns the worker beside the built programs: `out/memoryWorker/index.js`; null when there is none */
export function builtMemoryWorker(from: string): URL | null {
  const url = new URL("../memoryWorker/index.js", from);
  return url.protocol === "file:" && existsSync(fileURLToPath(url)) ? url : null;
}

interface Pending {
  settle(message: Exclude<FromEngine, { kind: "log" }>): void;
  stopped(why: string): void;
}

interface Running {
  worker: Worker;
  pending: Map<number, Pending>;
}

class WorkerStopped extends Error {}

export function createEngineHost(deps: EngineHostDeps): EngineHost {
  const { logger } = deps;
  let running: Running | null = null;
  let inline: MemoryEngine | null = null;
  let idle: NodeJS.Timeout | undefined;
  let nextId = 1;
  let isDisposed = false;
  let stops: number[] = [];

  const start = (url: URL): Running => {
    // No environment: keys come with the settings of a call, one service's and no other's.
    const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb }, env: {} });
    worker.unref();
    const started: Running = { worker, pending: new Map() };
    let why = "it ended";
    worker.on("message", (message: FromEngine) => {
      if (message.kind === "log") logger[message.level](message.event, message.fields);
      else started.pending.get(message.id)?.settle(message);
    });
    worker.on("error", (error) => {
      why = messageOf(error);
    });
    worker.once("exit", () => {
      if (running === started) running = null;
      const pending = [...started.pending.values()];
      if (pending.length > 0 || !isDisposed)
        logger.warn("memory.workerStopped", { why, calls: pending.length });
      for (const one of pending) one.stopped(why);
    });
    running = started;
    deps.onWorker?.(worker);
    return started;
  };

  const inWorker = (
    url: URL,
    call: EngineCall,
    signal: AbortSignal,
    onProgress: (state: IndexState) => void,
  ) =>
    new Promise<SearchAnswer | IndexState>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const current = running ?? start(url);
      const id = nextId;
      nextId += 1;
      const post = (message: ToEngine) => current.worker.postMessage(message);
      const done = (finish: () => void) => {
        current.pending.delete(id);
        signal.removeEventListener("abort", onAbort);
        if (current.pending.size === 0) current.worker.unref();
        finish();
      };
      const onAbort = () => {
        post({ id, cancel: true });
        done(() => reject(signal.reason));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      current.worker.ref();
      current.pending.set(id, {
        settle(message) {
          if (message.kind === "progress") onProgress(message.state);
          else if (message.kind === "answer") done(() => resolve(message.value));
          else done(() => reject(errorOf(message)));
        },
        stopped: (why) => done(() => reject(new WorkerStopped(why))),
      });
      post({ id, call });
    });

  const rest = () => {
    clearTimeout(idle);
    idle = setTimeout(() => void end(), idleMs).unref();
  };

  const end = async () => {
    clearTimeout(idle);
    const ending = running;
    running = null;
    const engine = inline;
    inline = null;
    await engine?.dispose();
    if (ending === null) return;
    const { worker } = ending;
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.ref();
    worker.postMessage("close");
    const timer = setTimeout(() => void worker.terminate(), closeWithinMs);
    await exited;
    clearTimeout(timer);
  };

  const call = async (
    url: URL,
    request: EngineCall,
    signal: AbortSignal,
    onProgress: (state: IndexState) => void,
  ) => {
    for (let restarts = 0; ; restarts += 1) {
      const now = performance.now();
      stops = stops.filter((at) => now - at < stopsWithinMs);
      if (stops.length >= maxStops) throw unusable("stopped too often in the last minutes");
      try {
        return { value: await inWorker(url, request, signal, onProgress), restarts };
      } catch (error) {
        if (!(error instanceof WorkerStopped)) throw error;
        if (isDisposed) throw new AppError("CANCELLED", "The memory index is closing.");
        stops.push(performance.now());
        if (restarts >= 1) throw unusable(`stopped twice (${error.message})`);
      }
    }
  };

  return {
    async call(request, signal, onProgress = () => {}) {
      if (isDisposed) throw new AppError("UNAVAILABLE", "The memory index is closing.");
      clearTimeout(idle);
      try {
        if (deps.workerUrl !== null) return await call(deps.workerUrl, request, signal, onProgress);
        inline ??= createMemoryEngine({
          fetch: deps.fetch,
          log: (level, event, fields) => logger[level](event, fields),
        });
        return { value: await inline.handle(request, signal, onProgress), restarts: 0 };
      } finally {
        if (!isDisposed) rest();
      }
    },
    async dispose() {
      isDisposed = true;
      await end();
    },
  };
}

function unusable(what: string): AppError {
  return new AppError(
    "UNAVAILABLE",
    `The program part that searches the notes ${what}. Read notes with memory_get, and look into the log.`,
    { data: { kind: "worker" } },
  );
}

function errorOf(message: Extract<FromEngine, { kind: "error" }>): AppError {
  const code: ErrorCode = errorCodes.find((known) => known === message.code) ?? "INTERNAL";
  return new AppError(code, message.message, message.data === undefined ? {} : { data: message.data });
}
