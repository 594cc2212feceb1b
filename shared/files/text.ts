/** Small facts about texts: their size in UTF-8, their tokens, their line endings. */

/** @returns bytes of the text in UTF-8; a lone surrogate counts three, as the replacement character does */
export function utf8Length(text: string, start = 0, end = text.length): number {
  let bytes = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1)) && at + 1 < end) {
      bytes += 4;
      at += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** @returns the usual estimate of model tokens: one per four characters, rounded up */
export function tokenEstimate(text: string): number {
  return Math.ceil(text.length / 4);
}

/** @returns the size as people read it: `312 B`, `58.6 KiB`, `4.0 MiB` */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
}

export const byteOrderMark = "\uFEFF";

/** @returns the mark on its own ("" when there is none) and the text behind it */
export function splitMark(text: string): { mark: string; body: string } {
  return text.startsWith(byteOrderMark)
    ? { mark: byteOrderMark, body: text.slice(1) }
    : { mark: "", body: text };
}

/** @returns the ending of the first line that has one; LF when none has */
export function firstEnding(text: string): "\r\n" | "\n" {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** @returns the text with CRLF and lone CR turned into LF */
export function toLf(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Cuts at a character border near `maxChars`, never inside a surrogate pair. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const isInside = isLowSurrogate(text.charCodeAt(maxChars)) && maxChars > 0;
  return text.slice(0, isInside ? maxChars - 1 : maxChars);
}
