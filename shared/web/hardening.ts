/** Where the web tools are stricter or saner than the reference (tools-files-web-media.md 5, 6, 10, 11), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const webHardening: readonly HardeningRule[] = [
  {
    id: "web.wrapOnce",
    reference:
      "Every title and snippet of a search is wrapped on its own: markers alone cost some 350 tokens for five results, and snippets come uncut.",
    sallyport:
      "All results of a search stand in one wrapper, as a list with snippets cut to a stated length.",
    source: "tools-files-web-media.md 5.4",
  },
  {
    id: "web.plainResults",
    reference: "Text of pages and answers reaches the model as an escaped JSON string.",
    sallyport: "The model gets one line of facts and the text as it is; the whole payload is in the details.",
    source: "tools-files-web-media.md 1.1",
  },
  {
    id: "web.exactCacheKeys",
    reference:
      "Cache keys are folded to lower case, so addresses and queries that differ in case share an answer.",
    sallyport: "Cache keys are exact.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "web.detectCharset",
    reference: "Every page is decoded as UTF-8.",
    sallyport:
      "The encoding is taken from the byte order mark, the header, the page itself and the bytes, in that order.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "web.refuseBinary",
    reference: "Bytes of any type are decoded as text, so pictures and archives fill the context with noise.",
    sallyport: "What is no text is refused with its type and size.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "web.largeArticles",
    reference: "Pages over a million characters lose article extraction.",
    sallyport: "They are extracted in a worker with a time limit.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "web.richMarkdown",
    reference: "Tables, code blocks, numbered lists and quotes are flattened; relative links stay relative.",
    sallyport: "They are kept as Markdown, and links are absolute.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "web.basicWithoutReadability",
    reference: "With readability off in the config every HTML page is an error.",
    sallyport: "Such pages are read the basic way: all visible text.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "web.searchNeedsKey",
    reference: "A configured search provider without a key is offered and fails at every call.",
    sallyport: "The tool is absent until there is a key, and the policy view says why.",
    source: "tools-files-web-media.md 5.1",
  },
];

/** All rules of this area on. */
export const allWebHardening: ReadonlySet<string> = new Set(webHardening.map((rule) => rule.id));
