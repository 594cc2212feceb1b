/** Looking at a page: snapshots, pictures, print-outs. Nothing here changes it. */

import type { ElementHandle } from "playwright-core";
import { clip } from "../../../../shared/files/index.ts";
import { actionProblem, isTimeout } from "../actions/actionProblem.ts";
import { bareRef } from "../actions/elements.ts";
import { withinTime } from "../actions/withinTime.ts";
import type { Snapshot, SnapshotEngine, SnapshotRequest } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import { drawOnce, type Tab, whileNudged, whileResized } from "../tabs/tab.ts";
import { type Box, normalizePicture, type Picture } from "./pictures.ts";

export const lookTimeoutMs = 20_000;

/** @throws AppError busy_page when the page does not answer, page_crashed, tab_closed */
export async function takeSnapshot(
  tab: Tab,
  engine: SnapshotEngine,
  request: SnapshotRequest,
  signal?: AbortSignal,
  timeoutMs = lookTimeoutMs,
): Promise<Snapshot> {
  return looking("The snapshot", timeoutMs, signal, () => engine.take(tab.page, request));
}

export interface ScreenshotRequest {
  fullPage: boolean;
  ref?: string | undefined;
  /** CSS selector, first match. */
  element?: string | undefined;
  type: "png" | "jpeg";
  maxSide?: number | undefined;
}

/** @throws AppError bad_request for fullPage with an element, nothing_matches, unknown_ref, stale_ref, busy_page */
export async function takeScreenshot(
  tab: Tab,
  engine: SnapshotEngine,
  request: ScreenshotRequest,
  signal?: AbortSignal,
): Promise<Picture & { scale: number }> {
  const { ref, element, fullPage, type } = request;
  if (fullPage && (ref !== undefined || element !== undefined)) {
    throw browserProblem(
      "bad_request",
      "fullPage is not supported for element screenshots. Leave one of them away.",
    );
  }
  const options = {
    type,
    timeout: lookTimeoutMs,
    animations: "disabled" as const,
    scale: "css" as const,
    ...(type === "jpeg" ? { quality: 85 } : {}),
  };
  const handle = await elementFor(tab, engine, ref, element);
  const take = () =>
    handle === null ? tab.page.screenshot({ ...options, fullPage }) : handle.screenshot(options);
  const isViewport = handle === null && !fullPage;
  const bytes = await looking("The picture", lookTimeoutMs, signal, async () => {
    if (isViewport) return whileNudged(tab, take);
    // Drawn once in its own size: a tab in the background may need to be asked twice, and not while it is resized.
    await whileNudged(tab, () => drawOnce(tab));
    return whileResized(tab, take);
  });
  const original = await normalizePicture(bytes, 100_000);
  const picture = await normalizePicture(bytes, request.maxSide);
  return { ...picture, scale: picture.width / original.width };
}

async function elementFor(
  tab: Tab,
  engine: SnapshotEngine,
  ref: string | undefined,
  selector: string | undefined,
): Promise<ElementHandle | null> {
  if (ref !== undefined) return (await engine.resolve(tab.page, bareRef(ref))).handle;
  if (selector === undefined) return null;
  let found: ElementHandle | null;
  try {
    found = await tab.page.$(selector);
  } catch (error) {
    throw actionProblem(error, clip(selector, 200), lookTimeoutMs);
  }
  if (found === null) {
    throw browserProblem(
      "nothing_matches",
      `Nothing on the page matches the selector ${clip(selector, 200)}.`,
    );
  }
  return found;
}

/** @returns boxes of refs in pixels of a picture of the viewport; empty when they cannot be had */
export async function boxesFor(tab: Tab, engine: SnapshotEngine, scale: number): Promise<Box[]> {
  const boxes = await looking("The places of the refs", lookTimeoutMs, undefined, () =>
    engine.boxes(tab.page),
  );
  return boxes.map(({ ref, x, y, width, height }) => ({
    ref,
    x: x * scale,
    y: y * scale,
    width: width * scale,
    height: height * scale,
  }));
}

/** @throws AppError unsupported when this browser cannot print */
export async function printPdf(tab: Tab, signal?: AbortSignal): Promise<Buffer> {
  try {
    return await withinTime(tab.page.pdf({ printBackground: true }), {
      timeoutMs: lookTimeoutMs,
      signal,
      onTimeout: () => busy("The print-out", lookTimeoutMs),
    });
  } catch (error) {
    if (error instanceof Error && /PrintToPDF is not implemented|printToPDF/i.test(error.message)) {
      throw browserProblem(
        "unsupported",
        "This browser cannot print to PDF while it has a window. Set browser.headless to true, or take a screenshot with fullPage.",
        { cause: error },
      );
    }
    throw actionProblem(error, "The print-out", lookTimeoutMs);
  }
}

async function looking<T>(
  what: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withinTime(work(), {
      timeoutMs: timeoutMs + 500,
      signal,
      onTimeout: () => busy(what, timeoutMs),
    });
  } catch (error) {
    throw isTimeout(error) ? busy(what, timeoutMs) : actionProblem(error, what, timeoutMs);
  }
}

function busy(what: string, timeoutMs: number) {
  return browserProblem(
    "busy_page",
    `${what} was not ready within ${timeoutMs / 1000} s: a script of the page keeps it busy. Wait and try again, navigate elsewhere, or close the tab.`,
  );
}
