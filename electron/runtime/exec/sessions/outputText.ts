/** Makes command output safe to show as text and keeps the last part of it in bounded memory. */

import { sanitizeOutput as removeUnwanted } from "../../../../shared/exec/output.ts";

const plainText = /^[\t\n\r\x20-\x7e]*$/;

/** The cleaning of `shared/exec`, with a short way for plain ASCII: most output is, and the full test costs ten times as much. */
export function sanitizeOutput(text: string): string {
  return plainText.test(text) ? text : removeUnwanted(text);
}

/** Cuts to the last `maxChars` UTF-16 units without leaving half a surrogate pair at the front. */
export function lastChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars <= 0) return "";
  let start = text.length - maxChars;
  const first = text.charCodeAt(start);
  if (first >= 0xdc00 && first <= 0xdfff) start += 1;
  return text.slice(start);
}

/** Keeps the last `maxChars` characters of everything appended. */
export interface TextTail {
  append(text: string): void;
  /** Counts characters that came before what is appended next and are not kept. */
  skip(chars: number): void;
  text(): string;
  /** The last `chars` characters, without joining everything. */
  end(chars: number): string;
  /** Characters held now, at most `maxChars`. */
  length(): number;
  /** Characters ever appended minus characters drained. */
  totalChars(): number;
  /** True when anything was dropped at the front. */
  truncated(): boolean;
  /** Returns the content and starts again empty; `truncated` stays. */
  drain(): string;
}

const COALESCE_CHARS = 4096;

export function createTextTail(maxChars: number): TextTail {
  let parts: string[] = [];
  let heldChars = 0;
  let totalChars = 0;
  let dropped = false;

  const compact = (): string => {
    const joined = lastChars(parts.length === 1 ? (parts[0] ?? "") : parts.join(""), maxChars);
    parts = joined === "" ? [] : [joined];
    heldChars = joined.length;
    return joined;
  };

  return {
    append(text) {
      if (text === "") return;
      totalChars += text.length;
      const lastIndex = parts.length - 1;
      const last = parts[lastIndex];
      // Thousands of tiny writes must not become thousands of array slots.
      if (last !== undefined && last.length + text.length <= COALESCE_CHARS) parts[lastIndex] = last + text;
      else parts.push(text);
      heldChars += text.length;
      if (heldChars > maxChars) dropped = true;
      let first = parts[0];
      while (first !== undefined && heldChars - first.length >= maxChars) {
        heldChars -= first.length;
        parts.shift();
        first = parts[0];
      }
    },
    skip(chars) {
      totalChars += chars;
      dropped = true;
    },
    text: compact,
    end(chars) {
      let from = parts.length;
      let gathered = 0;
      while (from > 0 && gathered < chars) {
        from -= 1;
        gathered += parts[from]?.length ?? 0;
      }
      return lastChars(parts.slice(from).join(""), Math.min(chars, maxChars));
    },
    length: () => Math.min(heldChars, maxChars),
    totalChars: () => totalChars,
    truncated: () => dropped,
    drain() {
      const joined = compact();
      parts = [];
      heldChars = 0;
      totalChars = 0;
      return joined;
    },
  };
}
