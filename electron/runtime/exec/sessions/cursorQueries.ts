/** Answers a terminal program's question for the cursor position, which no real terminal is there to answer. */

const QUERY_PREFIXES = ["\u001b[6n", "\u001b[?6n"];
// Built from text: the escape character in a literal is easy to overlook.
const queryPattern = /\u001b\[(\??)6n/g;
const modePattern = /\u001b\[\?1([hl])/g;

export type CursorKeyMode = "unknown" | "normal" | "application";

export interface TerminalFilter {
  /** @returns the text without queries, the answers to send, and the cursor-key mode after this text. */
  push(text: string): { text: string; answers: string[] };
  /** Whatever was held back as the possible beginning of a query. */
  flush(): string;
  /** Whether something is held back. */
  isHolding(): boolean;
  cursorKeyMode(): CursorKeyMode;
}

/** @returns how many characters at the end may be the beginning of a query or of a mode switch. */
function incompleteSuffixLength(text: string): number {
  const escapeAt = text.lastIndexOf("\u001b");
  if (escapeAt < 0 || text.length - escapeAt > 4) return 0;
  const suffix = text.slice(escapeAt);
  const candidates = [...QUERY_PREFIXES, "\u001b[?1h"];
  return candidates.some((candidate) => candidate.length > suffix.length && candidate.startsWith(suffix))
    ? suffix.length
    : 0;
}

/**
 * `ESC[6n` and `ESC[?6n` are removed from the output and answered with row 1, column 1. The last of `ESC[?1h`
 * and `ESC[?1l` decides how arrow keys must be sent. Sequences split over two chunks are found too.
 * @see exec spec §3.7, §4.1
 */
export function createTerminalFilter(): TerminalFilter {
  let held = "";
  let mode: CursorKeyMode = "unknown";
  return {
    push(chunk) {
      let text = held + chunk;
      held = "";
      if (!text.includes("\u001b")) return { text, answers: [] };
      const holdChars = incompleteSuffixLength(text);
      if (holdChars > 0) {
        held = text.slice(text.length - holdChars);
        text = text.slice(0, text.length - holdChars);
      }
      for (const match of text.matchAll(modePattern)) mode = match[1] === "h" ? "application" : "normal";
      const answers: string[] = [];
      const cleaned = text.replace(queryPattern, (_whole, mark: string) => {
        answers.push(`\u001b[${mark}1;1R`);
        return "";
      });
      return { text: cleaned, answers };
    },
    flush() {
      const rest = held;
      held = "";
      return rest;
    },
    isHolding: () => held !== "",
    cursorKeyMode: () => mode,
  };
}
