/** Doors of this folder: restarting within the same process. */

export * from "./rebuildable.ts";
export * from "./restartDesk.ts";
export * from "./restartNote.ts";
