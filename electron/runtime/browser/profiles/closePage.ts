/** Closes a page for certain: Chromium loses the wish to close one whose next document is just arriving. */

import type { Page } from "playwright-core";
import { withinTime } from "../actions/withinTime.ts";

const firstLimitMs = 2500;
const againLimitMs = 2500;

/**
 * Asks twice: Playwright itself sends the wish only once, and would wait for ever for one that was lost.
 * @throws Error when the page is still there
 */
export async function closePage(page: Page): Promise<void> {
  if (page.isClosed()) return;
  const closed = page.close();
  const late = () => new Error("The page did not close.");
  try {
    await withinTime(closed, { timeoutMs: firstLimitMs, onTimeout: late });
  } catch {
    // It is asked for again, past Playwright; what comes of it is seen below.
    closed.catch(() => {});
    await withinTime(closeTarget(page), { timeoutMs: againLimitMs, onTimeout: late });
    if (!page.isClosed()) await withinTime(closed, { timeoutMs: againLimitMs, onTimeout: late });
  }
}

async function closeTarget(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const { targetInfo } = await cdp.send("Target.getTargetInfo");
  await cdp.send("Target.closeTarget", { targetId: targetInfo.targetId });
}
