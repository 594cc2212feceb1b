/** The tabs of one running browser: ids, who opened them, which was used last, and how many there may be. */

import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import { withinTime } from "../actions/withinTime.ts";
import { browserProblem } from "../problems.ts";
import { closePage } from "../profiles/closePage.ts";
import { openPage } from "../profiles/openPage.ts";
import { createDialogDesk } from "../records/dialogs.ts";
import { hideSecretsIn } from "../records/hideSecrets.ts";
import { createPageRecords } from "../records/pageRecords.ts";
import { isInternal, type Tab } from "./tab.ts";
import { watchPage } from "./watchPage.ts";

/** Pages of one managed browser; opening more closes the least recently used. */
export const maxTabs = 8;
const createLimitMs = 20_000;
const attachLimitMs = 15_000;
const frameTreeLimitMs = 1000;
/** Windows that one page may open within the time below; more are closed at once. */
const maxPopups = 5;
const popupWindowMs = 10_000;

export interface TabBookDeps {
  profile: string;
  /** A browser of ours, for agents; else one that a person works in, whose own tabs are left alone. */
  isOwn: boolean;
  context: BrowserContext;
  clock: Clock;
  logger: Logger;
  /** Whether the least recently used tabs are closed; else the newest, whoever uses them. */
  closesLeastRecent(): boolean;
  onChanged(): void;
  /** Whether secrets are kept out of records. */
  masksSecrets(): boolean;
  /** A record of a page changed: often, and of less interest. */
  onRecorded(): void;
}

export interface TabBook {
  /** Pages that were there at the start are known now. */
  ready: Promise<void>;
  /** In order of opening; pages of the browser itself are left out. */
  list(): Tab[];
  /**
   * @param targetId whole or an unambiguous prefix, in any case; empty or absent: the last used, else the first tab
   * @returns null only when none was named and there is none
   * @throws AppError tab_not_found, ambiguous_tab
   */
  find(targetId: string | undefined): Tab | null;
  /** Of a page object, once it is known. */
  ofPage(page: Page): Tab | null;
  /** A new, empty tab. */
  create(sessionKey: string | null): Promise<Tab>;
  /** Marks it as the last used. */
  touch(tab: Tab): void;
  lastUsed(): Tab | null;
  close(tab: Tab, reason: string): Promise<void>;
  /**
   * Closes least recently used tabs until the limit holds, but none that another session opened.
   * @returns those that were closed
   */
  enforceLimit(keep: Tab, sessionKey: string | null): Promise<Tab[]>;
  /** Closes what sessions opened that are over. */
  closeSessions(isEnded: (sessionKey: string) => boolean): Promise<number>;
  /** The tab whose page holds this frame, main frame or other. */
  byFrame(frameId: string): Promise<Tab | null>;
  dispose(): void;
}

export function createTabBook(deps: TabBookDeps): TabBook {
  const { context, clock, logger, profile } = deps;
  const tabs = new Map<Page, Tab>();
  const registering = new Map<Page, Promise<Tab | null>>();
  let last: Tab | null = null;

  const register = (page: Page): Promise<Tab | null> => {
    const known = registering.get(page);
    if (known !== undefined) return known;
    const work = withinTime(attach(page), {
      timeoutMs: attachLimitMs,
      onTimeout: () => new Error("the page did not answer"),
    }).catch((error: unknown) => {
      // A page that closes while it is looked at is no tab, and one that never answers must not hold up the others.
      logger.debug("browser.pageNotAttached", { profile, error });
      return null;
    });
    registering.set(page, work);
    return work;
  };

  const attach = async (page: Page): Promise<Tab> => {
    const secrets = new Set<string>();
    const hide = (text: string) => (deps.masksSecrets() ? hideSecretsIn(text, secrets) : text);
    const records = createPageRecords(deps.onRecorded, hide);
    const inFlight = { navigation: 0, data: 0, windows: 0 };
    const dialogs = createDialogDesk({
      clock,
      records,
      isOurs: () => deps.isOwn || (tabs.get(page)?.isUsed ?? false),
      onFlood: (reason) => {
        const tab = tabs.get(page);
        if (tab !== undefined) void close(tab, reason);
        else
          closePage(page).catch((error: unknown) => logger.warn("browser.closeFailed", { profile, error }));
      },
    });
    // Before anything is awaited: what happens meanwhile belongs to the records.
    page.on("dialog", (dialog) => dialogs.handle(dialog));
    watchPage(page, records, inFlight, clock, hide);
    const cdp = await context.newCDPSession(page);
    // Told at once, while the window itself takes its time to appear.
    cdp.on("Page.windowOpen", () => {
      inFlight.windows += 1;
    });
    await cdp.send("Page.enable");
    const { targetInfo } = await cdp.send("Target.getTargetInfo");
    const opener = await page.opener().catch(() => null);
    const openerTab = opener === null ? null : (tabs.get(opener) ?? null);
    const tab: Tab = {
      targetId: targetInfo.targetId,
      profile,
      page,
      cdp,
      records,
      dialogs,
      sessionKey: openerTab?.sessionKey ?? null,
      openerTargetId: openerTab?.targetId ?? null,
      lastUsedAtMs: clock.nowMs(),
      state: { kind: "open" },
      isUsed: openerTab?.isUsed ?? false,
      inFlight,
      resizing: { count: 0, onOver: new Set() },
      secrets,
    };
    tabs.set(page, tab);
    page.on("crash", () => {
      tab.state = { kind: "crashed" };
      deps.onChanged();
    });
    page.once("close", () => forget(tab));
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) deps.onChanged();
    });
    if (page.isClosed()) forget(tab);
    if (openerTab !== null) await receivePopup(tab, openerTab);
    deps.onChanged();
    return tab;
  };

  const receivePopup = async (tab: Tab, opener: Tab) => {
    const nowMs = clock.nowMs();
    const recent = opener.records.list("popups").filter((popup) => nowMs - popup.atMs < popupWindowMs);
    const isStorm = recent.length >= maxPopups && (deps.isOwn || opener.isUsed);
    opener.records.add("popups", {
      atMs: nowMs,
      url: tab.page.url(),
      targetId: isStorm ? null : tab.targetId,
      closedBecause: isStorm
        ? `it was one of more than ${maxPopups} within ${popupWindowMs / 1000} seconds`
        : null,
    });
    opener.inFlight.windows = Math.max(0, opener.inFlight.windows - 1);
    if (isStorm) await close(tab, "popup storm");
    else await enforceLimit(tab, tab.sessionKey);
  };

  const forget = (tab: Tab) => {
    if (tab.state.kind !== "closed") tab.state = { kind: "closed", reason: "it was closed" };
    tabs.delete(tab.page);
    registering.delete(tab.page);
    if (last === tab) last = null;
    deps.onChanged();
  };

  const close = async (tab: Tab, reason: string) => {
    tab.state = { kind: "closed", reason };
    await closePage(tab.page).catch((error: unknown) => {
      // A crashed or closed page is gone already; one that does not let go is closed by the browser.
      logger.debug("browser.closeFailed", { profile, error });
      tab.cdp.send("Target.closeTarget", { targetId: tab.targetId }).catch(() => {});
    });
    forget(tab);
  };

  const list = () => [...tabs.values()].filter((tab) => !isInternal(tab.page.url()));

  const enforceLimit = async (keep: Tab, sessionKey: string | null): Promise<Tab[]> => {
    const closed: Tab[] = [];
    // The tabs of a person's browser, or of one on another computer, are not ours to count.
    if (!deps.isOwn) return closed;
    for (;;) {
      const all = list();
      if (all.length <= maxTabs) return closed;
      const others = all.filter((tab) => tab !== keep);
      const [victim] = deps.closesLeastRecent()
        ? others
            .filter((tab) => tab.sessionKey === null || tab.sessionKey === sessionKey)
            .sort((a, b) => a.lastUsedAtMs - b.lastUsedAtMs)
        : others.reverse();
      if (victim === undefined) return closed;
      await close(victim, `the limit of ${maxTabs} tabs was reached and it was used least recently`);
      closed.push(victim);
    }
  };

  const onPage = (page: Page) => void register(page);
  context.on("page", onPage);
  const ready = Promise.all(context.pages().map(register)).then(() => {});

  return {
    ready,
    list,
    find(targetId) {
      const wanted = targetId?.trim().toUpperCase() ?? "";
      const all = [...tabs.values()];
      if (wanted === "") {
        if (last !== null && tabs.has(last.page)) return last;
        return list()[0] ?? null;
      }
      const exact = all.find((tab) => tab.targetId.toUpperCase() === wanted);
      if (exact !== undefined) return exact;
      const matches = all.filter((tab) => tab.targetId.toUpperCase().startsWith(wanted));
      const [only] = matches;
      if (only === undefined) {
        throw browserProblem(
          "tab_not_found",
          `There is no tab ${targetId} in profile ${profile}. It may have been closed; action tabs lists the open ones.`,
        );
      }
      if (matches.length > 1) {
        throw browserProblem(
          "ambiguous_tab",
          `${targetId} is the beginning of ${matches.length} tab ids (ambiguous target id prefix). Give more digits.`,
        );
      }
      return only;
    },
    ofPage: (page) => tabs.get(page) ?? null,
    async create(sessionKey) {
      const tab = await withinTime(openPage(context).then(register), {
        timeoutMs: createLimitMs,
        onTimeout: () =>
          browserProblem(
            "busy_page",
            `The browser did not open a tab within ${createLimitMs / 1000} s. Try again, or stop and start it.`,
          ),
      });
      if (tab === null) throw browserProblem("tab_closed", "The new tab closed at once. Try again.");
      tab.sessionKey = sessionKey;
      tab.isUsed = true;
      tab.lastUsedAtMs = clock.nowMs();
      return tab;
    },
    touch(tab) {
      tab.lastUsedAtMs = clock.nowMs();
      tab.isUsed = true;
      if (last === tab) return;
      last = tab;
      deps.onChanged();
    },
    lastUsed: () => last,
    close,
    enforceLimit,
    async closeSessions(isEnded) {
      const ended = [...tabs.values()].filter((tab) => tab.sessionKey !== null && isEnded(tab.sessionKey));
      await Promise.all(ended.map((tab) => close(tab, "its session ended")));
      return ended.length;
    },
    async byFrame(frameId) {
      const all = [...tabs.values()];
      const main = all.find((tab) => tab.targetId === frameId);
      if (main !== undefined) return main;
      for (const tab of all) {
        const asked = tab.cdp.send("Page.getFrameTree");
        const limit = { timeoutMs: frameTreeLimitMs, onTimeout: () => new Error("no answer") };
        // A page that is going or hangs is not the one that has just begun a download.
        const tree = await withinTime(asked, limit).catch(() => null);
        if (tree !== null && holdsFrame(tree.frameTree, frameId)) return tab;
      }
      // A window that only carried a download is gone again; what opened it was used last.
      return last ?? all[0] ?? null;
    },
    dispose() {
      context.off("page", onPage);
      tabs.clear();
      registering.clear();
    },
  };
}

interface FrameTree {
  frame: { id: string };
  childFrames?: FrameTree[];
}

function holdsFrame(tree: FrameTree, frameId: string): boolean {
  return tree.frame.id === frameId || (tree.childFrames ?? []).some((child) => holdsFrame(child, frameId));
}
