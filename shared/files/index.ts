/** Doors of this folder: pure logic of the file tools. */

export * from "./content.ts";
export * from "./diff.ts";
export * from "./edits.ts";
export * from "./hardening.ts";
export * from "./paging.ts";
export * from "./patchApply.ts";
export * from "./patchParse.ts";
export * from "./pathText.ts";
export * from "./text.ts";
export * from "./toolArgs.ts";
