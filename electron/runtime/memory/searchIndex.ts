/** Finds passages by words and parts of words, and by vector, in bounded time however common the words are. */

import {
  allOf,
  type Find,
  foldText,
  keywordScore,
  parseQuery,
  rankFinds,
  type Term,
} from "../../../shared/memory/index.ts";
import type { Hit, SearchRequest } from "./memoryTypes.ts";
import { type NoteIndex, numberOf, textOf } from "./noteIndex.ts";
import { snippetOf } from "./snippet.ts";
import type { VectorIndex } from "./vectorIndex.ts";

/** The newest passages with a word are looked at; of a word that is in more, the others cannot rank much higher. */
const maxPerTerm = 800;
const maxCandidates = 1200;
/** Passages that hold all trigrams of a part of a word are read to see whether it is really in them. */
const partBudgetMs = 150;
const partPage = 250;
const askedTrigrams = 3;
const probedEntries = 40;
const maxRanked = 200;

export interface IndexSearch {
  index: NoteIndex;
  vectors: VectorIndex;
  request: SearchRequest;
  /** null: no vectors count. */
  queryVector: Float32Array | null;
  hardening: ReadonlySet<string>;
}

export interface IndexFinds {
  hits: Hit[];
  notices: string[];
}

interface Passage {
  id: number;
  path: string;
  startLine: number;
  endLine: number;
  mtimeMs: number;
  isForeign: boolean;
  text: string;
  at: number;
}

export function searchIndex(search: IndexSearch): IndexFinds {
  const { index, vectors, request, queryVector, hardening } = search;
  const { terms, droppedTerms } = parseQuery(request.query, hardening);
  const notices: string[] = [];
  if (droppedTerms > 0) notices.push(`The query has many words: the last ${droppedTerms} were left out.`);
  if (terms.length === 0 && queryVector === null) {
    return { hits: [], notices: ["The query has no words to look for. Name some that the notes may hold."] };
  }
  const lookUp = createLookUp(index);
  const passageOf = createReader(index, request.ownNotesOnly);

  const { ids, frequency, isCut, partsCut } = candidatesFor(terms, lookUp, passageOf, search);
  if (isCut) notices.push("Some words are in very many passages: the newest of those were ranked.");
  if (partsCut) notices.push("Parts of words were looked for in the newest passages only.");

  const size = index.size();
  const corpus = {
    chunks: size.chunks,
    averageChars: size.chunks === 0 ? 1 : size.chars / size.chunks,
    frequency,
  };
  const finds = new Map<number, Find & { passage: Passage }>();
  const wanted = Math.min(maxRanked, request.maxResults * request.candidateMultiplier);
  const scored: { passage: Passage; score: number }[] = [];
  const needsAll = queryVector !== null && !hardening.has("memory.rankByAllWords");
  for (const id of ids) {
    const passage = passageOf(id);
    if (passage === null) continue;
    const { score, at, matched } = keywordScore(foldText(passage.text), terms, corpus, hardening);
    if (matched === 0 || (needsAll && matched < terms.length)) continue;
    scored.push({ passage: { ...passage, at }, score });
  }
  scored.sort((a, b) => b.score - a.score || b.passage.id - a.passage.id);
  for (const { passage, score } of scored.slice(0, wanted)) {
    finds.set(passage.id, { ...passage, passage, textScore: score, vectorScore: null });
  }
  if (queryVector !== null) {
    for (const { id, score } of vectors.nearest(queryVector, wanted, request.ownNotesOnly)) {
      const before = finds.get(id);
      if (before !== undefined) before.vectorScore = score;
      else {
        const passage = passageOf(id);
        if (passage !== null) finds.set(id, { ...passage, passage, vectorScore: score, textScore: null });
      }
    }
  }
  const ranked = rankFinds([...finds.values()], {
    mode: queryVector === null ? "fts-only" : "hybrid",
    maxResults: request.maxResults,
    minScore: request.minScore,
    vectorWeight: request.vectorWeight,
    textWeight: request.textWeight,
    halfLifeDays: request.halfLifeDays,
    mmrLambda: request.mmrLambda,
    keepsKeywordFinds: hardening.has("memory.keepKeywordFinds"),
    nowMs: request.nowMs,
  });
  const isAtHit = hardening.has("memory.snippetAtHit");
  const hits = ranked.flatMap((find): Hit[] => {
    const passage = finds.get(find.id)?.passage;
    if (passage === undefined) return [];
    const { id, path, startLine, endLine, isForeign } = passage;
    const snippet = snippetOf(passage.text, isAtHit ? passage.at : -1, request.maxSnippetChars);
    return [
      { id, path, startLine, endLine, isForeign, score: find.score, textScore: find.textScore, ...snippet },
    ];
  });
  return { hits, notices };
}

type LookUp = (table: "words" | "trigrams", expression: string, below: number, limit: number) => number[];

function createLookUp(index: NoteIndex): LookUp {
  const statements = {
    words: index.db.prepare(
      "SELECT rowid FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
    ),
    trigrams: index.db.prepare(
      "SELECT rowid FROM trigrams WHERE trigrams MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
    ),
  };
  return (table, expression, below, limit) =>
    // As an integer: FTS5 starts at the end of the list when the bound is a float, as plain numbers are bound.
    statements[table].all(expression, BigInt(below), limit).map((row) => numberOf(row, "rowid"));
}

function createReader(index: NoteIndex, ownNotesOnly: boolean): (id: number) => Passage | null {
  const statement = index.db.prepare(
    `SELECT c.start_line, c.end_line, c.text, f.path, f.mtime_ms, f.is_foreign
     FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.id = ?${ownNotesOnly ? " AND f.is_foreign = 0" : ""}`,
  );
  const kept = new Map<number, Passage | null>();
  return (id) => {
    const before = kept.get(id);
    if (before !== undefined) return before;
    const row = statement.get(id);
    const passage =
      row === undefined
        ? null
        : {
            id,
            path: textOf(row, "path"),
            startLine: numberOf(row, "start_line"),
            endLine: numberOf(row, "end_line"),
            mtimeMs: numberOf(row, "mtime_ms"),
            isForeign: numberOf(row, "is_foreign") === 1,
            text: textOf(row, "text"),
            at: -1,
          };
    kept.set(id, passage);
    return passage;
  };
}

interface Candidates {
  ids: Set<number>;
  frequency: Map<string, number>;
  isCut: boolean;
  partsCut: boolean;
}

function candidatesFor(
  terms: readonly Term[],
  lookUp: LookUp,
  passageOf: (id: number) => Passage | null,
  { index }: IndexSearch,
): Candidates {
  const found: Candidates = { ids: new Set(), frequency: new Map(), isCut: false, partsCut: false };
  const above = index.maxChunkId() + 1;
  const deadlineMs = performance.now() + partBudgetMs;
  const lists = terms.map((term) => {
    const exact = lookUp("words", allOf(term.words), above, maxPerTerm);
    if (exact.length < maxPerTerm && term.trigrams.length > 0) {
      const parts = partsOf(
        term,
        new Set(exact),
        above,
        lookUp,
        passageOf,
        deadlineMs,
        maxPerTerm - exact.length,
      );
      found.partsCut ||= parts.isCut;
      exact.push(...parts.ids);
    }
    found.frequency.set(term.text, frequencyOf(exact, index));
    return exact;
  });
  found.isCut = lists.some((list) => list.length >= maxPerTerm);
  // What holds all words comes first, then the rarest words: common ones add only what is left.
  if (terms.length > 1 && found.isCut) {
    const every = [...new Set(terms.flatMap((term) => term.words))];
    for (const id of lookUp("words", allOf(every), above, maxPerTerm)) found.ids.add(id);
  }
  for (const list of lists.sort((a, b) => a.length - b.length)) {
    for (const id of list) {
      if (found.ids.size >= maxCandidates) break;
      found.ids.add(id);
    }
  }
  return found;
}

/** Passages in which the term stands inside of a longer word. */
function partsOf(
  term: Term,
  known: ReadonlySet<number>,
  above: number,
  lookUp: LookUp,
  passageOf: (id: number) => Passage | null,
  deadlineMs: number,
  limit: number,
): { ids: number[]; isCut: boolean } {
  const expression = allOf(rarest(term.trigrams, above, lookUp));
  const ids: number[] = [];
  for (let below = above; ; ) {
    const page = lookUp("trigrams", expression, below, partPage);
    for (const id of page) {
      if (known.has(id)) continue;
      if (ids.length >= limit) return { ids, isCut: false };
      const passage = passageOf(id);
      if (passage !== null && foldText(passage.text).includes(term.text)) ids.push(id);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < partPage) return { ids, isCut: false };
    if (performance.now() > deadlineMs) return { ids, isCut: true };
    below = last;
  }
}

/**
 * Asking for all trigrams costs the sum of their lists, and the rarest few narrow almost as well. How far the newest
 * entries of a list reach back tells how long it is.
 */
function rarest(trigrams: readonly string[], above: number, lookUp: LookUp): readonly string[] {
  if (trigrams.length <= askedTrigrams) return trigrams;
  const reach: { trigram: string; below: number }[] = [];
  for (const trigram of trigrams) {
    const newest = lookUp("trigrams", allOf([trigram]), above, probedEntries);
    // So few that looking at each is cheaper than any other question.
    if (newest.length < probedEntries) return [trigram];
    reach.push({ trigram, below: newest.at(-1) ?? 0 });
  }
  reach.sort((a, b) => a.below - b.below);
  return reach.slice(0, askedTrigrams).map(({ trigram }) => trigram);
}

/** Exact below the limit; above it, how dense the finds lie among the newest says how many there are. */
function frequencyOf(ids: readonly number[], index: NoteIndex): number {
  const last = ids.at(-1);
  if (ids.length < maxPerTerm || last === undefined) return ids.length;
  const share = ids.length / Math.max(ids.length, index.maxChunkId() - Math.min(...ids) + 1);
  return Math.min(index.size().chunks, Math.round(share * index.size().chunks));
}
