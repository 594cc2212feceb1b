/** Opens an empty tab, in the shell's own Chromium too, which lets only its pages open windows. */

import type { BrowserContext, Page } from "playwright-core";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";

const openTimeoutMs = 15_000;

/** @throws AppError UNAVAILABLE */
export async function openPage(context: BrowserContext): Promise<Page> {
  try {
    return await context.newPage();
  } catch (cause) {
    if (!/Target\.createTarget.*Not supported/s.test(messageOf(cause))) throw cause;
    const [opener] = context.pages();
    if (opener === undefined)
      throw new AppError(
        "UNAVAILABLE",
        "The browser has no window left. Stop its profile and start it again.",
        {
          cause,
        },
      );
    const [page] = await Promise.all([
      context.waitForEvent("page", { timeout: openTimeoutMs }),
      // The new page gets no hold of the one that opened it.
      opener.evaluate('void window.open("about:blank", "_blank", "noopener")'),
    ]);
    return page;
  }
}
