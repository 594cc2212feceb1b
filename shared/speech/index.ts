/** Doors of this folder: the pure rules of speech. */

export * from "./audioFacts.ts";
export * from "./directiveKeys.ts";
export * from "./directives.ts";
export { allSpeechHardening, speechHardening } from "./hardening.ts";
export * from "./providers.ts";
export * from "./replyPlan.ts";
export * from "./scripts.ts";
export * from "./settings.ts";
export { stripMarkdownForSpeech } from "./stripMarkdown.ts";
export * from "./ttsCommand.ts";
