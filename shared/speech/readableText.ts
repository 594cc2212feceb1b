/** Puts what cannot be read aloud into words: links by their label, tables by their cells, code blocks not at all. */

/** Longer labels and addresses are text, so that every pattern here stays linear. */
const link = /!?\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}\)/g;
const autoLink = /<(https?:\/\/[^<>\s]{1,2000})>/g;
/** ASCII only: words of other scripts may follow an address without a blank. */
const bareUrl = /\bhttps?:\/\/([\w.-]{1,253})[!-'*-;=?-~]{0,2000}/g;
const htmlTag = /<\/?[A-Za-z][^<>]{0,2000}>|<!--[^<>]{0,2000}-->/g;
const tableRule = /^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;
/** No line under the head of a table is longer, and the pattern may look at the blanks of a line twice. */
const maxRuleChars = 2000;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const bullet = /^(\s{0,40})[-*+]\s+(?=\S)/;

/** @returns the text without code blocks, addresses, tags and table lines; emphasis stays for the next step */
export function readableText(text: string): string {
  return withoutFences(text.split("\n"))
    .filter((line) => line.length > maxRuleChars || !tableRule.test(line))
    .map((line) => readableLine(line))
    .join("\n");
}

function withoutFences(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let open: string | null = null;
  for (const line of lines) {
    const mark = fence.exec(line)?.[1];
    if (open === null) {
      if (mark === undefined) kept.push(line);
      else open = mark;
      continue;
    }
    // A block that never ends runs to the end of the text, as in every Markdown.
    if (mark?.startsWith(open) === true) open = null;
  }
  return kept;
}

function readableLine(line: string): string {
  // A rule of three or more stars or dashes is no list.
  const isRule = /^\s*(?:[-*_]\s*){3,}$/.test(line);
  const plain = (isRule ? line : line.replace(bullet, "$1"))
    .replace(link, "$1")
    .replace(autoLink, "$1")
    .replace(bareUrl, "$1")
    .replace(htmlTag, "");
  return /^\s*\|.*\|\s*$/.test(plain) ? cellsOf(plain) : plain;
}

function cellsOf(row: string): string {
  return row
    .trim()
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join(", ");
}
