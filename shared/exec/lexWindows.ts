/** Words of a Windows command line: one simple command, only double quotes group. */
import { failure, type LexResult } from "./lexer.ts";
import type { CommandWord } from "./types.ts";
import { toWord, type WordPart } from "./words.ts";

const refused = /[&|<>^()%!\n\r]/;

export function lexWindows(text: string): LexResult {
  const hit = refused.exec(text);
  if (hit !== null) return failure("windowsToken", hit[0], hit.index);
  const words: CommandWord[] = [];
  let parts: WordPart[] = [];
  let wordStart: number | null = null;
  let quoteStart: number | null = null;
  const endWord = (at: number): void => {
    if (wordStart !== null) words.push(toWord(text, wordStart, at, parts));
    parts = [];
    wordStart = null;
  };
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? "";
    if (char === '"') {
      wordStart ??= index;
      if (quoteStart === null) {
        quoteStart = index;
      } else {
        const span = { start: quoteStart, end: index + 1 };
        parts.push({ quote: "single", text: text.slice(quoteStart + 1, index), span });
        quoteStart = null;
      }
    } else if (quoteStart === null && /\s/.test(char)) {
      endWord(index);
    } else if (quoteStart === null) {
      wordStart ??= index;
      parts.push({ quote: "escape", text: char, span: { start: index, end: index + 1 } });
    }
  }
  if (quoteStart !== null) return failure("unterminatedQuote", '"', quoteStart);
  endWord(text.length);
  const first = words[0];
  const last = words.at(-1);
  if (first === undefined || last === undefined) return failure("emptyCommand", "", 0, text.length);
  const span = { start: first.span.start, end: last.span.end };
  return {
    ok: true,
    hasComment: false,
    pipelines: [{ span, segments: [{ span: { ...span }, words }], operatorAfter: null }],
  };
}
