/** Many wildcard patterns against one name, without trying each pattern: they are grouped by their fixed ends. */

interface Pattern {
  index: number;
  /** The literal pieces between the stars; the first and last are anchored. */
  pieces: readonly string[];
  minLength: number;
}

/** @returns the position of the first matching pattern in its list, or -1 */
export type PatternMatcher = (name: string) => number;

/**
 * Compiles patterns in which `*` stands for any run of characters and everything else is literal.
 * @param patterns normalised text with its position in the list it comes from
 */
export function compilePatterns(patterns: readonly { text: string; index: number }[]): PatternMatcher {
  const byPrefix = new Map<string, Pattern[]>();
  const bySuffix = new Map<string, Pattern[]>();
  const byTrigram = new Map<number, Pattern[]>();
  const loose: Pattern[] = [];
  for (const { text, index } of patterns) {
    const pieces = text.split(/\*+/);
    const pattern: Pattern = {
      index,
      pieces,
      minLength: pieces.reduce((sum, piece) => sum + piece.length, 0),
    };
    const prefix = pieces[0] ?? "";
    const suffix = pieces.at(-1) ?? "";
    if (prefix !== "") pushTo(byPrefix, prefix, pattern);
    else if (suffix !== "") pushTo(bySuffix, suffix, pattern);
    else {
      // A name that holds the longest piece holds its first three letters.
      const longest = pieces.reduce((a, b) => (b.length > a.length ? b : a), "");
      if (longest.length >= 3) pushTo(byTrigram, trigramAt(longest, 0), pattern);
      else loose.push(pattern);
    }
  }
  const prefixLengths = lengthsOf(byPrefix);
  const suffixLengths = lengthsOf(bySuffix);
  const search: PatternMatcher = (name) => {
    let best = -1;
    const tryAll = (candidates: readonly Pattern[] | undefined) => {
      if (candidates === undefined) return;
      for (const pattern of candidates) {
        // Candidates are in list order: once one hits, later ones of this group cannot be earlier in the list.
        if (best !== -1 && pattern.index > best) return;
        if (matches(pattern, name)) {
          best = pattern.index;
          return;
        }
      }
    };
    for (const length of prefixLengths) {
      if (length <= name.length) tryAll(byPrefix.get(name.slice(0, length)));
    }
    for (const length of suffixLengths) {
      if (length <= name.length) tryAll(bySuffix.get(name.slice(name.length - length)));
    }
    tryAll(loose);
    if (byTrigram.size > 0) {
      for (let i = 0; i + 3 <= name.length; i += 1) tryAll(byTrigram.get(trigramAt(name, i)));
    }
    return best;
  };
  return patterns.length < 4 ? search : remembering(search);
}

/** Tools keep their names while lists of tools come and go, so answers are remembered; the bound is for safety. */
function remembering(search: PatternMatcher): PatternMatcher {
  const known = new Map<string, number>();
  return (name) => {
    const hit = known.get(name);
    if (hit !== undefined) return hit;
    const found = search(name);
    if (known.size >= 20_000) known.clear();
    known.set(name, found);
    return found;
  };
}

/** One pattern against one name, for places that compare rarely. */
export function matchesPattern(pattern: string, name: string): boolean {
  return compilePatterns([{ text: pattern, index: 0 }])(name) === 0;
}

/** Three letters as a number; different letters may give the same one, which only costs a comparison. */
function trigramAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 14) ^ (text.charCodeAt(at + 1) << 7) ^ text.charCodeAt(at + 2);
}

function matches({ pieces, minLength }: Pattern, name: string): boolean {
  if (name.length < minLength) return false;
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (let i = 1; i < pieces.length - 1; i += 1) {
    const piece = pieces[i] ?? "";
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return at <= end;
}

function pushTo<Key>(map: Map<Key, Pattern[]>, key: Key, pattern: Pattern): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [pattern]);
  else list.push(pattern);
}

function lengthsOf(map: ReadonlyMap<string, unknown>): readonly number[] {
  return [...new Set([...map.keys()].map((key) => key.length))].sort((a, b) => a - b);
}
