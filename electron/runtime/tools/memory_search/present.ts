/** What a search of the notes found, as a result for model and panel: within a budget, and honest about its limits. */

import { tokenEstimate, utf8Length } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { citationOf, showsCitations } from "../../../../shared/memory/index.ts";
import { neutralizeMarkers, wrapUntrusted } from "../../../../shared/web/index.ts";
import type { MemorySearch } from "../../memory/createMemoryService.ts";
import type { Hit } from "../../memory/memoryTypes.ts";
import type { ToolResult } from "../defineTool.ts";
import { progressText, unavailable } from "./answers.ts";

/** Of all results together, as they are written. */
const maxResultChars = 24_000;
const maxPathsNamed = 5;

export function presentSearch(found: MemorySearch, sessionKey: string, hardening: Hardening): ToolResult {
  const { answer, settings, embeddings } = found;
  const { index } = answer;
  const saysProblems = hardening.has("memory.sayProblems");
  if (saysProblems && index.problem !== null && index.chunks === 0) {
    return unavailable(
      `The notes could not be indexed: ${index.problem}`,
      "Read notes with memory_get; the log says more.",
    );
  }
  const cites = showsCitations(settings.citations, sessionKey);
  const all = answer.hits.map((hit) =>
    entryOf(hit, { cites, isKeywords: answer.mode === "fts-only", hardening }),
  );
  const results: typeof all = [];
  let chars = 0;
  for (const entry of all) {
    chars += JSON.stringify(entry, null, 2).length;
    if (chars > maxResultChars && results.length > 0) break;
    results.push(entry);
  }
  const left = all.length - results.length;
  const notes = saysProblems ? notesOf(found) : [];
  if (left > 0) notes.push(`${left} more passages were cut off: ask for fewer results or a narrower query.`);
  if (answer.hits.some((hit) => hit.isCut))
    notes.push("Snippets marked with … are cut; memory_get reads the lines.");
  const isUsed = answer.mode === "hybrid" && embeddings.setup !== null;
  const payload = {
    results,
    provider: isUsed ? embeddings.setup?.id : "none",
    ...(isUsed ? { model: embeddings.setup?.model } : {}),
    ...(isUsed && embeddings.fallbackFrom !== null
      ? { fallback: { from: embeddings.fallbackFrom, reason: embeddings.notice } }
      : {}),
    citations: settings.citations,
    mode: answer.mode,
    index: {
      files: index.files,
      chunks: index.chunks,
      ...(index.embedded === null ? {} : { embedded: index.embedded }),
      isComplete: isComplete(found),
    },
    ...(notes.length > 0 ? { notes } : {}),
  };
  const text = JSON.stringify(payload, null, 2);
  const size = {
    sizeBytes: utf8Length(text),
    tokenEstimate: tokenEstimate(text),
    ...(left > 0 ? { cut: left } : {}),
  };
  return { content: [{ type: "text", text }], details: { ...payload, ...size } };
}

function entryOf(
  hit: Hit,
  { cites, isKeywords, hardening }: { cites: boolean; isKeywords: boolean; hardening: Hardening },
) {
  const { id, path, startLine, endLine, score, textScore, isForeign } = hit;
  const citation = citationOf(path, startLine, endLine);
  const safe = hardening.has("memory.wrapForeign");
  const text = safe ? neutralizeMarkers(hit.snippet) : hit.snippet;
  const shown =
    safe && isForeign
      ? wrapUntrusted(hit.snippet, { source: "External", withWarning: false }).text.trim()
      : text;
  return {
    ...(isKeywords ? { id: String(id), textScore: rounded(textScore ?? 0) } : {}),
    path,
    startLine,
    endLine,
    score: rounded(score),
    snippet: cites ? `${shown}\n\nSource: ${citation}` : shown,
    source: "memory",
    ...(cites ? { citation } : {}),
  };
}

function isComplete({ answer }: MemorySearch): boolean {
  return answer.index.isCurrent && answer.index.problem === null;
}

/** Everything a reader must know to judge the results. */
function notesOf(found: MemorySearch): string[] {
  const { answer, settings, embeddings, restarts } = found;
  const { index } = answer;
  const notes = [...answer.notices];
  if (embeddings.notice !== null) notes.push(embeddings.notice);
  if (restarts > 0) notes.push("The program part that searches the notes stopped and was started again.");
  notes.push(...index.events);
  if (index.problem !== null) {
    notes.push(`Indexing stopped: ${index.problem} The results come from what was indexed before.`);
  } else if (!isComplete(found)) {
    notes.push(
      `The index is not complete yet (${progressText(index)}; ${index.chunks} passages of ${index.files} notes can be found): search again for the rest.`,
    );
  } else if (index.files === 0) {
    notes.push("There are no notes yet. MEMORY.md and .md files below memory/ in the workspace are notes.");
  }
  const { embeddingProblem, embedded, chunks } = index;
  if (embeddingProblem !== null && !notes.some((note) => note.startsWith(embeddingProblem))) {
    notes.push(`${embeddingProblem} ${embedded ?? 0} of ${chunks} passages have embeddings.`);
  } else if (embedded !== null && embedded < chunks && embeddingProblem === null) {
    notes.push(`${embedded} of ${chunks} passages have embeddings; the others are found by keywords only.`);
  }
  if (embeddings.setup !== null && answer.mode === "fts-only" && embeddingProblem !== null) {
    notes.push("This search went by keywords only.");
  }
  if (index.skippedTotal > 0) {
    const named = index.skipped.slice(0, maxPathsNamed).map(({ path, why }) => `${path} ${why}`);
    const more = index.skippedTotal - named.length;
    notes.push(`Left out: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`);
  }
  if (settings.wantsSessions) notes.push("Sessions are not searched here: only notes are.");
  if (settings.backend !== "builtin")
    notes.push(`Memory backend "${settings.backend}" is not built here: the built-in index is used.`);
  return notes;
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
