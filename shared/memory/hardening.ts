/** Where the memory tools are stricter or saner than the reference (tools-files-web-media.md 13), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const memoryHardening: readonly HardeningRule[] = [
  {
    id: "memory.waitForIndex",
    reference:
      "A search starts indexing and does not wait for it, so the first one on a new index finds nothing and says nothing.",
    sallyport:
      "A search waits for the index, up to a limit and with progress, and then says how much of it is indexed.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.sayProblems",
    reference: "Indexing that fails is only logged; the tool answers an empty list without an error.",
    sallyport: "The answer names what failed, what was left out and what the results still stand on.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.keywordsWithoutEmbeddings",
    reference: "An embeddings service that rejects the key or fails makes the search unavailable.",
    sallyport: "The search goes on by keywords and says why, with the service's hint on when to try again.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.rankByAllWords",
    reference:
      "With vectors every word must occur; without, the best single word counts; a word of half the notes scores nothing.",
    sallyport:
      "Any word may match, and what matches more and rarer words ranks higher; whole words count more than parts.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.keepKeywordFinds",
    reference:
      "With vectors, passages found by keyword alone are dropped when they score under the weight of the text.",
    sallyport: "When nothing else passes the threshold, passages found by keyword are shown.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.keepShortWords",
    reference: "Words under three letters and plain numbers are dropped from a search by keywords.",
    sallyport: "They are looked up like any other; stop words are dropped only when other words remain.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.snippetAtHit",
    reference: "A snippet is the start of its passage, whether or not the words are in it.",
    sallyport: "A snippet of a long passage is cut around the words that were found.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.boundedOverlap",
    reference: "The overlap of two chunks takes whole lines, so long lines are indexed twice.",
    sallyport: "The overlap is cut to its configured size.",
    source: "tools-files-web-media.md 13",
  },
  {
    id: "memory.refuseHardLinks",
    reference: "A note that is another name of a file elsewhere is indexed and read.",
    sallyport: "Notes with more than one name are left out and refused, as the file tools do.",
    source: "tools-files-web-media.md 1.4",
  },
  {
    id: "memory.wrapForeign",
    reference: "Passages of notes outside the workspace, which other programs write, come as bare text.",
    sallyport: "They come wrapped as untrusted; markers inside any note are defused.",
    source: "tools-files-web-media.md 10, 13",
  },
  {
    id: "memory.sandboxHasNone",
    reference: "A sandboxed session without access to the workspace still reads the notes in it.",
    sallyport:
      "Such a session gets no notes; one with access gets those of the workspace, none from extraPaths.",
    source: "tools-files-web-media.md 13",
  },
];

/** All rules of this area on. */
export const allMemoryHardening: ReadonlySet<string> = new Set(memoryHardening.map((rule) => rule.id));
