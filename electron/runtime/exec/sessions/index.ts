/** Running commands for real: sessions, terminals, process trees. The decision to run comes from elsewhere. */

export * from "./createExecSessions.ts";
export type { CursorKeyMode } from "./cursorQueries.ts";
export { compactDuration, deriveName } from "./describe.ts";
export type * from "./execSessions.ts";
export { runPlanFrom } from "./launch.ts";
export type { OwnershipEntry, ProcessOwnership, ProcessSurvivor } from "./ownership.ts";
export { createPipeHost, type PipeHost } from "./pipeChild.ts";
export { execIdOfProcess, execMarkerName, readProcessTable } from "./processTable.ts";
export { createProcessTree, type ProcessTree, type TreeEnd } from "./processTree.ts";
export { createNodePtyHost, type PtyHost, ptyDefaultCols, ptyDefaultRows } from "./ptyHost.ts";
export type { ScreenChunk, ScreenRead } from "./sessionOutput.ts";
export type * from "./types.ts";
export {
  completeLimits,
  defaultExecLimits,
  limitsFromEnv,
  resolveWindow,
  type SessionLimits,
} from "./window.ts";
