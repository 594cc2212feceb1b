/** The memory_get tool: lines of one note. */

import { clip, tokenEstimate, utf8Length } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { neutralizeMarkers, wrapUntrusted } from "../../../../shared/web/index.ts";
import type { MemoryService } from "../../memory/createMemoryService.ts";
import { defineTool, type ToolResult } from "../defineTool.ts";
import { memoryGetInput } from "./schema.ts";

/** Of one answer; some ten thousand tokens. */
const maxTextChars = 40_000;

export function createMemoryGetTool(deps: { memory: MemoryService; hardening(): Hardening }) {
  const { memory } = deps;
  return defineTool({
    name: "memory_get",
    title: "Read lines of a note",
    description:
      "Reads lines of one of the agent's notes (MEMORY.md, memory/*.md). Use from and lines for the part that memory_search named; " +
      "long notes come in part, with the line to go on at.",
    promptLine: "Read lines of one note",
    risk: "read",
    input: memoryGetInput,
    async execute(input, context) {
      const refused = (error: string) => jsonResult({ path: input.path, text: "", disabled: true, error });
      const closed = memory.whyClosed(context);
      if (closed !== null) return refused(closed);
      const note = await memory.get(input.path, context);
      context.signal.throwIfAborted();
      if (note.kind === "refused") return refused(note.error);
      // A note that is not there yet is an empty one.
      if (note.kind === "missing") return jsonResult({ path: input.path, text: "", isMissing: true });
      const from = input.from ?? 1;
      const part = linesOf(note.text, from, input.lines);
      const isSafe = deps.hardening().has("memory.wrapForeign");
      const text =
        isSafe && note.isForeign
          ? wrapUntrusted(part.text, { source: "External", withWarning: false }).text.trim()
          : isSafe
            ? neutralizeMarkers(part.text)
            : part.text;
      return jsonResult({
        path: note.shownPath,
        text,
        from,
        lines: part.count,
        totalLines: part.totalLines,
        ...(part.note === null ? {} : { note: part.note }),
        ...(part.nextFrom === null ? {} : { nextFrom: part.nextFrom }),
      });
    },
  });
}

interface Part {
  text: string;
  count: number;
  totalLines: number;
  /** First line that was cut off; null: nothing was. */
  nextFrom: number | null;
  note: string | null;
}

function linesOf(text: string, from: number, count: number | undefined): Part {
  const all = text.split("\n");
  const wanted = all.slice(from - 1, count === undefined ? undefined : from - 1 + count);
  const totalLines = all.length;
  if (wanted.length === 0) {
    return {
      text: "",
      count: 0,
      totalLines,
      nextFrom: null,
      note: `There is no line ${from}: the note has ${totalLines}.`,
    };
  }
  const whole = wanted.join("\n");
  if (whole.length <= maxTextChars)
    return { text: whole, count: wanted.length, totalLines, nextFrom: null, note: null };
  let chars = 0;
  const fitting = wanted.findIndex((line) => {
    chars += line.length + 1;
    return chars > maxTextChars;
  });
  if (fitting === 0) {
    const note = `Line ${from} has ${wanted[0]?.length ?? 0} characters: the first ${maxTextChars} are shown. Use exec for the rest (cut -c).`;
    const nextFrom = wanted.length > 1 ? from + 1 : null;
    return { text: clip(whole, maxTextChars), count: 1, totalLines, nextFrom, note };
  }
  const nextFrom = from + fitting;
  const note = `Cut after line ${nextFrom - 1} of ${totalLines}: go on with from=${nextFrom}.`;
  return { text: wanted.slice(0, fitting).join("\n"), count: fitting, totalLines, nextFrom, note };
}

function jsonResult(payload: Record<string, unknown>): ToolResult {
  const text = JSON.stringify(payload, null, 2);
  return {
    content: [{ type: "text", text }],
    details: { ...payload, sizeBytes: utf8Length(text), tokenEstimate: tokenEstimate(text) },
  };
}
