/** Markdown to plain text, for pages that come as Markdown and were asked for as text. */

/** @returns links as their labels, images gone, marks of code, headings and lists gone, white space collapsed */
export function markdownToText(markdown: string): string {
  const text = markdown
    .replace(/\r\n?/g, "\n")
    .replace(/!\[[^\]\n]{0,500}\]\([^)\n]{0,2000}\)/g, "")
    .replace(/\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, "$1")
    .replace(/^[ \t]{0,3}(?:`{3,}|~{3,})[^\n]{0,200}$/gm, "")
    .replace(/`([^`\n]{1,500})`/g, "$1")
    .replace(/^[ \t]{0,3}#{1,6}[ \t]{1,8}/gm, "")
    .replace(/^[ \t]{0,32}(?:[-*+]|\d{1,9}[.)])[ \t]{1,8}/gm, "");
  return collapseSpace(text);
}

/** @returns runs of spaces as one, no spaces at line borders, at most one blank line, trimmed */
export function collapseSpace(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/[ \t\u00A0]+/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
