/** Splits shell text into chain parts, pipeline members and words, with spans; refuses what it does not understand. */
import type {
  AnalysisFailure,
  AnalysisFailureCode,
  ChainOperator,
  CommandWord,
  SourceSpan,
} from "./types.ts";
import { toWord, type WordPart } from "./words.ts";

export interface LexedSegment {
  span: SourceSpan;
  words: CommandWord[];
}

export interface LexedPipeline {
  span: SourceSpan;
  segments: LexedSegment[];
  operatorAfter: ChainOperator | null;
}

export type LexResult = { ok: true; pipelines: LexedPipeline[]; hasComment: boolean } | AnalysisFailure;

const whitespace = /\s/;

/** Characters that mean nothing by themselves, as many as stand together; everything else is looked at one by one. */
const plainRun = /[^\s\\'"|&;()<>`$]+/y;

export function failure(
  code: AnalysisFailureCode,
  token: string,
  start: number,
  end = start + token.length,
): AnalysisFailure {
  return { ok: false, code, token, span: { start, end } };
}

interface ChainPart {
  start: number;
  end: number;
  operatorAfter: ChainOperator | null;
}

/** Cuts at `&&`, `||` and `;` outside quotes, up to a comment. Heredoc bodies are not known here. */
function splitChain(text: string): { parts: ChainPart[]; commentStart: number | null } {
  const parts: ChainPart[] = [];
  let start = 0;
  let quote: '"' | "'" | null = null;
  let commentStart: number | null = null;
  // A blank behind a backslash belongs to a word, so a `#` behind it does too.
  let escapedAt = -2;
  let index = 0;
  for (; index < text.length; index += 1) {
    const char = text[index];
    if (quote === "'") {
      if (char === "'") quote = null;
    } else if (char === "\\") {
      index += 1;
      escapedAt = index;
    } else if (quote === '"') {
      if (char === '"') quote = null;
    } else if (char === "'" || char === '"') {
      quote = char;
    } else if (
      char === "#" &&
      escapedAt !== index - 1 &&
      (index === start || whitespace.test(text[index - 1] ?? " "))
    ) {
      commentStart = index;
      break;
    } else {
      if (char !== "&" && char !== "|" && char !== ";") continue;
      const two = text.slice(index, index + 2);
      const operator = two === "&&" || two === "||" ? two : char === ";" ? ";" : null;
      if (operator === null) continue;
      parts.push({ start, end: index, operatorAfter: operator });
      index += operator.length - 1;
      start = index + 1;
    }
  }
  parts.push({ start, end: commentStart ?? text.length, operatorAfter: null });
  return { parts, commentStart };
}

function trimSpan(text: string, part: ChainPart): ChainPart {
  let { start, end } = part;
  while (start < end && whitespace.test(text[start] ?? "")) start += 1;
  while (end > start && whitespace.test(text[end - 1] ?? "")) end -= 1;
  return { ...part, start, end };
}

interface PendingHeredoc {
  delimiter: string;
  isQuoted: boolean;
  stripsTabs: boolean;
  at: number;
}

/** Reads one chain part: pipeline members and their words. */
class PipelineLexer {
  readonly segments: LexedSegment[] = [];
  private parts: WordPart[] = [];
  private wordStart: number | null = null;
  private words: CommandWord[] = [];
  private lastWordEnd = 0;
  private heredocs: PendingHeredoc[] = [];
  private sawPipe = false;
  private readonly text: string;
  private readonly start: number;
  private readonly end: number;
  private readonly strict: boolean;
  private index: number;

  constructor(text: string, start: number, end: number, strict: boolean) {
    this.text = text;
    this.index = start;
    this.start = start;
    this.end = end;
    this.strict = strict;
  }

  run(): AnalysisFailure | null {
    while (this.index < this.end) {
      const problem = this.step();
      if (problem !== null) return problem;
    }
    this.endWord(this.end);
    const heredoc = this.heredocs[0];
    if (heredoc !== undefined) return failure("unterminatedHeredoc", heredoc.delimiter, heredoc.at);
    if (this.words.length === 0 && this.sawPipe)
      return failure("emptyPipelineSegment", "|", this.end, this.end);
    this.endSegment();
    if (this.segments.length === 0) return failure("emptyCommand", "", this.start, this.end);
    return null;
  }

  private step(): AnalysisFailure | null {
    const { text, index } = this;
    const char = text[index] ?? "";
    const next = index + 1 < this.end ? (text[index + 1] ?? "") : "";
    switch (char) {
      case "\\":
        if (index + 1 >= this.end) return failure("danglingBackslash", "\\", index);
        this.addPart("escape", this.charAt(index + 1), index, index + 1 + this.charAt(index + 1).length);
        return null;
      case "'":
        return this.singleQuoted();
      case '"':
        return this.doubleQuoted();
      case "\n":
      case "\r":
        if (char === "\n" && this.heredocs.length > 0) return this.heredocBodies();
        return failure("lineBreak", char, index);
      case "|":
        return this.pipe(next);
      case "&":
        return failure("background", char, index);
      case ";":
        return failure("malformedChain", char, index);
      case "(":
      case ")":
        return failure("subshell", char, index);
      case ">":
        return failure("redirection", char, index);
      case "<":
        return this.lessThan(next);
      case "`":
        return failure("backtick", char, index);
      default:
        break;
    }
    if (char === "$" && next === "(") return failure("commandSubstitution", "$(", index);
    if (this.strict && char === "$" && (next === "'" || next === '"'))
      return failure(next === "'" ? "ansiCQuote" : "localeQuote", `$${next}`, index);
    if (whitespace.test(char)) {
      if (this.strict && char !== " " && char !== "\t") return failure("oddSpace", char, index);
      this.endWord(index);
      this.index += 1;
      return null;
    }
    plainRun.lastIndex = index;
    const run = plainRun.exec(text)?.[0] ?? "";
    // A chain part ends where splitChain cut it; `$` stands alone when nothing of the above follows.
    const whole = run === "" ? this.charAt(index) : run.slice(0, this.end - index);
    this.addPart("none", whole, index, index + whole.length);
    return null;
  }

  /** One character, surrogate pairs kept together. */
  private charAt(index: number): string {
    return String.fromCodePoint(this.text.codePointAt(index) ?? 0);
  }

  private addPart(quote: WordPart["quote"], content: string, start: number, end: number): void {
    this.wordStart ??= start;
    const last = this.parts.at(-1);
    if (last !== undefined && quote === "none" && last.quote === "none" && last.span.end === start) {
      last.text += content;
      last.span.end = end;
    } else {
      this.parts.push({ quote, text: content, span: { start, end } });
    }
    this.index = end;
  }

  private singleQuoted(): AnalysisFailure | null {
    const close = this.text.indexOf("'", this.index + 1);
    if (close === -1 || close >= this.end) return failure("unterminatedQuote", "'", this.index);
    this.addPart("single", this.text.slice(this.index + 1, close), this.index, close + 1);
    return null;
  }

  private doubleQuoted(): AnalysisFailure | null {
    const start = this.index;
    let content = "";
    for (let at = start + 1; at < this.end; at += 1) {
      const char = this.text[at] ?? "";
      const next = at + 1 < this.end ? (this.text[at + 1] ?? "") : "";
      if (char === '"') {
        this.addPart("double", content, start, at + 1);
        return null;
      }
      if (char === "\\" && next !== "" && '\\"$`'.includes(next)) {
        content += next;
        at += 1;
        continue;
      }
      if (char === "`") return failure("backtick", char, at);
      if (char === "$" && next === "(") return failure("commandSubstitution", "$(", at);
      if (char === "\n" || char === "\r") return failure("lineBreakInDoubleQuotes", char, at);
      content += char;
    }
    return failure("unterminatedQuote", '"', start);
  }

  private pipe(next: string): AnalysisFailure | null {
    if (next === "&") return failure("pipeBoth", "|&", this.index);
    this.endWord(this.index);
    const at = this.index;
    if (this.strict && this.words.length === 0) return failure("emptyPipelineSegment", "|", at);
    this.endSegment();
    this.index += 1;
    this.sawPipe = true;
    return null;
  }

  private lessThan(next: string): AnalysisFailure | null {
    const start = this.index;
    if (next !== "<") return failure("redirection", "<", start);
    if (this.text[start + 2] === "<") return failure("hereString", "<<<", start);
    const match =
      /^<<(-?)[ \t]*(?:'([^'\n\r]*)'|"([^"\n\r\\$`]*)"|(\\?)([A-Za-z0-9_.-]+))(?=$|[\s|;&<>()])/.exec(
        this.text.slice(start, this.end),
      );
    if (match === null) return failure("malformedHeredoc", "<<", start);
    const delimiter = match[2] ?? match[3] ?? match[5] ?? "";
    if (delimiter === "") return failure("malformedHeredoc", "<<", start);
    this.endWord(start);
    const end = start + match[0].length;
    const isQuoted = match[2] !== undefined || match[3] !== undefined || match[4] === "\\";
    this.heredocs.push({ delimiter, isQuoted, stripsTabs: match[1] === "-", at: start });
    const raw = this.text.slice(start, end);
    const text = `<<${match[1] ?? ""}${delimiter}`;
    const span = { start, end };
    this.words.push({
      text,
      raw,
      span,
      parts: [{ quote: "none", text, span: { ...span } }],
      expansions: [],
      isHeredoc: true,
    });
    this.lastWordEnd = end;
    this.index = end;
    return null;
  }

  private heredocBodies(): AnalysisFailure | null {
    this.endWord(this.index);
    let at = this.index + 1;
    for (const heredoc of this.heredocs) {
      let isClosed = false;
      while (at < this.end && !isClosed) {
        const newline = this.text.indexOf("\n", at);
        const lineEnd = newline === -1 || newline > this.end ? this.end : newline;
        const line = this.text.slice(at, lineEnd);
        const compared = heredoc.stripsTabs ? line.replace(/^\t+/, "") : line;
        isClosed = compared === heredoc.delimiter;
        if (!isClosed && !heredoc.isQuoted) {
          const hit = /(?<!\\)(?:\\\\)*(`|\$\(|\$\{)/.exec(line);
          if (hit !== null) return failure("substitutionInHeredoc", hit[1] ?? "", at + hit.index);
        }
        at = lineEnd + 1;
      }
      if (!isClosed) return failure("unterminatedHeredoc", heredoc.delimiter, heredoc.at);
    }
    this.heredocs = [];
    const rest = this.text.slice(Math.min(at, this.end), this.end);
    if (rest.trim() !== "") return failure("lineBreak", "\n", at - 1);
    this.index = this.end;
    return null;
  }

  private endWord(at: number): void {
    if (this.wordStart !== null) {
      this.words.push(toWord(this.text, this.wordStart, at, this.parts));
      this.lastWordEnd = at;
    }
    this.parts = [];
    this.wordStart = null;
  }

  /** Members without words are skipped, as the reference does; strict grammar has refused them before. */
  private endSegment(): void {
    const first = this.words[0];
    if (first !== undefined) {
      this.segments.push({ span: { start: first.span.start, end: this.lastWordEnd }, words: this.words });
    }
    this.words = [];
  }
}

/**
 * @param strict refuses what a shell would read differently from this lexer: odd spaces, `$'…'`, empty
 * pipeline members, comments that hide further lines
 */
export function lexPosix(text: string, strict: boolean): LexResult {
  const continuation = /\\\r?\n|\\\r/.exec(text);
  if (continuation !== null) return failure("lineContinuation", continuation[0], continuation.index);
  const { parts, commentStart } = splitChain(text);
  if (strict && commentStart !== null && /[\n\r]/.test(text.slice(commentStart).trimEnd()))
    return failure("commentHidesText", text.slice(commentStart), commentStart);
  const trimmed = parts.length > 1 ? parts.map((part) => trimSpan(text, part)) : parts;
  const pipelines: LexedPipeline[] = [];
  for (const part of trimmed) {
    if (parts.length > 1 && part.start === part.end)
      return failure("malformedChain", part.operatorAfter ?? "", part.start, part.end);
    const lexer = new PipelineLexer(text, part.start, part.end, strict);
    const problem = lexer.run();
    if (problem !== null) return problem;
    const first = lexer.segments[0];
    const last = lexer.segments.at(-1);
    if (first === undefined || last === undefined) return failure("emptyCommand", "", part.start, part.end);
    pipelines.push({
      span: { start: first.span.start, end: last.span.end },
      segments: lexer.segments,
      operatorAfter: part.operatorAfter,
    });
  }
  return { ok: true, pipelines, hasComment: commentStart !== null };
}
