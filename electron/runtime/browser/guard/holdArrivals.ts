/** Leaves every frame that stands where the policy does not let it: cached pages, and what a later policy refuses. */

import type { BrowserContext, Frame, Page } from "playwright-core";
import { messageOf } from "../../../../shared/errors/index.ts";
import type { Logger } from "../../logging/logger.ts";
import { closePage } from "../profiles/closePage.ts";
import type { BlockedFeed } from "./blockedFeed.ts";
import type { RequestGuard } from "./requestGuard.ts";

/**
 * From now on every frame that arrives somewhere is checked.
 * @param deps.checksOpenPages also what is open already; not in the browser of a person, whose tabs are not ours to empty
 */
export async function holdArrivals(
  contexts: readonly BrowserContext[],
  deps: { guard: RequestGuard; feed: BlockedFeed; profile: string; checksOpenPages: boolean; logger: Logger },
): Promise<void> {
  const check = async (frame: Frame): Promise<void> => {
    const url = frame.url();
    const verdict = await deps.guard.judgeArrival(url);
    if (verdict.verdict === "allowed" || frame.url() !== url) return;
    const what = frame.parentFrame() === null ? "navigation" : "subframe";
    // A request that was refused on its way ends on the guard's own page, which is left too, but is no second news.
    if (!deps.feed.list(deps.profile).some((one) => one.url === url))
      deps.feed.add(deps.profile, what, { ...verdict, url });
    await leave(frame, deps.logger);
  };
  const watch = (page: Page): void => {
    page.on("framenavigated", (frame) => {
      check(frame).catch((error: unknown) => deps.logger.warn("browser.arrivalUnchecked", { error }));
    });
  };
  for (const context of contexts) {
    context.on("page", (page) => {
      watch(page);
      // It may have arrived before it was announced.
      Promise.all(page.frames().map(check)).catch((error: unknown) =>
        deps.logger.warn("browser.arrivalUnchecked", { error }),
      );
    });
    for (const page of context.pages()) watch(page);
    if (deps.checksOpenPages) await Promise.all(context.pages().flatMap((page) => page.frames().map(check)));
  }
}

/** A frame that cannot be emptied takes its page with it. */
async function leave(frame: Frame, logger: Logger): Promise<void> {
  try {
    await frame.goto("about:blank", { waitUntil: "commit", timeout: 5_000 });
  } catch (error) {
    if (frame.isDetached()) return;
    logger.warn("browser.frameNotLeft", { reason: messageOf(error) });
    await closePage(frame.page());
  }
}
