/** One shell word: its text after quote removal, and what a shell would still expand in it. */
import type { CommandWord, ExpansionKind, SourceSpan } from "./types.ts";

export interface WordPart {
  quote: "none" | "single" | "double" | "escape";
  text: string;
  span: SourceSpan;
}

type Expansion = CommandWord["expansions"][number];

function scan(pattern: RegExp, part: WordPart, raw: string, kind: ExpansionKind, found: Expansion[]): void {
  for (const match of raw.matchAll(pattern)) {
    const start = part.span.start + match.index;
    found.push({ kind, span: { start, end: start + match[0].length } });
  }
}

/** Finds variables, globs, braces, tilde and `$'…'` where quoting does not stop a shell from expanding them. */
function findExpansions(source: string, parts: readonly WordPart[]): Expansion[] {
  const found: Expansion[] = [];
  parts.forEach((part, index) => {
    const raw = source.slice(part.span.start, part.span.end);
    // Most words hold nothing that expands.
    if (!/[$*?[{~]/.test(raw)) return;
    if (part.quote === "none" || part.quote === "double") {
      // In double quotes an escaped dollar is text; pairs of backslashes cancel out.
      scan(
        /(?<!\\)(?<=(?:\\\\)*)\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[^}]*\}?|[0-9@*#?$!-])/g,
        part,
        raw,
        "variable",
        found,
      );
    }
    if (part.quote !== "none") return;
    scan(/[*?]|\[(?=.)/g, part, raw, "glob", found);
    scan(/\{[^{}]*(?:,|\.\.)[^{}]*\}/g, part, raw, "brace", found);
    if (index === 0) scan(/^~[^/]*/g, part, raw, "tilde", found);
    scan(/(?<=[=:])~/g, part, raw, "tilde", found);
    const next = parts[index + 1];
    if (raw.endsWith("$") && next !== undefined && (next.quote === "single" || next.quote === "double")) {
      found.push({ kind: "ansiC", span: { start: part.span.end - 1, end: next.span.end } });
    }
  });
  return found.sort((a, b) => a.span.start - b.span.start);
}

/** Builds a word from its parts. Spans point into `source`. */
export function toWord(source: string, start: number, end: number, parts: WordPart[]): CommandWord {
  return {
    text: parts.map((part) => part.text).join(""),
    raw: source.slice(start, end),
    span: { start, end },
    parts,
    expansions: findExpansions(source, parts),
    isHeredoc: false,
  };
}

/** @returns the word in single quotes, safe for any POSIX shell. */
export function singleQuote(word: string): string {
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}
