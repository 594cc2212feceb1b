/** Keeps the size and place of the main window between starts. */

import { readFileSync } from "node:fs";
import { type BrowserWindow, screen } from "electron";
import { z } from "zod";
import type { Logger } from "../runtime/logging/logger.ts";
import { writeFileAtomic } from "../runtime/storage/index.ts";

const stateSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(400),
  height: z.number().int().min(300),
  isMaximized: z.boolean(),
});
export type WindowState = z.infer<typeof stateSchema>;

const saveDelayMs = 500;

/** @returns the kept state, or null when there is none or it lies outside every screen now */
export function readWindowState(path: string): WindowState | null {
  try {
    const state = stateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    const isVisible = screen.getAllDisplays().some(({ workArea }) => {
      const overlapX =
        Math.min(state.x + state.width, workArea.x + workArea.width) - Math.max(state.x, workArea.x);
      const overlapY =
        Math.min(state.y + state.height, workArea.y + workArea.height) - Math.max(state.y, workArea.y);
      return overlapX > 100 && overlapY > 60;
    });
    return isVisible ? state : null;
  } catch {
    // Missing or from another version: the default size is a fine answer, and the next save mends the file.
    return null;
  }
}

/** @returns writes what was not written yet; to be awaited before the app ends */
export function keepWindowState(window: BrowserWindow, path: string, logger: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | null = null;
  const save = async () => {
    timer = null;
    if (window.isDestroyed()) return;
    const state: WindowState = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
    try {
      await writeFileAtomic(path, `${JSON.stringify(state)}\n`);
    } catch (error) {
      logger.warn("window.stateNotSaved", { error });
    }
  };
  const schedule = () => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void save(), saveDelayMs);
  };
  window.on("resize", schedule);
  window.on("move", schedule);
  window.on("maximize", schedule);
  window.on("unmaximize", schedule);
  return async () => {
    if (timer === null) return;
    clearTimeout(timer);
    await save();
  };
}
