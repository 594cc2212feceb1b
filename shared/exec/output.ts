/** Cleans and bounds command output (spec/exec.md 3.6). */

export const maxChunkLength = 8192;
export const maxAggregatedLength = 200_000;
export const maxPendingLength = 30_000;
export const tailLength = 2000;

/** Removes control characters but tab, LF, CR; Unicode format characters; lone surrogates. */
export function sanitizeOutput(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Cf}|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu,
    "",
  );
}

/** Cuts output into pieces of at most `maxChunkLength`, never inside a surrogate pair. */
export function chunkOutput(text: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + maxChunkLength);
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

/** @returns the last `length` UTF-16 units */
export function tailOf(text: string, length: number = tailLength): string {
  return text.length <= length ? text : text.slice(-length);
}

const cursorQuery = /\u001b\[\??6n/g;

/** Takes cursor-position questions out of terminal output; each wants one answer on stdin. */
export function stripCursorQueries(text: string): { text: string; answers: string[] } {
  const answers = [...text.matchAll(cursorQuery)].map(() => "\u001b[1;1R");
  return { text: text.replace(cursorQuery, ""), answers };
}

/** Last 400 characters with whitespace collapsed, cut to 180: the exit notice (spec/exec.md 4.2). */
export function noticeText(text: string): string {
  const collapsed = tailOf(text, 400).replace(/\s+/g, " ").trim();
  return collapsed.length <= 180 ? collapsed : `${collapsed.slice(0, 179)}…`;
}
