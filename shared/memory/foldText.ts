/** Brings notes and queries into one spelling, and takes the words out of it that an index holds. */

const ascii = /^[\x00-\x7f]*$/;
/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts change the letter and stay. */
const accents = /[\u0300-\u036f]/g;
/** Joiners, variation selectors and skin tones: the same picture to a person. */
const unseen = /[\p{Cf}\p{Variation_Selector}\p{Emoji_Modifier}]/gu;

/** @returns lower case, compatibility forms unified, without accents and invisible signs */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(accents, "")
    .replace(unseen, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(accents, "");
}

/** Scripts that put no space between words. */
const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}\\p{Script=Yi}ー々〆";
const wordPattern = new RegExp(
  `(?<dense>[${unspaced}]+)|(?<flag>[\\u{1f1e6}-\\u{1f1ff}]{1,2})|(?<picture>(?![0-9#*])\\p{Extended_Pictographic})|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}_])+`,
  "gu",
);
const asciiWords = /[a-z0-9_]+/g;
/** Longer words are kept by their start; what is longer is data, not language. */
const maxWordChars = 48;

export interface Word {
  text: string;
  kind: "word" | "dense" | "picture";
}

/** @param folded as `foldText` gives it. @returns words in order: runs of dense letters whole, pictures one by one */
export function wordsOf(folded: string): Word[] {
  const words: Word[] = [];
  for (const match of folded.matchAll(wordPattern)) {
    const { dense, flag, picture } = match.groups ?? {};
    if (dense !== undefined) words.push({ text: dense, kind: "dense" });
    else if (flag !== undefined || picture !== undefined) words.push({ text: match[0], kind: "picture" });
    else words.push({ text: match[0].slice(0, maxWordChars), kind: "word" });
  }
  return words;
}

/** @returns single letters and pairs of a run of dense letters, which stand in the index for its words */
export function denseTerms(run: string): string[] {
  const letters = [...run];
  return letters.flatMap((letter, at) => {
    const next = letters[at + 1];
    return next === undefined ? [letter] : [letter, letter + next];
  });
}

/** @returns what an index of words holds for the text, without repeats; never with blanks or ASCII signs but `_` */
export function indexTerms(folded: string): Set<string> {
  const terms = new Set<string>();
  if (ascii.test(folded)) {
    for (const [word] of folded.matchAll(asciiWords)) terms.add(word.slice(0, maxWordChars));
    return terms;
  }
  for (const { text, kind } of wordsOf(folded)) {
    if (kind === "dense") for (const term of denseTerms(text)) terms.add(term);
    else terms.add(text);
  }
  return terms;
}
