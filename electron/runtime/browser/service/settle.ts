/** Waits a moment after an act until the page has reacted, and collects what the act caused. */

import type { Page } from "playwright-core";
import { clip, sizeText } from "../../../../shared/files/index.ts";
import { nextPaint } from "../actions/pageScripts.ts";
import { pause, withinTime } from "../actions/withinTime.ts";
import type { BlockedRequest } from "../browserTypes.ts";
import type { RecordMark } from "../records/pageRecords.ts";
import { importance } from "../records/pageRecords.ts";
import type { Tab } from "../tabs/tab.ts";
import type { CausedEvent } from "./serviceTypes.ts";

const paintLimitMs = 400;
const dataLimitMs = 1000;
const navigationLimitMs = 8000;
const windowLimitMs = 3000;
const downloadLimitMs = 1500;
const stepMs = 20;
const maxLines = 5;

/** @param before what the page was waiting for when the act began: only what came on top is waited for */
export async function settle(
  tab: Tab,
  mark: RecordMark,
  before: Tab["inFlight"],
  signal: AbortSignal | undefined,
): Promise<void> {
  const startedMs = performance.now();
  const elapsed = () => performance.now() - startedMs;
  const isOpen = () => tab.state.kind === "open" && !tab.page.isClosed();
  const { inFlight, page } = tab;
  await quietly(page.evaluate(nextPaint), paintLimitMs);
  const isNavigating = () => inFlight.navigation > before.navigation;
  const isLoading = () => inFlight.data > before.data && elapsed() < dataLimitMs;
  const isOpeningWindow = () => inFlight.windows > before.windows && elapsed() < windowLimitMs;
  let navigated = false;
  while (isOpen() && elapsed() < navigationLimitMs && (isNavigating() || isLoading() || isOpeningWindow())) {
    navigated ||= isNavigating();
    await pause(stepMs, signal);
  }
  // A window that only carried a download never appears; the next act must not wait for it again.
  inFlight.windows = before.windows;
  if (isOpen()) {
    const restMs = navigated ? Math.max(200, navigationLimitMs - elapsed()) : paintLimitMs;
    await documentReady(page, restMs);
  }
  const hasRunningDownload = () =>
    tab.records.since("downloads", mark).some((download) => download.state === "running");
  const untilMs = elapsed() + downloadLimitMs;
  while (hasRunningDownload() && elapsed() < untilMs) await pause(stepMs, signal);
}

/**
 * Waits until the document is parsed. Asked of the page itself: a page that comes back from the browser's cache of
 * whole pages never tells of being loaded.
 * @returns false when the time was over before
 */
export async function documentReady(page: Page, limitMs: number): Promise<boolean> {
  const untilMs = performance.now() + limitMs;
  const look = async (): Promise<boolean> => {
    while (performance.now() < untilMs && !page.isClosed()) {
      const state = await page.evaluate("document.readyState").catch(() => "loading");
      if (state !== "loading") return true;
      await pause(stepMs);
    }
    return false;
  };
  return withinTime(look(), { timeoutMs: limitMs, onTimeout: () => new Error("not ready") }).catch(
    () => false,
  );
}

/** Settling is a courtesy: a page that does not answer in time is reported as it is. */
async function quietly(work: Promise<unknown>, limitMs: number): Promise<void> {
  await withinTime(work, { timeoutMs: limitMs, onTimeout: () => new Error("not settled") }).catch(() => {});
}

/** @param blockedSince refusals of the guard for this profile since the act began */
export function causedEvents(
  tab: Tab,
  mark: RecordMark,
  blockedSince: readonly BlockedRequest[],
): CausedEvent[] {
  const { records } = tab;
  const events: CausedEvent[] = [];
  const add = (kind: CausedEvent["kind"], lines: string[]) => {
    for (const text of lines.slice(0, maxLines)) events.push({ kind, text });
    const more = lines.length - maxLines;
    if (more > 0) events.push({ kind, text: `${more} more` });
  };
  add(
    "dialog",
    records.since("dialogs", mark).map(({ kind, message, answer, answeredBy }) => {
      const how = answeredBy === "armed" ? `${answer} as armed` : "dismissed, because no answer was armed";
      return `${kind} ${JSON.stringify(clip(message, 300))} ${how}`;
    }),
  );
  add(
    "download",
    records.since("downloads", mark).map(({ suggestedFilename, state, path, sizeBytes, reason }) => {
      const name = JSON.stringify(clip(suggestedFilename, 120));
      if (state === "saved") return `${name} saved as ${path} (${sizeText(sizeBytes ?? 0)})`;
      return `${name} ${state}${reason === null ? "" : `: ${reason}`}`;
    }),
  );
  add(
    "popup",
    records
      .since("popups", mark)
      .map(({ url, targetId, closedBecause }) =>
        closedBecause === null
          ? `new tab ${targetId ?? ""} ${clip(url, 300)}`
          : `a new tab was closed, because ${closedBecause}`,
      ),
  );
  add(
    "blocked",
    blockedSince.map((request) => `${request.what} ${clip(request.url, 300)} refused: ${request.message}`),
  );
  add(
    "error",
    records.since("errors", mark).map((error) => `${error.name}: ${clip(error.message, 300)}`),
  );
  add(
    "console",
    records
      .since("console", mark)
      .filter((entry) => importance(entry.type) === 3)
      // Browsers ask for this by themselves; that it is missing says nothing about the act.
      .filter((entry) => entry.location?.includes("/favicon.ico") !== true)
      .map((entry) => clip(entry.text, 300)),
  );
  add(
    "request",
    records
      .since("requests", mark)
      .filter(
        (request) => request.ok === false && ["fetch", "xhr", "document"].includes(request.resourceType),
      )
      .map(
        ({ method, url, status, failure }) =>
          `${method} ${clip(url, 200)} → ${failure ?? status ?? "failed"}`,
      ),
  );
  return events;
}
