/** Fills a page's records from Playwright's events, from the moment of attaching. */

import type { ConsoleMessage, Page, Request } from "playwright-core";
import { clip } from "../../../../shared/files/index.ts";
import type { Clock } from "../../clock.ts";
import type { PageRecords } from "../records/pageRecords.ts";
import type { Tab } from "./tab.ts";

const maxConsoleChars = 4000;
const maxUrlChars = 2000;

/** Requests whose answers change what a page shows. */
const dataTypes: ReadonlySet<string> = new Set(["fetch", "xhr"]);

/**
 * @param inFlight is kept up to date with what the page waits for
 * @param hide takes secrets out of a text, before it is cut: half of one is one too
 */
export function watchPage(
  page: Page,
  records: PageRecords,
  inFlight: Tab["inFlight"],
  clock: Clock,
  hide: (text: string) => string,
): void {
  const requests = new WeakMap<Request, string>();
  const open = new WeakSet<Request>();
  const count = (request: Request, by: 1 | -1) => {
    if (by === -1 && !open.delete(request)) return;
    if (by === 1) open.add(request);
    if (isMainNavigation(page, request)) inFlight.navigation += by;
    else if (dataTypes.has(request.resourceType())) inFlight.data += by;
  };

  page.on("console", (message) => {
    records.add("console", {
      atMs: clock.nowMs(),
      type: message.type(),
      text: clip(hide(message.text()), maxConsoleChars),
      location: locationOf(message, hide),
    });
  });
  page.on("pageerror", (error) => {
    records.add("errors", {
      atMs: clock.nowMs(),
      name: clip(String(error.name), 200),
      message: clip(hide(String(error.message)), maxConsoleChars),
      stack: error.stack === undefined ? null : clip(hide(error.stack), maxConsoleChars),
    });
  });
  page.on("request", (request) => {
    const entry = records.add("requests", {
      atMs: clock.nowMs(),
      method: request.method(),
      url: clip(hide(request.url()), maxUrlChars),
      resourceType: request.resourceType(),
      status: null,
      ok: null,
      failure: null,
    });
    requests.set(request, entry.id);
    count(request, 1);
  });
  page.on("response", (response) => {
    const id = requests.get(response.request());
    if (id === undefined) return;
    records.update("requests", id, { status: response.status(), ok: response.ok() });
    if (isMainNavigation(page, response.request())) count(response.request(), -1);
  });
  page.on("requestfinished", (request) => count(request, -1));
  page.on("requestfailed", (request) => {
    const id = requests.get(request);
    count(request, -1);
    if (id === undefined) return;
    records.update("requests", id, {
      ok: false,
      failure: clip(request.failure()?.errorText ?? "failed", 300),
    });
  });
}

function isMainNavigation(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // The frame of a document that is only being loaded cannot be asked for; such a request is a navigation.
    return true;
  }
}

function locationOf(message: ConsoleMessage, hide: (text: string) => string): string | null {
  const { url, lineNumber, columnNumber } = message.location();
  return url === "" ? null : `${clip(hide(url), maxUrlChars)}:${lineNumber + 1}:${columnNumber + 1}`;
}
