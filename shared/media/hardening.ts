/** Where the media tools are stricter or saner than the reference (tools-files-web-media.md 7 to 9, supplement.md 1), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const mediaHardening: readonly HardeningRule[] = [
  {
    id: "media.modelNeedsKey",
    reference:
      "A configured model counts as there without a look at its key, so the tool fails at every call.",
    sallyport:
      "image, pdf and image_generate are absent until one of their models has a key or a server of its own, and the policy view says why.",
    source: "tools-files-web-media.md 7.1",
  },
  {
    id: "media.wrapAnswers",
    reference: "What a model says about a picture or a document reaches the agent as plain text.",
    sallyport:
      "It is wrapped as untrusted, for it repeats what the picture or document says, and names its size in tokens.",
    source: "tools-files-web-media.md 7, 9",
  },
  {
    id: "media.wrapDocuments",
    reference: "Text taken out of a PDF goes to the model unmarked beside the prompt.",
    sallyport: "It is wrapped as untrusted with the warning in front.",
    source: "tools-files-web-media.md 9.4",
  },
  {
    id: "media.dataUrlsChecked",
    reference: "A picture in a data: address is neither measured nor re-encoded.",
    sallyport: "It passes the same limits and the same re-encoding as any other picture.",
    source: "tools-files-web-media.md 7.2",
  },
  {
    id: "media.whiteBehind",
    reference: "A picture with transparency that becomes a JPEG turns black where it was clear.",
    sallyport: "It turns white there.",
    source: "tools-files-web-media.md 7.2",
  },
  {
    id: "media.finalScale",
    reference:
      "read names the size of the first of two shrinking steps, so coordinates taken from the shown picture are off.",
    sallyport: "It names the size that is shown and the factor that belongs to it.",
    source: "tools-files-web-media.md 2",
  },
  {
    id: "media.pagesEverywhere",
    reference: "With anthropic and google models a choice of pages is an error, and the next model is tried.",
    sallyport: "The chosen pages are sent as their text and pictures, to every provider.",
    source: "tools-files-web-media.md 9.4",
  },
  {
    id: "media.pagesInReach",
    reference:
      "Page numbers above pdfMaxPages, or above the last page, are dropped without a word; nothing may be left.",
    sallyport: "They are an error that names the limit and its key, or the number of pages.",
    source: "tools-files-web-media.md 9.3",
  },
  {
    id: "media.wholePageNumbers",
    reference: "`1.5`, `0x3` and `+2` pass as page numbers.",
    sallyport: "A page number is written in digits.",
    source: "tools-files-web-media.md 9.3",
  },
  {
    id: "media.pdfByContent",
    reference: "Any document passes as a PDF until the parser or the provider stumbles over it.",
    sallyport: "The content decides before anything is sent.",
    source: "tools-files-web-media.md 9.2",
  },
  {
    id: "media.pdfData",
    reference: "A PDF in a data: address passes the first check and is then looked for as a file.",
    sallyport: "It is read from the address.",
    source: "tools-files-web-media.md 9.2",
  },
  {
    id: "media.pdfLines",
    reference: "All pieces of text on a page are joined by spaces, and pages run into each other.",
    sallyport: "Lines end where they end on the page, and each page is headed by its number.",
    source: "tools-files-web-media.md 9.4",
  },
  {
    id: "media.sharpPages",
    reference:
      "Pages without text become pictures of 72 dots per inch, too coarse to read, as large PNG files.",
    sallyport: "They become JPEG pictures of up to 150 dots per inch, within the same limit of pixels.",
    source: "tools-files-web-media.md 9.4",
  },
  {
    id: "media.keyInHeader",
    reference: "The key for Google stands in the address of the request, where logs and proxies see it.",
    sallyport: "It is sent as a header.",
    source: "tools-files-web-media.md 9.4",
  },
  {
    id: "media.fetchPdf",
    reference: "web_fetch decodes a PDF as if its bytes were text.",
    sallyport: "It returns the text of the pages, beside the main thread and within limits of time and size.",
    source: "tools-files-web-media.md 6",
  },
  {
    id: "media.wrapCodeExecution",
    reference: "What code_execution returns is not marked as text from outside, unlike x_search.",
    sallyport: "It is wrapped as untrusted.",
    source: "supplement.md 1.3",
  },
  {
    id: "media.xSearchCachePerKey",
    reference: "Answers of x_search are kept without regard to the key that paid for them.",
    sallyport: "Each key has its own answers.",
    source: "supplement.md 1.3",
  },
];

/** All rules of this area on. */
export const allMediaHardening: ReadonlySet<string> = new Set(mediaHardening.map((rule) => rule.id));
