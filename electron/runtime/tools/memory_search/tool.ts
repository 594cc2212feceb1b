/** The memory_search tool: passages of the agent's notes, with where they stand and what the search stands on. */

import { messageOf } from "../../../../shared/errors/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { MemoryService } from "../../memory/createMemoryService.ts";
import type { IndexState } from "../../memory/memoryTypes.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { defineTool } from "../defineTool.ts";
import { progressText, unavailable } from "./answers.ts";
import { presentSearch } from "./present.ts";
import { memorySearchInput } from "./schema.ts";

export function createMemorySearchTool(deps: { memory: MemoryService; hardening(): Hardening }) {
  const { memory } = deps;
  return defineTool({
    name: "memory_search",
    title: "Search the notes",
    description:
      "Searches the agent's notes (MEMORY.md, memory/*.md) for passages about earlier work, decisions, dates, people, preferences and open tasks. " +
      "Use it before answering about such things, then memory_get for the lines around a passage. " +
      "The answer says when the index is incomplete or the search fell back to keywords.",
    promptLine: "Search the notes for passages",
    risk: "read",
    input: memorySearchInput,
    async execute(input, context) {
      const closed = memory.whyClosed(context);
      if (closed !== null) return unavailable(closed, "Ask the operator, or go on without the notes.");
      let state: IndexState | null = null;
      try {
        const found = await withProgress(
          context.reportProgress,
          () => `Searching the notes${state === null ? "" : `: ${progressText(state)}`}`,
          () =>
            memory.search(
              { text: input.query, maxResults: input.maxResults, minScore: input.minScore },
              context,
              context.signal,
              (now) => {
                state = now;
              },
            ),
        );
        return presentSearch(found, context.sessionKey, deps.hardening());
      } catch (error) {
        context.signal.throwIfAborted();
        return unavailable(messageOf(error), "Try again later, or read notes with memory_get.");
      }
    },
  });
}
