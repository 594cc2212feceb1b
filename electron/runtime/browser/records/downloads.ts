/** Keeps what pages download: into one private folder, bounded in size and number, on the record of their page. */

import { randomUUID } from "node:crypto";
import { chmod, link, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, CDPSession } from "playwright-core";
import type { BrowserDownloadEntry } from "../../../../shared/contract/index.ts";
import { clip, sizeText } from "../../../../shared/files/index.ts";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import { browserProblem } from "../problems.ts";
import type { PageRecords } from "./pageRecords.ts";
import { safeFileName } from "./safeNames.ts";

export interface DownloadLimits {
  maxFileBytes: number;
  /** New ones within a minute, over all pages of a profile. */
  maxPerMinute: number;
  /** At the same time. */
  maxRunning: number;
}

export const downloadLimits: DownloadLimits = {
  maxFileBytes: 200 * 1024 * 1024,
  maxPerMinute: 20,
  maxRunning: 5,
};

export interface SavedDownload {
  url: string;
  suggestedFilename: string;
  path: string;
  sizeBytes: number;
}

export interface DownloadDesk {
  /**
   * The next download that this page begins, once it is saved. Arm it before what triggers it.
   * @param path where to put it, already checked; absent: a name of ours
   * @throws AppError TIMEOUT, TOOL_FAILED with the reason
   */
  next(
    records: PageRecords,
    options: { timeoutMs: number; path?: string; signal?: AbortSignal },
  ): Promise<SavedDownload>;
  /** Downloads that still run, by page. */
  running(records: PageRecords): number;
  dispose(): Promise<void>;
}

interface Running {
  records: PageRecords;
  entry: BrowserDownloadEntry;
  waiter: Waiter | null;
  isRefused: boolean;
}

interface Waiter {
  records: PageRecords;
  path: string | undefined;
  resolve(saved: SavedDownload): void;
  reject(error: Error): void;
}

interface WillBegin {
  frameId: string;
  guid: string;
  url: string;
  suggestedFilename: string;
}
interface Progress {
  guid: string;
  totalBytes: number;
  receivedBytes: number;
  state: "inProgress" | "completed" | "canceled";
}

/**
 * Takes over the downloads of a browser that runs on this machine.
 * @param deps.recordsOf the page that holds a frame; frames of no known page go to the newest one
 */
export async function createDownloadDesk(deps: {
  browser: Browser;
  /** Saved files; exists. */
  folder: string;
  limits: DownloadLimits;
  recordsOf(frameId: string): Promise<PageRecords | null>;
  clock: Clock;
  logger: Logger;
}): Promise<DownloadDesk> {
  const { clock, limits, logger } = deps;
  const partDir = join(deps.folder, `.parts-${randomUUID()}`);
  await mkdir(partDir, { mode: 0o700 });
  const running = new Map<string, Running>();
  const waiters = new Set<Waiter>();
  let begun: number[] = [];
  const session: CDPSession = await deps.browser.newBrowserCDPSession();

  const cancel = (guid: string, reason: string) => {
    const download = running.get(guid);
    if (download === undefined || download.isRefused) return;
    download.isRefused = true;
    download.records.update("downloads", download.entry.id, { state: "refused", reason });
    download.waiter?.reject(browserProblem("download_failed", `The download was refused: ${reason}`));
    // It may have ended meanwhile; its file is removed then.
    session.send("Browser.cancelDownload", { guid }).catch(() => {});
  };

  const begin = async (event: WillBegin) => {
    const nowMs = clock.nowMs();
    begun = [...begun.filter((atMs) => nowMs - atMs < 60_000), nowMs];
    const tooMany = begun.length > limits.maxPerMinute || running.size >= limits.maxRunning;
    if (tooMany) session.send("Browser.cancelDownload", { guid: event.guid }).catch(() => {});
    const records = await deps.recordsOf(event.frameId);
    if (records === null) return;
    const entry = records.add("downloads", {
      atMs: nowMs,
      url: clip(event.url, 2000),
      suggestedFilename: safeFileName(event.suggestedFilename),
      state: tooMany ? "refused" : "running",
      path: null,
      sizeBytes: null,
      reason: tooMany
        ? `more than ${limits.maxRunning} downloads at a time or ${limits.maxPerMinute} a minute`
        : null,
    });
    const waiter = [...waiters].find((candidate) => candidate.records === records) ?? null;
    if (waiter !== null) waiters.delete(waiter);
    running.set(event.guid, { records, entry, waiter, isRefused: false });
    if (tooMany) {
      waiter?.reject(browserProblem("download_failed", `The download was refused: ${entry.reason}.`));
      running.delete(event.guid);
    }
  };

  const end = async (event: Progress) => {
    const download = running.get(event.guid);
    if (download === undefined) return;
    running.delete(event.guid);
    const { records, entry, waiter } = download;
    const part = join(partDir, event.guid);
    if (event.state === "canceled" || download.isRefused) {
      if (!download.isRefused)
        records.update("downloads", entry.id, { state: "failed", reason: "cancelled" });
      waiter?.reject(
        browserProblem("download_failed", `The download of ${entry.suggestedFilename} was cancelled.`),
      );
      await rm(part, { force: true });
      return;
    }
    try {
      const path = waiter?.path ?? join(deps.folder, `${randomUUID()}-${entry.suggestedFilename}`);
      await chmod(part, 0o600);
      // A link fails where a file exists, so nothing is ever overwritten.
      await link(part, path);
      await rm(part, { force: true });
      const sizeBytes = event.receivedBytes;
      records.update("downloads", entry.id, { state: "saved", path, sizeBytes });
      waiter?.resolve({ url: entry.url, suggestedFilename: entry.suggestedFilename, path, sizeBytes });
    } catch (error) {
      logger.warn("browser.downloadNotSaved", { error });
      records.update("downloads", entry.id, { state: "failed", reason: "it could not be saved" });
      waiter?.reject(browserProblem("download_failed", "The download could not be saved.", { cause: error }));
      await rm(part, { force: true });
    }
  };

  // One after the other: the end of a small file can come before its beginning was looked up.
  let queue: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    queue = queue.then(work).catch((error: unknown) => logger.warn("browser.downloadFailed", { error }));
  };
  session.on("Browser.downloadWillBegin", (event: WillBegin) => inTurn(() => begin(event)));
  session.on("Browser.downloadProgress", (event: Progress) =>
    inTurn(async () => {
      if (event.state !== "inProgress") return end(event);
      if (Math.max(event.receivedBytes, event.totalBytes) > limits.maxFileBytes) {
        cancel(event.guid, `it is larger than ${sizeText(limits.maxFileBytes)}`);
      }
    }),
  );
  await session.send("Browser.setDownloadBehavior", {
    behavior: "allowAndName",
    downloadPath: partDir,
    eventsEnabled: true,
  });

  return {
    next(records, { timeoutMs, path, signal }) {
      return new Promise((resolve, reject) => {
        const settle = () => {
          stopTimer();
          waiters.delete(waiter);
          signal?.removeEventListener("abort", abort);
        };
        const waiter: Waiter = {
          records,
          path,
          resolve(saved) {
            settle();
            resolve(saved);
          },
          reject(error) {
            settle();
            reject(error);
          },
        };
        const abort = () =>
          waiter.reject(browserProblem("cancelled", "Cancelled while waiting for a download."));
        const stopTimer = clock.after(timeoutMs, () =>
          waiter.reject(
            browserProblem(
              "slow_page",
              `No download was finished within ${timeoutMs} ms. The page may not have begun one; look at a snapshot, or give a larger timeoutMs.`,
            ),
          ),
        );
        signal?.addEventListener("abort", abort, { once: true });
        waiters.add(waiter);
      });
    },
    running: (records) => [...running.values()].filter((download) => download.records === records).length,
    async dispose() {
      for (const waiter of [...waiters, ...[...running.values()].flatMap(({ waiter }) => waiter ?? [])]) {
        waiter.reject(browserProblem("browser_dead", "The browser ended before the download was finished."));
      }
      running.clear();
      // Its browser may be gone already.
      session.detach().catch(() => {});
      await rm(partDir, { recursive: true, force: true });
    },
  };
}

const oldPartsMs = 86_400_000;

/** Removes what a run left behind that was ended hard; other running programs share the folder. */
export async function removeOldParts(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(".parts-")) continue;
    const path = join(folder, name);
    if (nowMs - (await stat(path)).mtimeMs > oldPartsMs) await rm(path, { recursive: true, force: true });
  }
}
