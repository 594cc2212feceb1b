/** What a result is, read from its own fields: a difference of files, search hits, a page's text. All of it untrusted. */

import { type SpokenAudio, spokenAudio } from "../../../../shared/contract/index.ts";

export interface FileDiff {
  /** "" when the tool named none. */
  path: string;
  /** Lines of sign, number, text, as edit, write and apply_patch give them. */
  diff: string;
  isCut: boolean;
}

export interface SearchHit {
  title: string;
  url: string;
  /** Snippet and further lines. */
  lines: string[];
}

export type ResultShape =
  | { kind: "diff"; files: FileDiff[] }
  | { kind: "hits"; hits: SearchHit[] }
  | { kind: "markdown"; text: string; source: string }
  | { kind: "speech"; audio: SpokenAudio }
  | { kind: "plain" };

/** @param tool name of the tool that was called; `details` as it came */
export function resultShape(tool: string, details: unknown): ResultShape {
  if (typeof details !== "object" || details === null) return { kind: "plain" };
  const record = details as Record<string, unknown>;
  if (tool === "tts") {
    const audio = spokenAudio.safeParse(record.audio);
    if (audio.success) return { kind: "speech", audio: audio.data };
  }
  const files = diffsOf(record);
  if (files.length > 0) return { kind: "diff", files };
  const text = typeof record.text === "string" ? unwrapped(record.text) : null;
  if (tool === "web_search" && text !== null) {
    const hits = hitsOf(text);
    if (hits.length > 0) return { kind: "hits", hits };
  }
  if (
    tool === "web_fetch" &&
    text !== null &&
    record.extractMode === "markdown" &&
    record.extractor !== "json"
  ) {
    return { kind: "markdown", text, source: typeof record.finalUrl === "string" ? record.finalUrl : "" };
  }
  return { kind: "plain" };
}

function diffsOf(record: Record<string, unknown>): FileDiff[] {
  if (typeof record.diff === "string" && record.diff !== "") {
    const path = typeof record.path === "string" ? record.path : "";
    return [{ path, diff: record.diff, isCut: record.diffIsCut === true }];
  }
  if (!Array.isArray(record.diffs)) return [];
  return record.diffs.flatMap((one: unknown): FileDiff[] => {
    if (typeof one !== "object" || one === null) return [];
    const { path, diff, isCut } = one as Record<string, unknown>;
    return typeof path === "string" && typeof diff === "string"
      ? [{ path, diff, isCut: isCut === true }]
      : [];
  });
}

/**
 * By index, not by one pattern: a text with many markers and no end must not cost more than its length.
 * @returns what stands between our own markers, below the head; the text itself when there are none
 */
export function unwrapped(text: string): string {
  const open = /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{16})">>>\n/.exec(text);
  if (open === null) return text;
  const head = text.indexOf("\n---\n", open.index + open[0].length);
  const end = text.lastIndexOf(`\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${open[1]}">>>`);
  const from = head + "\n---\n".length;
  return head === -1 || end < from - 1 ? text : text.slice(from, Math.max(from, end));
}

/** The list that web_search writes: number, title, then the address, then lines. */
function hitsOf(text: string): SearchHit[] {
  const hits: SearchHit[] = [];
  let previous = "";
  for (const line of text.split("\n")) {
    const title = /^\d+\. (.*)$/.exec(previous)?.[1];
    if (title !== undefined && /^https?:\/\//.test(line)) hits.push({ title, url: line, lines: [] });
    else if (hits.length > 0 && !/^\d+\. /.test(line)) hits.at(-1)?.lines.push(line);
    previous = line;
  }
  return hits;
}
