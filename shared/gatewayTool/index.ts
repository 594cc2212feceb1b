/** Doors of this folder: what the gateway tool may do to the config. */

export * from "./configChange.ts";
export * from "./hardening.ts";
export * from "./mergePatch.ts";
export * from "./openSettings.ts";
