/** Texts that the search of notes answers with when it waits or cannot be made. */

import type { IndexState } from "../../memory/memoryTypes.ts";
import type { ToolResult } from "../defineTool.ts";

/** @returns what the index is at, for a person who waits */
export function progressText({ phase, files, chunks }: IndexState): string {
  switch (phase.kind) {
    case "listing":
      return "looking for notes";
    case "reading":
      return `${phase.filesDone} of ${phase.filesTotal} notes indexed`;
    case "embedding":
      return `${phase.chunksDone} of ${phase.chunksTotal} passages embedded`;
    case "idle":
      return `${chunks} passages of ${files} notes`;
  }
}

/** The form of the reference for a search that cannot be made. */
export function unavailable(error: string, action: string): ToolResult {
  const isQuota = /quota|429|rate limit/i.test(error);
  const payload = {
    results: [],
    disabled: true,
    unavailable: true,
    error,
    warning: isQuota
      ? "The notes cannot be searched: the embeddings service has no quota left."
      : "The notes cannot be searched now. That nothing was found means nothing.",
    action: isQuota ? "Wait or raise the quota, or set memorySearch.provider to none." : action,
  };
  return { content: [{ type: "text", text: JSON.stringify(payload, null, 2) }], details: payload };
}
