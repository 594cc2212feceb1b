/** Going to an address: judged before, watched on the way, judged again where it ended. */

import type { Page, Response } from "playwright-core";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { actionProblem, isTimeout } from "../actions/actionProblem.ts";
import { withinTime } from "../actions/withinTime.ts";
import type { GuardVerdict } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import { closePage } from "../profiles/closePage.ts";
import type { Tab } from "../tabs/tab.ts";
import type { BrowserServiceDeps } from "./serviceTypes.ts";
import { documentReady } from "./settle.ts";

export const navigateDefaultMs = 20_000;
const leaveLimitMs = 5000;

export type NavigationDeps = Pick<BrowserServiceDeps, "guard">;

/** @throws AppError POLICY_DENIED naming the rule; INVALID_INPUT for what is no address */
export async function checkAddress(url: string, { guard }: NavigationDeps): Promise<void> {
  refuse(await guard.judgeNavigation(url));
}

function refuse(verdict: GuardVerdict): void {
  if (verdict.verdict === "allowed") return;
  const { kind, message, url } = verdict;
  const isInput = kind === "url-required" || kind === "invalid-url";
  throw browserProblem(isInput ? "bad_request" : "navigation_blocked", message, {
    data: { rule: kind, url: clip(url, 500) },
  });
}

/**
 * Loads an address in a tab and waits for its document.
 * @returns whether the document was still loading when the time was over
 * @throws AppError navigation_blocked (the tab is then on an empty page), navigation_failed, slow_page
 */
export async function goTo(
  tab: Tab,
  url: string,
  options: { timeoutMs: number; signal: AbortSignal | undefined },
  deps: NavigationDeps,
): Promise<{ stillLoading: boolean }> {
  await checkAddress(url, deps);
  const { page } = tab;
  const { stillLoading, response } = await load(
    page,
    () => page.goto(url, { timeout: options.timeoutMs, waitUntil: "domcontentloaded" }),
    url,
    options,
  );
  await checkArrival(page, response, deps);
  return { stillLoading };
}

/** @throws AppError navigation_failed when there is nothing to go to */
export async function goInHistory(
  tab: Tab,
  where: "back" | "forward" | "reload",
  options: { timeoutMs: number; signal: AbortSignal | undefined },
  deps: NavigationDeps,
): Promise<{ stillLoading: boolean }> {
  const { page } = tab;
  const settings = { timeout: options.timeoutMs, waitUntil: "domcontentloaded" as const };
  if (where === "reload") {
    const { stillLoading, response } = await load(page, () => page.reload(settings), page.url(), options);
    await checkArrival(page, response, deps);
    return { stillLoading };
  }
  const step = where === "back" ? -1 : 1;
  const { currentIndex, entries } = await withinTime(tab.cdp.send("Page.getNavigationHistory"), {
    timeoutMs: leaveLimitMs,
    signal: options.signal,
    onTimeout: () => browserProblem("busy_page", "The browser did not tell the history of this tab."),
  });
  const entry = entries[currentIndex + step];
  if (entry === undefined) {
    throw browserProblem("navigation_failed", `There is no page to go ${where} to in this tab.`);
  }
  // What was allowed when it was visited may not be allowed now.
  await checkAddress(entry.url, deps);
  // Not by Playwright: it waits in vain for the load of a page that comes back from the cache of whole pages.
  const arrived = page.waitForEvent("framenavigated", {
    predicate: (frame) => frame === page.mainFrame(),
    timeout: options.timeoutMs,
  });
  const { stillLoading } = await load(
    page,
    async () => {
      await Promise.all([arrived, tab.cdp.send("Page.navigateToHistoryEntry", { entryId: entry.id })]);
      return null;
    },
    entry.url,
    options,
  );
  const isReady = await documentReady(page, options.timeoutMs);
  await checkArrival(page, null, deps);
  return { stillLoading: stillLoading || !isReady };
}

async function load(
  page: Page,
  start: () => Promise<Response | null>,
  url: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<{ stillLoading: boolean; response: Response | null }> {
  const shown = clip(url, 300);
  const slow = () =>
    browserProblem(
      "slow_page",
      `${shown} did not answer within ${timeoutMs} ms. The page may be slow or down: try once more with a larger timeoutMs, or go elsewhere.`,
    );
  const before = page.url();
  try {
    const response = await withinTime(start(), { timeoutMs: timeoutMs + 2000, signal, onTimeout: slow });
    return { stillLoading: false, response };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (isTimeout(error)) {
      // The new document is there and goes on loading: that is worth looking at.
      if (page.url() !== before && page.url() !== "about:blank")
        return { stillLoading: true, response: null };
      throw slow();
    }
    const text = messageOf(error);
    if (/Download is starting/.test(text)) return { stillLoading: false, response: null };
    const code = /net::(ERR_[A-Z_]+)/.exec(text)?.[1];
    // Chromium aborts a load for a file to be saved; what it does with it is on the record of downloads.
    if (code !== undefined)
      throw browserProblem("navigation_failed", `${shown}: ${netText(code)}`, {
        cause: error,
        data: { net: code },
      });
    if (/interrupted by another navigation/.test(text)) return { stillLoading: true, response: null };
    throw actionProblem(error, shown, timeoutMs);
  }
}

/** Set by the guard on the page that it puts in the place of a refused one. */
const blockHeader = "x-sallyport-blocked";

/** Every stop on the way and the end; on a refusal the tab leaves the page before anyone can read it. */
async function checkArrival(page: Page, response: Response | null, { guard }: NavigationDeps): Promise<void> {
  const chain: string[] = [];
  for (let request = response?.request() ?? null; request !== null; request = request.redirectedFrom()) {
    chain.unshift(request.url());
  }
  try {
    for (const url of chain) {
      // The scheme of a document of our own making is no matter of the policy.
      if (/^https?:/i.test(url)) refuse(await guard.judgeNavigation(url));
    }
    refuse(await guard.judgeArrival(page.url()));
    const rule = response?.headers()[blockHeader];
    if (rule !== undefined) {
      throw browserProblem(
        "navigation_blocked",
        `The guard refused ${clip(response?.url() ?? "the address", 300)} (${clip(rule, 60)}, browser.ssrfPolicy).`,
        { data: { rule: clip(rule, 60) } },
      );
    }
  } catch (error) {
    await leave(page);
    throw error;
  }
}

export async function leave(page: Page): Promise<void> {
  const gone = page.goto("about:blank", { timeout: leaveLimitMs });
  await withinTime(gone, { timeoutMs: leaveLimitMs + 1000, onTimeout: () => new Error("not left") }).catch(
    () => {
      // It does not let go of the document: then it goes as a whole.
      return closePage(page).catch(() => {
        // A tab that cannot even be closed is dead; the error of the navigation is what the caller has to know.
      });
    },
  );
}

function netText(code: string): string {
  const texts = new Map([
    ["ERR_NAME_NOT_RESOLVED", "there is no such host. Check the address."],
    ["ERR_CONNECTION_REFUSED", "nothing listens there. Start the server, or check host and port."],
    ["ERR_CONNECTION_RESET", "the server broke the connection off. Try once more."],
    ["ERR_CONNECTION_TIMED_OUT", "the server does not answer."],
    ["ERR_ADDRESS_UNREACHABLE", "the address cannot be reached from here."],
    ["ERR_INTERNET_DISCONNECTED", "this computer is offline."],
    ["ERR_UNSAFE_PORT", "browsers refuse this port."],
    ["ERR_TOO_MANY_REDIRECTS", "it redirects in circles."],
    ["ERR_EMPTY_RESPONSE", "the server answered with nothing."],
    [
      "ERR_ABORTED",
      "the load was broken off: by the page itself, or because it is a download (see the downloads).",
    ],
    ["ERR_BLOCKED_BY_CLIENT", "the guard refused it (browser.ssrfPolicy)."],
    ["ERR_TUNNEL_CONNECTION_FAILED", "the guard refused it or the host cannot be reached."],
    ["ERR_PROXY_CONNECTION_FAILED", "the proxy of the browser does not answer."],
  ]);
  if (/^ERR_(?:CERT|SSL)_/.test(code)) return `its certificate is not trusted (${code}).`;
  return `${texts.get(code) ?? "it could not be loaded."} (${code})`;
}
