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
  /** @param fields that the tool must be given and a skill's command does not have */
  needs(tool: string, fields: string[]): string;
}

export const englishReplyWords: SkillReplyWords = {
  done: "Done.",
  failed: "It failed and says no more.",
  cancelled: "Cancelled.",
  notAvailable: (tool) => `Tool not available: ${tool}`,
  needs: (tool, fields) =>
    `${tool} needs ${new Intl.ListFormat("en").format(fields)}; a skill's command hands over command, commandName and skillName.`,
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
    const missing = state.issues.flatMap(({ path, message }) =>
      path !== "" && isMissing(message) ? [path] : [],
    );
    if (missing.length > 0 && missing.length === state.issues.length)
      return failure(words.needs(call.tool, missing));
    const issues = state.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    return failure(issues.join("; "));
  }
  return failure(state.kind === "cancelled" ? words.cancelled : words.failed);
}

/** The schema's own words for a field that was not given. */
function isMissing(message: string): boolean {
  return message.endsWith("received undefined");
}
