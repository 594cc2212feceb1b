/** Reads pages beside the main thread: one worker, one page at a time, with a limit on time and memory. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Logger } from "../logging/logger.ts";
import { whileNotAborted } from "./abort.ts";
import { netProblem, shownUrl } from "./netProblem.ts";
import { type PageRequest, type PageText, readPage } from "./readPage.ts";

export interface PageReader {
  /** @throws AppError kind `timeout` when even the plain way takes too long; the signal's reason on cancel */
  read(request: PageRequest, signal: AbortSignal): Promise<PageText>;
  dispose(): Promise<void>;
}

/** Reading so little takes less time than sending it to a worker. */
const inlineChars = 4_000;
/** Without a worker, larger pages get no article extraction: it would hold up everything else. */
const inlineArticleChars = 300_000;
type Failure = "time" | "error" | "exit";

const idleMs = 60_000;
const maxHeapMb = 1024;

export interface PageReaderDeps {
  logger: Logger;
  /** The built `pageWorker.ts`; null: everything is read on this thread (sources that are not built). */
  workerUrl: URL | null;
  /** Longest time for one page; then all visible text is taken instead of the article. */
  timeLimitMs?: number;
}

/** @returns the worker beside the built programs: `out/pageWorker/index.js`; null when there is none */
export function builtPageWorker(from: string): URL | null {
  const url = new URL("../pageWorker/index.js", from);
  return url.protocol === "file:" && existsSync(fileURLToPath(url)) ? url : null;
}

export function createPageReader(deps: PageReaderDeps): PageReader {
  const { logger, timeLimitMs = 20_000 } = deps;
  let workerUrl = deps.workerUrl;
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  const end = async () => {
    const ending = worker;
    worker = null;
    if (idle !== null) clearTimeout(idle);
    idle = null;
    await ending?.terminate();
  };

  const start = (url: URL): Worker => {
    // No environment: keys of services are none of a page's business.
    const started = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb }, env: {} });
    // One that dies between two pages must not be asked again.
    started.once("exit", () => {
      if (worker === started) worker = null;
    });
    worker = started;
    return started;
  };

  /** One page in the worker; the reason when it ran out of time or memory, or could not start. */
  const inWorker = (url: URL, request: PageRequest, signal: AbortSignal) =>
    new Promise<PageText | Failure>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (idle !== null) clearTimeout(idle);
      idle = null;
      const current = worker ?? start(url);
      current.ref();
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        current.off("error", onError);
        current.off("exit", onExit);
        current.off("message", onMessage);
        // A late error of a worker that is being ended concerns nobody any more.
        if (current.listenerCount("error") === 0) current.on("error", () => {});
        finish();
      };
      const fail = (why: Failure, error?: unknown) =>
        settle(() => {
          logger.warn("web.pageReaderFailed", { why, error, chars: request.html.length });
          void end().finally(() => resolve(why));
        });
      const onAbort = () => settle(() => void end().finally(() => reject(signal.reason)));
      const timer = setTimeout(() => fail("time"), timeLimitMs);
      signal.addEventListener("abort", onAbort, { once: true });
      const onError = (error: unknown) => fail("error", error);
      const onExit = () => fail("exit");
      const onMessage = (page: PageText) =>
        settle(() => {
          current.unref();
          idle = setTimeout(() => void end(), idleMs);
          idle.unref();
          resolve(page);
        });
      current.on("error", onError);
      current.on("exit", onExit);
      current.on("message", onMessage);
      current.postMessage(request);
    });

  const onThisThread = (request: PageRequest): PageText =>
    readPage({ ...request, maxArticleChars: Math.min(request.maxArticleChars, inlineArticleChars) });

  const readNext = async (request: PageRequest, signal: AbortSignal): Promise<PageText> => {
    if (workerUrl === null || request.html.length <= inlineChars) return onThisThread(request);
    const first = await inWorker(workerUrl, request, signal);
    if (typeof first !== "string") return first;
    // Once more without the part that takes time.
    const second = await inWorker(workerUrl, { ...request, useArticle: false }, signal);
    if (typeof second !== "string") return second;
    if (second === "time") {
      throw netProblem("timeout", `The page at ${shownUrl(request.url)} takes too long to read.`);
    }
    logger.warn("web.pageWorkerUnusable", {});
    workerUrl = null;
    return onThisThread({ ...request, useArticle: false });
  };

  return {
    read(request, signal) {
      signal.throwIfAborted();
      const mine = queue.then(() => {
        signal.throwIfAborted();
        return readNext(request, signal);
      });
      // The next page waits for this one to end, however it ends.
      queue = mine.catch(() => {});
      return whileNotAborted(mine, signal);
    },
    dispose: end,
  };
}
