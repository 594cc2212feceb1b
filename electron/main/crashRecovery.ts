/** A page that dies comes back and shows again what waits (A20). */

import type { BrowserWindow } from "electron";
import type { Logger } from "../runtime/logging/logger.ts";

/** A renderer that dies again and again is not reloaded for ever. */
const maxReloads = 5;
const reloadWindowMs = 60_000;

export function recoverFromCrashes(window: BrowserWindow, logger: Logger): void {
  let crashes: number[] = [];
  window.webContents.on("render-process-gone", (_event, details) => {
    logger.warn("window.rendererGone", { reason: details.reason });
    if (details.reason === "clean-exit" || window.isDestroyed()) return;
    const now = Date.now();
    crashes = [...crashes.filter((at) => now - at < reloadWindowMs), now];
    if (crashes.length <= maxReloads) window.webContents.reload();
    else logger.error("window.rendererKeepsDying", { crashes: crashes.length });
  });
  window.on("unresponsive", () => logger.warn("window.unresponsive"));
}
