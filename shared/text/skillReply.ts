/** What a person reads when a command of a skill has ended: the tool's text, or a short word of ours. */

import type { z } from "zod";
import type { ToolCallSnapshot, toolCallResult } from "../contract/calls.ts";

export interface SkillAnswer {
  call: Pick<ToolCallSnapshot, "tool" | "state">;
  result: z.infer<typeof toolCallResult> | null;
}

/** Our own sentences, in the reader's language. */
export interface SkillReplyWords {
  done: string;
  failed: string;
  cancelled: string;
  /** The tool is not there, or policy hides it: to whoever calls, both read the same. */
  notAvailable(tool: string): string;
}

export const englishReplyWords: SkillReplyWords = {
  done: "Done.",
  failed: "It failed and says no more.",
  cancelled: "Cancelled.",
  notAvailable: (tool) => `Tool not available: ${tool}`,
};

/**
 * @returns the text of the result; `✅` and a word when there is none; with an error `❌` and why
 * @see gateway-sessions-nodes.md §22
 */
export function skillReply(
  { call, result }: SkillAnswer,
  words: SkillReplyWords,
): { isError: boolean; text: string } {
  const failure = (text: string) => ({ isError: true, text: `❌ ${text}` });
  const said = (result?.content ?? [])
    .flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []))
    .join("\n");
  if (result !== null) {
    if (result.isError) return failure(said === "" ? words.failed : said);
    return { isError: false, text: said === "" ? `✅ ${words.done}` : said };
  }
  const { state } = call;
  if (state.kind === "hidden") return failure(words.notAvailable(call.tool));
  if (state.kind === "invalid") {
    const issues = state.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    return failure(issues.join("; "));
  }
  return failure(state.kind === "cancelled" ? words.cancelled : words.failed);
}
