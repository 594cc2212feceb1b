/** Doors of this folder: what decides about browser profiles and requests, without doing anything. */

export * from "./configSchema.ts";
export * from "./explainGuard.ts";
export * from "./guard.ts";
export * from "./hardening.ts";
export * from "./profiles.ts";
export * from "./specialAddresses.ts";
