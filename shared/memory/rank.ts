/** Puts finds by keyword and by vector into one order: weights, age, threshold, variety. */

import { denseTerms, foldText, wordsOf } from "./foldText.ts";

export interface Find {
  id: number;
  path: string;
  /** Of the file; milliseconds since 1970. */
  mtimeMs: number;
  text: string;
  /** 0 to 1; null: not found this way. */
  vectorScore: number | null;
  textScore: number | null;
}

export interface Ranked extends Find {
  score: number;
}

export interface RankOptions {
  mode: "hybrid" | "fts-only";
  maxResults: number;
  minScore: number;
  vectorWeight: number;
  textWeight: number;
  /** null: notes do not age. */
  halfLifeDays: number | null;
  /** null: no variety; 1 only score, 0 only difference. */
  mmrLambda: number | null;
  /** Finds by keyword are shown rather than nothing, however low they score (`memory.keepKeywordFinds`). */
  keepsKeywordFinds: boolean;
  nowMs: number;
}

const dayMs = 86_400_000;
const datedNote = /(?:^|\/)memory\/(?:.*\/)?(\d{4})-(\d{2})-(\d{2})\.md$/;
const memoryNote = /(?:^|\/)(?:memory\/.*|memory\.md)$/i;
/** Variety compares every candidate with every chosen one. */
const maxVaried = 200;

/** @returns best first, at most `maxResults` */
export function rankFinds(finds: readonly Find[], options: RankOptions): Ranked[] {
  const scored = finds
    .map((find): Ranked => ({ ...find, score: mixed(find, options) * ageFactor(find, options) }))
    .sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.id - b.id);
  const strong = scored.filter((find) => find.score >= options.minScore);
  const chosen = strong.length > 0 ? strong : weakest(scored, options);
  return options.mmrLambda === null
    ? chosen.slice(0, options.maxResults)
    : vary(chosen.slice(0, maxVaried), options.mmrLambda, options.maxResults);
}

/** Keyword finds below the threshold are still better than nothing. */
function weakest(scored: readonly Ranked[], options: RankOptions): Ranked[] {
  if (options.mode === "fts-only") return [...scored];
  const floor = Math.min(options.minScore, options.textWeight);
  const keyword = scored.filter((find) => find.textScore !== null);
  const passing = keyword.filter((find) => find.score >= floor);
  return passing.length > 0 || !options.keepsKeywordFinds ? passing : keyword;
}

function mixed(find: Find, { mode, vectorWeight, textWeight }: RankOptions): number {
  if (mode === "fts-only") return find.textScore ?? 0;
  return vectorWeight * (find.vectorScore ?? 0) + textWeight * (find.textScore ?? 0);
}

function ageFactor(find: Find, { halfLifeDays, nowMs }: RankOptions): number {
  if (halfLifeDays === null) return 1;
  const fromMs = noteTimeMs(find);
  if (fromMs === null) return 1;
  const ageDays = Math.max(0, nowMs - fromMs) / dayMs;
  return Math.exp((-Math.LN2 / halfLifeDays) * ageDays);
}

/** @returns the day a daily note is about, the time of change of a foreign one; null for notes that do not age */
export function noteTimeMs(find: Pick<Find, "path" | "mtimeMs">): number | null {
  const match = datedNote.exec(find.path);
  if (match !== null) {
    const [, year, month, day] = match;
    const timeMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
    const isReal = new Date(timeMs).toISOString().startsWith(`${year}-${month}-${day}`);
    if (isReal) return timeMs;
  }
  return memoryNote.test(find.path) ? null : find.mtimeMs;
}

/** Maximal marginal relevance: each next one is good and unlike those before. */
export function vary(finds: readonly Ranked[], lambda: number, maxResults: number): Ranked[] {
  const weight = Math.min(1, Math.max(0, lambda));
  const scores = finds.map((find) => find.score);
  const low = Math.min(...scores);
  const span = Math.max(...scores) - low || 1;
  const left = new Set(finds.map((find) => ({ find, words: wordSet(find.text) })));
  const chosen: { find: Ranked; words: ReadonlySet<string> }[] = [];
  while (chosen.length < maxResults && left.size > 0) {
    let best: { find: Ranked; words: ReadonlySet<string> } | null = null;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const candidate of left) {
      const likeness = Math.max(0, ...chosen.map((one) => jaccard(one.words, candidate.words)));
      const value = weight * ((candidate.find.score - low) / span) - (1 - weight) * likeness;
      if (value > bestValue) {
        best = candidate;
        bestValue = value;
      }
    }
    if (best === null) break;
    chosen.push(best);
    left.delete(best);
  }
  return chosen.map((one) => one.find);
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(foldText(text)).flatMap((word) => (word.kind === "dense" ? denseTerms(word.text) : [word.text])),
  );
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1;
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  return both / (a.size + b.size - both);
}
