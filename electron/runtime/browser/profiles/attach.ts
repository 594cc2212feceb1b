/** Attaches to a running browser over its debugging socket. */

import type { Browser } from "playwright-core";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";

const attemptTimeoutsMs = [5_000, 7_000, 9_000] as const;
const pauseMs = 150;

/**
 * @param wsUrl a socket address: those are connected to directly, whatever proxy variables are set
 * @param isStillThere stops the attempts when the browser has ended
 * @throws AppError UNAVAILABLE
 */
export async function attach(wsUrl: string, isStillThere: () => boolean): Promise<Browser> {
  // Loaded at the first use: a start of the app without browser work does not pay for it.
  const { chromium } = await import("playwright-core");
  let last: unknown;
  for (const timeoutMs of attemptTimeoutsMs) {
    if (!isStillThere()) break;
    try {
      return await chromium.connectOverCDP(wsUrl, { timeout: timeoutMs });
    } catch (error) {
      last = error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  throw new AppError(
    "UNAVAILABLE",
    `The browser runs, but it cannot be attached to: ${messageOf(last).split("\n")[0] ?? ""}`,
    { cause: last },
  );
}
