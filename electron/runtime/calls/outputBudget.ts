/** Measures what a tool call gives to the model, and cuts what no tool of ours should give. */

import type { OutputSize } from "../../../shared/contract/index.ts";
import { clip, tokenEstimate } from "../../../shared/files/index.ts";
import type { ToolContent } from "../tools/defineTool.ts";

/**
 * Every tool has a budget of its own, far below this. It is the last line of defence: a plugin or a bug must not fill a
 * context window.
 */
export const maxResultChars = 600_000;

/** What vision models charge at most for one picture that was scaled to their limits. */
const tokensPerImage = 1600;

/**
 * @param content of one result; parts stay in their order
 * @returns the same parts, text cut at the limit with a line that says so, and their size
 */
export function withinOutputBudget(
  content: readonly ToolContent[],
  maxChars = maxResultChars,
): { content: ToolContent[]; size: OutputSize } {
  const size: OutputSize = { chars: 0, images: 0, tokenEstimate: 0, cutChars: 0 };
  const kept = content.map((part): ToolContent => {
    if (part.type === "image") {
      size.images += 1;
      size.tokenEstimate += tokensPerImage;
      return part;
    }
    const room = Math.max(0, maxChars - size.chars);
    const shown = part.text.length <= room ? part.text : clip(part.text, room);
    const cut = part.text.length - shown.length;
    size.chars += shown.length;
    size.cutChars += cut;
    size.tokenEstimate += tokenEstimate(shown);
    if (cut === 0) return part;
    return {
      type: "text",
      text: `${shown}\n[Cut here: ${cut} more characters. Ask for a smaller part, with this tool's offset or limit.]`,
    };
  });
  return { content: kept, size };
}
