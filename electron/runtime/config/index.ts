/** Doors of this folder: openclaw.json and sallyport.json5. */

export * from "./configSchema.ts";
export * from "./configState.ts";
export * from "./configStore.ts";
export * from "./redaction.ts";
export * from "./settings.ts";
export * from "./settingsStore.ts";
