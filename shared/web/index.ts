/** Rules of the web tools: addresses, hostile text, HTML and Markdown. Pure. */

export { type CleanPage, cleanHtml } from "./cleanHtml.ts";
export { allWebHardening, webHardening } from "./hardening.ts";
export { isHiddenElement, isHiddenStyle } from "./hiddenRules.ts";
export * from "./hostRules.ts";
export { htmlToMarkdown } from "./htmlMarkdown.ts";
export { stripControls, stripInvisible } from "./invisible.ts";
export { collapseSpace, markdownToText } from "./markdownText.ts";
export { createMarkdownWriter, type MarkdownOptions, type MarkdownWriter } from "./markdownWriter.ts";
export * from "./untrusted.ts";
export { webArgs } from "./webArgs.ts";
