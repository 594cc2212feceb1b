/** Rules of the memory tools: chunks, queries, scores, settings. Pure. */

export * from "./chunkMarkdown.ts";
export * from "./citation.ts";
export * from "./foldText.ts";
export { allMemoryHardening, memoryHardening } from "./hardening.ts";
export * from "./keywordScore.ts";
export * from "./parseQuery.ts";
export * from "./rank.ts";
export * from "./settings.ts";
export { isStopWord } from "./stopWords.ts";
