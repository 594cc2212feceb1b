/** One page of a managed browser with what is known about it. */

import type { CDPSession, Page } from "playwright-core";
import { withinTime } from "../actions/withinTime.ts";
import type { DialogDesk } from "../records/dialogs.ts";
import type { PageRecords } from "../records/pageRecords.ts";

export interface Tab {
  /** 32 hex digits, upper case. */
  targetId: string;
  profile: string;
  page: Page;
  cdp: CDPSession;
  records: PageRecords;
  dialogs: DialogDesk;
  /** The session that opened it; null when a person or the page itself did. */
  sessionKey: string | null;
  openerTargetId: string | null;
  lastUsedAtMs: number;
  state: TabState;
  /** An agent or the panel worked in it, or it was opened by such a tab. */
  isUsed: boolean;
  /** Requests of the page that were not answered yet, and the one that loads the next document. */
  inFlight: {
    navigation: number;
    data: number;
    /** Windows that it is opening and that did not appear yet. */
    windows: number;
  };
  /** Pictures for which Chromium gives the page another size while they are taken; live views skip that. */
  resizing: { count: number; onOver: Set<() => void> };
  /** Typed into password fields and the like; never shown again. */
  secrets: Set<string>;
}

export type TabState =
  | { kind: "open" }
  /** Its renderer ended; the page object is of no use any more. */
  | { kind: "crashed" }
  | { kind: "closed"; reason: string };

/** Marks the time in which a picture is taken that the page gets another size for. */
export async function whileResized<T>({ resizing }: Tab, work: () => Promise<T>): Promise<T> {
  resizing.count += 1;
  try {
    return await work();
  } finally {
    resizing.count -= 1;
    if (resizing.count === 0) for (const listener of [...resizing.onOver]) listener();
  }
}

/** Resolves as soon as the page has its own size. */
export function whenOwnSize({ resizing }: Tab): Promise<void> {
  if (resizing.count === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      resizing.onOver.delete(over);
      resolve();
    };
    resizing.onOver.add(over);
  });
}

/** Asks for a picture that nobody looks at. */
export async function drawOnce({ cdp }: Tab): Promise<void> {
  await cdp.send("Page.captureScreenshot", { format: "jpeg", quality: 1 });
}

const nudgeEveryMs = 400;

/**
 * Runs a capture of a tab. Chromium sometimes leaves the first picture of a tab in the background undrawn until
 * another one is asked for; that other one is thrown away.
 */
export async function whileNudged<T>(tab: Tab, capture: () => Promise<T>): Promise<T> {
  const nudge = () => {
    // When a picture is over, Chromium gives the page the size that it had when the picture was asked for.
    if (tab.resizing.count > 0) return;
    // It may hang in its turn or find the page gone; the capture itself says what is the matter.
    drawOnce(tab).catch(() => {});
  };
  const timer = setInterval(nudge, nudgeEveryMs);
  try {
    return await capture();
  } finally {
    clearInterval(timer);
  }
}

const infoLimitMs = 3000;

const internalUrl = /^(?:chrome|chrome-untrusted|chrome-extension|devtools|edge|brave):/i;

/** Pages of the browser itself (new tab, settings, extensions) are no tabs of ours. */
export function isInternal(url: string): boolean {
  return internalUrl.test(url);
}

/** Title and address as the browser knows them: answers even when the page's script hangs. */
export async function tabInfo(tab: Tab): Promise<{ title: string; url: string }> {
  if (tab.state.kind !== "open") return { title: "", url: tab.page.url() };
  try {
    const { targetInfo } = await withinTime(tab.cdp.send("Target.getTargetInfo"), {
      timeoutMs: infoLimitMs,
      onTimeout: () => new Error("no answer"),
    });
    return { title: targetInfo.title, url: targetInfo.url };
  } catch {
    // It went away between the look and the question; what Playwright knows is good enough for a list.
    return { title: "", url: tab.page.url() };
  }
}
