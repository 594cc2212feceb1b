/** Answers that the actions of the process tool share. */

import { type ToolResult, textResult } from "../defineTool.ts";

/** Failures are ordinary answers of this tool: the model reads them and goes on. */
export function failed(text: string, details: Record<string, unknown> = {}): ToolResult {
  return textResult(text, { status: "failed", ...details });
}
