/** Whether the screen is locked: then nobody sees a prompt (A17). */

import { powerMonitor } from "electron";
import type { ScreenLock } from "../runtime/runtimeTypes.ts";

/** Longer than any idle time: the question is about the lock alone. */
const neverIdleSeconds = 2_147_483_647;

/** Only after the app is ready. macOS and Windows tell by event; Linux is asked each time. */
export function watchScreenLock(): ScreenLock {
  let isLocked = false;
  powerMonitor.on("lock-screen", () => {
    isLocked = true;
  });
  powerMonitor.on("unlock-screen", () => {
    isLocked = false;
  });
  return {
    isLocked: () => isLocked || powerMonitor.getSystemIdleState(neverIdleSeconds) === "locked",
  };
}
