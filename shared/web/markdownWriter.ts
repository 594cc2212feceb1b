/** Builds Markdown or plain text from a stream of elements and text; linear, whatever the page does. */

export interface MarkdownOptions {
  /** `text`: no links and no marks. */
  mode: "markdown" | "text";
  /** Keep tables, code blocks, numbered lists and quotes; false: the flat form of the reference. */
  isRich: boolean;
  /** Links are resolved against it; null: left as they are. */
  baseUrl: string | null;
}

export interface MarkdownWriter {
  open(tag: string, href: string | null): void;
  text(text: string): void;
  close(tag: string): void;
  /** Call once, at the end. */
  result(): string;
}

const blockTags: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre search section select summary " +
    "table tbody tfoot thead tr ul"
  ).split(" "),
);
/** A blank line stands around these. */
const spacedTags: ReadonlySet<string> = new Set(
  "article blockquote dl figure h1 h2 h3 h4 h5 h6 main ol p pre section table ul".split(" "),
);
const unreadTags = ["script", "style", "noscript", "template"];
const headings: ReadonlyMap<string, string> = new Map(
  [1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${"#".repeat(level)} `] as const),
);
const maxHrefChars = 2000;
const maxIndent = 4;

interface List {
  isOrdered: boolean;
  items: number;
}

interface Link {
  href: string;
  /** Where its label begins in `parts`. */
  at: number;
}

export function createMarkdownWriter(options: MarkdownOptions): MarkdownWriter {
  const isMarkdown = options.mode === "markdown";
  const isRich = options.isRich && isMarkdown;
  // The reference takes the title for text of the page; it stands apart anyway.
  const silentTags: ReadonlySet<string> = new Set(options.isRich ? [...unreadTags, "title"] : unreadTags);
  const parts: string[] = [];
  const lists: List[] = [];
  const links: (Link | null)[] = [];
  let breaks = 0;
  let isSpacePending = false;
  let isAtLineStart = true;
  /** Marks such as `- ` that wait for the first text of their line. */
  let mark = "";
  let silent = 0;
  let pre = 0;
  let preText: string[] = [];
  let quotes = 0;
  let breakQuotes = 0;
  let cellsInRow = 0;
  let headCells = 0;
  let hasHeadLine = false;
  let isInCode = false;

  const hasOpenLink = () => links.some((link) => link !== null);

  const isCodeEmpty = () => isInCode && parts.at(-1) === "`";

  const wantBreaks = (count: number) => {
    isSpacePending = false;
    // Inside a label a break would tear the link apart.
    if (hasOpenLink()) isSpacePending = true;
    else {
      // The blank line between a quote and other text belongs to neither.
      breakQuotes = breaks === 0 ? quotes : Math.min(breakQuotes, quotes);
      breaks = Math.max(breaks, count);
    }
  };

  const quotePrefix = (depth: number) => (isRich ? "> ".repeat(Math.min(depth, maxIndent)) : "");

  /** Writes what waits in front of the next text. */
  const settle = () => {
    if (breaks > 0 && parts.length > 0) {
      const prefix = quotePrefix(quotes);
      parts.push(
        breaks > 1 ? `\n${quotePrefix(Math.min(breakQuotes, quotes)).trimEnd()}\n${prefix}` : `\n${prefix}`,
      );
      isAtLineStart = true;
    } else if (parts.length === 0) parts.push(quotePrefix(quotes));
    else if (isSpacePending && !isAtLineStart) parts.push(" ");
    breaks = 0;
    isSpacePending = false;
    if (mark !== "") {
      parts.push(mark);
      mark = "";
    }
  };

  const write = (text: string) => {
    settle();
    parts.push(text);
    isAtLineStart = false;
  };

  const openLink = (href: string | null) => {
    const usable = isMarkdown && pre === 0 ? usableHref(href, options.baseUrl) : null;
    if (usable === null || hasOpenLink()) {
      links.push(null);
      return;
    }
    settle();
    links.push({ href: usable, at: parts.length });
  };

  const closeLink = () => {
    const link = links.pop();
    if (link === undefined || link === null) return;
    const label = parts.splice(link.at).join("").replace(/\s+/g, " ").trim();
    if (label !== "") {
      parts.push(`[${label.replaceAll("]", "\\]")}](${link.href})`);
      isAtLineStart = false;
    }
  };

  const openItem = () => {
    wantBreaks(1);
    const list = lists.at(-1);
    if (list !== undefined) list.items += 1;
    if (!isMarkdown) return;
    const indent = isRich ? "  ".repeat(Math.min(Math.max(lists.length - 1, 0), maxIndent)) : "";
    mark = isRich && list?.isOrdered === true ? `${indent}${list.items}. ` : `${indent}- `;
  };

  const closePre = () => {
    const text = preText.join("").replace(/^\n/, "").trimEnd();
    preText = [];
    if (text === "") return;
    wantBreaks(2);
    if (!isRich)
      write(
        text
          .split("\n")
          .map((line) => line.trimEnd())
          .join("\n"),
      );
    else {
      const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
      const fence = "`".repeat(longest + 1);
      write(`${fence}\n${text}\n${fence}`);
    }
    breaks = 2;
  };

  return {
    open(tag, href) {
      if (silentTags.has(tag)) silent += 1;
      if (silent > 0) return;
      if (pre > 0) {
        if (tag === "pre") pre += 1;
        if (tag === "br") preText.push("\n");
        return;
      }
      if (tag === "a") return openLink(href);
      if (tag === "br" || tag === "hr") return wantBreaks(1);
      if (tag === "td" || tag === "th") {
        if (cellsInRow > 0) {
          if (isRich && breaks === 0) write("|");
          isSpacePending = true;
        }
        if (tag === "th") headCells += 1;
        cellsInRow += 1;
        return;
      }
      if (tag === "code" && isRich && !hasOpenLink()) {
        write("`");
        isInCode = true;
        return;
      }
      if (!blockTags.has(tag)) return;
      if (tag === "li") return openItem();
      wantBreaks(spacedTags.has(tag) && !(isList(tag) && lists.length > 0) && cellsInRow === 0 ? 2 : 1);
      if (tag === "pre") pre = 1;
      if (isList(tag)) lists.push({ isOrdered: tag === "ol", items: 0 });
      if (tag === "blockquote") quotes += 1;
      if (tag === "table") hasHeadLine = false;
      if (tag === "tr") {
        cellsInRow = 0;
        headCells = 0;
      }
      const heading = headings.get(tag);
      if (heading !== undefined && isMarkdown && !hasOpenLink()) mark = heading;
    },
    text(text) {
      if (silent > 0 || text === "") return;
      if (pre > 0) {
        preText.push(text);
        return;
      }
      const words = text.replace(/[ \t\n\r\f\u00A0]+/g, " ");
      const core = words.trim();
      if (words.startsWith(" ") && !isCodeEmpty()) isSpacePending = true;
      if (core === "") return;
      write(core);
      isSpacePending = words.endsWith(" ");
    },
    close(tag) {
      if (silentTags.has(tag)) {
        silent = Math.max(0, silent - 1);
        return;
      }
      if (silent > 0) return;
      if (pre > 0) {
        if (tag === "pre") pre -= 1;
        if (pre === 0) closePre();
        return;
      }
      if (tag === "a") return closeLink();
      if (tag === "code" && isInCode) {
        isInCode = false;
        // Nothing between the marks: they go again.
        if (parts.at(-1) === "`") parts.pop();
        else parts.push("`");
        return;
      }
      if (tag === "td" || tag === "th") {
        isSpacePending = true;
        return;
      }
      if (!blockTags.has(tag)) return;
      if (tag === "blockquote") quotes = Math.max(0, quotes - 1);
      if (isList(tag)) lists.pop();
      if (tag === "li" || headings.has(tag)) mark = "";
      if (tag === "tr" && isRich && cellsInRow > 1 && headCells === cellsInRow && !hasHeadLine) {
        breaks = 1;
        write(Array.from({ length: cellsInRow }, () => "---").join(" | "));
        hasHeadLine = true;
      }
      if (tag === "tr") cellsInRow = 0;
      wantBreaks(spacedTags.has(tag) && !(isList(tag) && lists.length > 0) && cellsInRow === 0 ? 2 : 1);
    },
    result() {
      while (links.length > 0) closeLink();
      if (pre > 0) closePre();
      return parts
        .join("")
        .replace(/[ \t]+\n/g, "\n")
        .replace(/\n{3,}/g, "\n\n")
        .trim();
    },
  };
}

function isList(tag: string): boolean {
  return tag === "ul" || tag === "ol" || tag === "menu";
}

/** @returns null for addresses that lead nowhere outside the page, run something, or are data themselves */
function usableHref(href: string | null, baseUrl: string | null): string | null {
  const given = href?.trim().replace(/[\u0000-\u0020]+/g, "");
  if (given === undefined || given === "" || given.startsWith("#") || given.length > maxHrefChars)
    return null;
  if (/^[a-z][a-z0-9+.-]*:/i.test(given) && !/^(?:https?|mailto):/i.test(given)) return null;
  const escaped = given.replaceAll("(", "%28").replaceAll(")", "%29");
  if (baseUrl === null) return escaped;
  try {
    return new URL(escaped, baseUrl).href;
  } catch {
    // Not an address even with its base: the label alone is of use.
    return null;
  }
}
