/** The loose form of a text, in which quotes, dashes, spaces and trailing blanks do not tell lines apart. */

/**
 * Curly quotes, dashes and odd spaces become their plain forms.
 * @see tools-files-web-media.md 4.1
 */
export function foldPunctuation(text: string): string {
  return text
    .replace(/[\u2018-\u201B]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}

/** The loose form: NFKC, trailing white space cut from every line, punctuation folded. LF endings only. */
export function foldText(text: string): string {
  const trimmed = text
    .normalize("NFKC")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  return foldPunctuation(trimmed);
}

/**
 * A form of a text with the way back: unit `i` of `text` stands for `[starts[i], ends[i])` of the original.
 * Several units of one original character share its whole range.
 */
export interface MappedText {
  text: string;
  starts: Int32Array;
  ends: Int32Array;
}

/** @returns the text with LF endings, mapped to where each character stands in the original */
export function mapLf(original: string): MappedText {
  return mapped(original.length, (push) => {
    for (let at = 0; at < original.length; at += 1) {
      const isPair = original[at] === "\r" && original[at + 1] === "\n";
      const end = isPair ? at + 2 : at + 1;
      push(original[at] === "\r" ? "\n" : (original[at] ?? ""), at, end);
      at = end - 1;
    }
  });
}

const blank = /^\s/;

/** A run of blanks is one match, so that a file full of them takes linear time. */
const cluster = /\r\n?|\n|[^\S\r\n]+|\P{M}\p{M}*|\p{M}+/gu;

/** @returns the loose form, mapped to the original; built cluster by cluster, so that every piece has a place */
export function mapFolded(original: string): MappedText {
  return mapped(original.length * 2, (push) => {
    for (const match of original.matchAll(cluster)) {
      const [piece] = match;
      const end = match.index + piece.length;
      if (piece.startsWith("\r") || piece === "\n") {
        push("\n", match.index, end);
      } else if (!blank.test(piece)) {
        push(foldPunctuation(piece.normalize("NFKC")), match.index, end);
      } else if (end < original.length && original[end] !== "\r" && original[end] !== "\n") {
        for (let at = match.index; at < end; at += 1) {
          push(foldPunctuation((original[at] ?? "").normalize("NFKC")), at, at + 1);
        }
      }
    }
  });
}

function mapped(
  sizeHint: number,
  build: (push: (piece: string, start: number, end: number) => void) => void,
): MappedText {
  let starts = new Int32Array(Math.max(sizeHint, 16));
  let ends = new Int32Array(starts.length);
  let length = 0;
  const parts: string[] = [];
  build((piece, start, end) => {
    // One character can unfold to many (U+FDFA to eighteen), so the arrays may have to grow.
    if (length + piece.length > starts.length) {
      starts = grown(starts, length + piece.length);
      ends = grown(ends, length + piece.length);
    }
    starts.fill(start, length, length + piece.length);
    ends.fill(end, length, length + piece.length);
    length += piece.length;
    parts.push(piece);
  });
  return { text: parts.join(""), starts, ends };
}

function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const bigger = new Int32Array(Math.max(array.length * 2, least));
  bigger.set(array);
  return bigger;
}

/**
 * @returns where `[start, end)` of the mapped text stands in the original, or null when it would cut through one
 *   original character (such as the second letter of a ligature)
 */
export function originalRange(
  map: MappedText,
  start: number,
  end: number,
): { start: number; end: number } | null {
  const from = map.starts[start];
  const to = map.ends[end - 1];
  if (from === undefined || to === undefined) return null;
  if (start > 0 && map.starts[start - 1] === from) return null;
  if (end < map.text.length && map.ends[end] === to) return null;
  return { start: from, end: to };
}
