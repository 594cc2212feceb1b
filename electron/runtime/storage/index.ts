/** Doors of this folder: state files, documents, locks, database. */

export * from "../../../shared/json5/json5Document.ts";
export * from "../../../shared/json5/json5Edit.ts";
export type { AllowlistUse } from "./approvalsEdit.ts";
export * from "./approvalsState.ts";
export * from "./approvalsStore.ts";
export type { ApprovalsFileView } from "./approvalsView.ts";
export * from "./atomicWrite.ts";
export * from "./canonicalJson.ts";
export * from "./database.ts";
export * from "./fileLock.ts";
export * from "./fileProblems.ts";
export * from "./gatewayFile.ts";
export * from "./instanceLock.ts";
export * from "./ledger.ts";
export * from "./operatorToken.ts";
export * from "./processOwnership.ts";
export * from "./stateDir.ts";
export * from "./watchFile.ts";
