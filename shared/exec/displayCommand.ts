/** Finds what a reader cannot see or would misread in command text, and cuts the text into pieces to show (A15). */
import type { ExecWarnings, MixedScriptWord, OdditySpan, SourceSpan } from "./types.ts";

export type DisplayToken =
  | { kind: "text"; text: string; span: SourceSpan }
  /** Show the escape instead of the character. */
  | {
      kind: "oddity";
      text: string;
      span: SourceSpan;
      oddity: OdditySpan["kind"];
      codePoint: number;
      name: string;
    }
  /** Show the word with the odd letters marked. */
  | {
      kind: "mixedWord";
      text: string;
      span: SourceSpan;
      letters: MixedScriptWord["letters"];
      mainScript: string;
    };

const names = new Map<number, string>([
  [0x00, "NULL"],
  [0x07, "BELL"],
  [0x08, "BACKSPACE"],
  [0x0b, "LINE TABULATION"],
  [0x0c, "FORM FEED"],
  [0x0d, "CARRIAGE RETURN"],
  [0x1b, "ESCAPE"],
  [0x7f, "DELETE"],
  [0x85, "NEXT LINE"],
  [0xa0, "NO-BREAK SPACE"],
  [0xad, "SOFT HYPHEN"],
  [0x034f, "COMBINING GRAPHEME JOINER"],
  [0x061c, "ARABIC LETTER MARK"],
  [0x115f, "HANGUL CHOSEONG FILLER"],
  [0x1160, "HANGUL JUNGSEONG FILLER"],
  [0x1680, "OGHAM SPACE MARK"],
  [0x180e, "MONGOLIAN VOWEL SEPARATOR"],
  [0x200b, "ZERO WIDTH SPACE"],
  [0x200c, "ZERO WIDTH NON-JOINER"],
  [0x200d, "ZERO WIDTH JOINER"],
  [0x200e, "LEFT-TO-RIGHT MARK"],
  [0x200f, "RIGHT-TO-LEFT MARK"],
  [0x2028, "LINE SEPARATOR"],
  [0x2029, "PARAGRAPH SEPARATOR"],
  [0x202a, "LEFT-TO-RIGHT EMBEDDING"],
  [0x202b, "RIGHT-TO-LEFT EMBEDDING"],
  [0x202c, "POP DIRECTIONAL FORMATTING"],
  [0x202d, "LEFT-TO-RIGHT OVERRIDE"],
  [0x202e, "RIGHT-TO-LEFT OVERRIDE"],
  [0x202f, "NARROW NO-BREAK SPACE"],
  [0x205f, "MEDIUM MATHEMATICAL SPACE"],
  [0x2060, "WORD JOINER"],
  [0x2066, "LEFT-TO-RIGHT ISOLATE"],
  [0x2067, "RIGHT-TO-LEFT ISOLATE"],
  [0x2068, "FIRST STRONG ISOLATE"],
  [0x2069, "POP DIRECTIONAL ISOLATE"],
  [0x2800, "BRAILLE PATTERN BLANK"],
  [0x3000, "IDEOGRAPHIC SPACE"],
  [0x3164, "HANGUL FILLER"],
  [0xfeff, "ZERO WIDTH NO-BREAK SPACE"],
  [0xffa0, "HALFWIDTH HANGUL FILLER"],
]);

/** `U+200B ZERO WIDTH SPACE`; the name is left out where we know none. */
export function describeCodePoint(codePoint: number): string {
  const hex = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = names.get(codePoint);
  return name === undefined ? hex : `${hex} ${name}`;
}

const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
// Combining and base characters stand in one class here on purpose; each is looked at alone.
const zeroWidth = new RegExp(
  "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2064\\u206a-\\u206f\\u2800\\u3164" +
    "\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "u",
);
const oddSpace = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;

function oddityKind(char: string): OdditySpan["kind"] | null {
  if (char === "\n" || char === "\t") return null;
  if (/[\u2028\u2029\u0085]/u.test(char)) return "lineBreak";
  if (/[\u0000-\u001f\u007f-\u009f]/u.test(char)) return "control";
  if (bidi.test(char)) return "bidi";
  if (zeroWidth.test(char)) return "zeroWidth";
  if (oddSpace.test(char)) return "space";
  if (/\p{Cs}/u.test(char)) return "surrogate";
  return /[\p{Cf}\p{Co}]/u.test(char) || char === "\u00ad" ? "format" : null;
}

function findOddities(text: string): OdditySpan[] {
  const found: OdditySpan[] = [];
  let at = 0;
  let previous = "";
  for (const char of text) {
    const start = at;
    at += char.length;
    const kind = oddityKind(char);
    // Emoji are made with these; only behind a picture are they part of what one sees.
    const joinsEmoji =
      (char === "\ufe0f" || char === "\u200d") &&
      (previous === "\ufe0f" || /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u.test(previous));
    previous = char;
    if (kind === null || joinsEmoji) continue;
    const codePoint = char.codePointAt(0) ?? 0;
    found.push({ kind, span: { start, end: at }, codePoint, name: describeCodePoint(codePoint) });
  }
  return found;
}

const scripts: readonly [name: string, pattern: RegExp][] = [
  ["Fullwidth", /[\uff0d-\uff19\uff21-\uff3a\uff41-\uff5a]/u],
  ["Mathematical", /[\u{1d400}-\u{1d7ff}\u2100-\u214f]/u],
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Coptic", /\p{Script=Coptic}/u],
  ["Georgian", /\p{Script=Georgian}/u],
  ["Lisu", /\p{Script=Lisu}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Arabic", /\p{Script=Arabic}/u],
];

function scriptOf(char: string): string | null {
  return scripts.find(([, pattern]) => pattern.test(char))?.[0] ?? null;
}

/** Cyrillic and Greek letters that look like Latin ones. */
const lookAlikes = new Set("асеорхуіјѕԁһԛԝкмтвнзбгпАВЕКМНОРСТУХІЈЅԌҮ" + "αοιντυρκχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ");

/**
 * Letters and digits make words. Full-width punctuation belongs to Chinese and Japanese text; only the signs of
 * options, hosts and paths (－ ．／) count, and only where ASCII text goes on behind them.
 */
const wordPattern = /(?:[\p{L}\p{M}\p{N}_]|(?<![^\x00-\x7f])[\uff0d-\uff0f](?=[A-Za-z0-9]))+/gu;

function findMixedWords(text: string): MixedScriptWord[] {
  const found: MixedScriptWord[] = [];
  for (const match of text.matchAll(wordPattern)) {
    const word = match[0];
    if (/^[\x20-\x7e]*$/.test(word)) continue;
    const letters: MixedScriptWord["letters"] = [];
    const counts = new Map<string, number>();
    let at = match.index;
    for (const char of word) {
      const script = scriptOf(char);
      if (script !== null) {
        counts.set(script, (counts.get(script) ?? 0) + 1);
        letters.push({
          letter: char,
          span: { start: at, end: at + char.length },
          codePoint: char.codePointAt(0) ?? 0,
          script,
        });
      }
      at += char.length;
    }
    const hasOddForm = counts.has("Fullwidth") || counts.has("Mathematical");
    const wholeWord = letters.length > 0 && letters.every((one) => lookAlikes.has(one.letter));
    if (counts.size < 2 && !hasOddForm && !wholeWord) continue;
    const ranked = [...counts].sort(
      (a, b) => b[1] - a[1] || Number(b[0] === "Latin") - Number(a[0] === "Latin"),
    );
    const mainScript = hasOddForm ? "Latin" : (ranked[0]?.[0] ?? "Latin");
    found.push({
      word,
      span: { start: match.index, end: match.index + word.length },
      letters: counts.size < 2 ? letters : letters.filter((one) => one.script !== mainScript),
      mainScript,
      wholeWord,
    });
  }
  return found;
}

/** Text pushed out of sight by a long run of blanks or empty lines. */
function hasHiddenTail(text: string): boolean {
  // Fifteen line breaks or sixty blanks in a row: without fifteen there is neither.
  if (!/\s{15}/.test(text)) return false;
  for (const match of text.matchAll(/\s+/g)) {
    const [run] = match;
    if (match.index + run.length === text.length) return false;
    const lines = run.split("\n");
    if (lines.length > 15 || lines.some((line) => line.length >= 60)) return true;
  }
  return false;
}

/** Printable ASCII can neither hide nor pass for something else; nearly every command is that. */
export function isPlainText(text: string): boolean {
  return !/[^\n\t\x20-\x7e]/.test(text);
}

/**
 * Looks for signs of deception in a command. Never changes the text.
 * @param programSpans where the command words stand, when the text could be analysed
 */
export function inspectText(text: string, programSpans: readonly SourceSpan[] = []): ExecWarnings {
  const isPlain = isPlainText(text);
  const invisible = isPlain ? [] : findOddities(text);
  const mixedScript = isPlain ? [] : findMixedWords(text);
  const overlaps = (span: SourceSpan): boolean =>
    programSpans.some((program) => span.start < program.end && program.start < span.end);
  const hostileSigns: ExecWarnings["hostileSigns"] = [];
  if (invisible.some((one) => one.kind === "bidi")) hostileSigns.push("bidiControl");
  if (mixedScript.some((one) => overlaps(one.span))) hostileSigns.push("lookAlikeProgram");
  if (hasHiddenTail(text)) hostileSigns.push("hiddenTail");
  if (invisible.some((one) => overlaps(one.span))) hostileSigns.push("invisibleInProgram");
  return { invisible, mixedScript, hostileSigns };
}

/** Cuts text into what may be shown as it is and what must be marked. The pieces join to the text. */
export function displayCommand(text: string): DisplayToken[] {
  const warnings = inspectText(text);
  const marks: DisplayToken[] = [
    ...warnings.invisible.map(
      (one): DisplayToken => ({
        kind: "oddity",
        text: text.slice(one.span.start, one.span.end),
        span: one.span,
        oddity: one.kind,
        codePoint: one.codePoint,
        name: one.name,
      }),
    ),
    ...warnings.mixedScript.map(
      (one): DisplayToken => ({
        kind: "mixedWord",
        text: one.word,
        span: one.span,
        letters: one.letters,
        mainScript: one.mainScript,
      }),
    ),
  ].sort((a, b) => a.span.start - b.span.start);
  const tokens: DisplayToken[] = [];
  let at = 0;
  for (const mark of marks) {
    // A mark inside a word that is already marked is shown with that word.
    if (mark.span.start < at) continue;
    if (mark.span.start > at)
      tokens.push({
        kind: "text",
        text: text.slice(at, mark.span.start),
        span: { start: at, end: mark.span.start },
      });
    tokens.push(mark);
    at = mark.span.end;
  }
  if (at < text.length)
    tokens.push({ kind: "text", text: text.slice(at), span: { start: at, end: text.length } });
  return tokens;
}

/** Text for places without markup, a terminal for instance: everything odd as `\u{HEX}`. Line breaks and tabs stay. */
export function escapeForDisplay(text: string): string {
  if (isPlainText(text)) return text;
  let shown = "";
  let at = 0;
  for (const { span, codePoint } of findOddities(text)) {
    shown += `${text.slice(at, span.start)}\\u{${codePoint.toString(16)}}`;
    at = span.end;
  }
  return shown + text.slice(at);
}
