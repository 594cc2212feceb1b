/** Measures what a tool call gives to the model, and cuts what no tool of ours should give. */

import type { OutputSize } from "../../../shared/contract/index.ts";
import { clip, tokenEstimate } from "../../../shared/files/index.ts";
import type { ToolContent } from "../tools/defineTool.ts";

/**
 * Every tool has a budget of its own, far below this. It is the last line of defence: a plugin or a bug must not fill a
 * context window.
 */
export const maxResultChars = 600_000;

/** More pictures than any tool of ours gives, and more than a model looks at. */
const maxImages = 32;
/** Base64; a picture of 5 MiB, with room. */
const maxImageChars = 8 * 1024 * 1024;

/** What vision models charge at most for one picture that was scaled to their limits. */
const tokensPerImage = 1600;

/**
 * @param content of one result; parts stay in their order
 * @returns the parts that fit and their size; one line at the end says what was cut
 */
export function withinOutputBudget(
  content: readonly ToolContent[],
  maxChars = maxResultChars,
): { content: ToolContent[]; size: OutputSize } {
  const size: OutputSize = { chars: 0, images: 0, tokenEstimate: 0, cutChars: 0 };
  const kept: ToolContent[] = [];
  let cutImages = 0;
  for (const part of content) {
    if (part.type === "image") {
      if (size.images === maxImages || part.data.length > maxImageChars) {
        cutImages += 1;
        continue;
      }
      size.images += 1;
      size.tokenEstimate += tokensPerImage;
      kept.push(part);
      continue;
    }
    const shown = clip(part.text, Math.max(0, maxChars - size.chars));
    size.chars += shown.length;
    size.cutChars += part.text.length - shown.length;
    size.tokenEstimate += tokenEstimate(shown);
    // What was cut away whole leaves no part behind: many of them would be as long as the text.
    if (shown === part.text) kept.push(part);
    else if (shown !== "") kept.push({ type: "text", text: shown });
  }
  const cut = [
    ...(size.cutChars === 0 ? [] : [`${size.cutChars} more characters`]),
    ...(cutImages === 0 ? [] : [`${cutImages} more pictures`]),
  ];
  if (cut.length > 0) {
    const text = `[Cut here: ${cut.join(" and ")}. Ask for a smaller part, with this tool's offset or limit.]`;
    kept.push({ type: "text", text });
  }
  return { content: kept, size };
}
