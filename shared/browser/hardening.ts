/** Where the browser is stricter or saner than the reference (browser.md), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const browserHardening: readonly HardeningRule[] = [
  {
    id: "browser.guardEveryRequest",
    reference:
      "browser.ssrfPolicy is checked for the addresses that the tool is told to open, and afterwards for where they led; clicks, forms, scripts, frames, pop-ups, workers and sockets go unchecked, and a name may resolve to something else the second time.",
    sallyport:
      "With a strict policy or a hostnameAllowlist every request of the profile is held to it on its way out, by a filtering proxy that connects to the very address it has judged; a page that led to a refused address is left.",
    source: "browser.md 13",
  },
  {
    id: "browser.guardPublicOnly",
    reference:
      "In strict mode a list of private ranges is refused; other special ranges (AS112, AMT, segment routing) pass.",
    sallyport: "In strict mode an address passes only when it is plainly public.",
    source: "browser.md 13",
  },
  {
    id: "browser.elementRefs",
    reference:
      "A role ref is looked up by role, name and place in the order, on whatever page the tab shows by then; an unnamed control matches all of its role, and a stale ref of the AI family waits for a time-out.",
    sallyport:
      "A ref belongs to one element of one document; when that is gone or has become something else, the ref says so at once. Frames and open shadow roots are part of the role family.",
    source: "browser.md 9.6, 10",
  },
  {
    id: "browser.readNames",
    reference: "Names with a colon get no ref, and names with a quote or a backslash are cut at it.",
    sallyport: "Names are read as they are, whatever stands in them.",
    source: "browser.md 9.6",
  },
  {
    id: "browser.maskSecrets",
    reference:
      "Values of password fields and one-time codes stand in the snapshot, and in kept addresses and console texts.",
    sallyport:
      "They are masked in every format, and in what is kept of addresses and of the console; so are parts of an address with a secret's name.",
    source: "browser.md 9.6",
  },
  {
    id: "browser.lineBudget",
    reference:
      "maxChars cuts the plain AI snapshot in the middle of a line, and is ignored by the role family.",
    sallyport:
      "Every format keeps to its budget, on line boundaries, and says how much was left out and how to get it.",
    source: "browser.md 9",
  },
  {
    id: "browser.announceDepth",
    reference: "Whatever is deeper than the asked or default level is missing without notice.",
    sallyport: "The number of lines left out is said.",
    source: "browser.md 9.6",
  },
  {
    id: "browser.clickableRefs",
    reference: "Elements that act like controls without the role of one get no ref in the role family.",
    sallyport: "Clickable elements and editable ones get refs in every format.",
    source: "browser.md 9.6",
  },
  {
    id: "browser.denseSnapshots",
    reference: "A snapshot without options is Playwright's tree for models.",
    sallyport:
      "It is the product's own dense text, a third of the size; the other formats stay available by name.",
    source: "browser.md 9",
  },
  {
    id: "browser.actReport",
    reference:
      "An act answers with ok and, for some kinds, the address from before; dialogs are dismissed and downloads dropped without a word, so every act needs a snapshot behind it.",
    sallyport:
      "An act answers when the page has reacted: with address and title, dialogs, downloads, new tabs, errors, and what changed on the page when that is small.",
    source: "browser.md 4, 12, 18",
  },
  {
    id: "browser.wrapResults",
    reference:
      "Results of evaluate, open and navigate reach the model unmarked, although they hold text of pages.",
    sallyport: "Everything that comes from a page is wrapped as untrusted, messages of failed acts too.",
    source: "browser.md 3, 14",
  },
  {
    id: "browser.derivedTimeouts",
    reference:
      "The tool gives up after 20 seconds whatever timeoutMs says, and tells the model never to use the browser again.",
    sallyport:
      "The outer limit is what the act may take by itself and a margin; a slow page is called a slow page.",
    source: "browser.md 4, 16",
  },
  {
    id: "browser.specificErrors",
    reference:
      "A disabled button, a missing option and an element that takes no text are all reported as not found or not visible.",
    sallyport:
      "Each failure has a kind of its own and says what to do; a missing option comes with those that exist.",
    source: "browser.md 4",
  },
  {
    id: "browser.consoleWarn",
    reference: "The documented console level warn is unknown and filters like info.",
    sallyport: "warn and warning mean the same.",
    source: "browser.md 12",
  },
  {
    id: "browser.leastRecentTabs",
    reference:
      "Over the limit of eight tabs those opened most recently are closed, whoever uses them, and nobody is told.",
    sallyport: "The least recently used ones are closed, never another session's, and the answer names them.",
    source: "browser.md 8",
  },
  {
    id: "browser.checkUploads",
    reference: "Files that do not exist are accepted for an upload, which then fails in silence.",
    sallyport: "They are refused at once, by name.",
    source: "browser.md 12",
  },
  {
    id: "browser.sandboxedHost",
    reference:
      "allowHostControl is asked only when a sandboxed session names target host; leaving target away takes it to this computer's browser where its sandbox has none.",
    sallyport:
      "A sandboxed session reaches this computer's browsers only with allowHostControl, named or not.",
    source: "browser.md 5",
  },
];

/** All rules of this area on. */
export const allBrowserHardening: ReadonlySet<string> = new Set(browserHardening.map((rule) => rule.id));
