/** What a command that says nothing is doing: running, or waiting for a person. */

import type { ToolCallContext } from "../defineTool.ts";

export interface ProgressVoice {
  /** Hand this one to what runs the command. */
  context: ToolCallContext;
  text(): string;
}

/** Output goes through as it comes; `text` repeats the last line of it, so that a silent command is still heard of. */
export function createProgressVoice(context: ToolCallContext): ProgressVoice {
  let isWaiting = false;
  let lastLine = "";
  return {
    context: {
      ...context,
      reportProgress(text) {
        lastLine = text.trimEnd().split("\n").at(-1) ?? "";
        context.reportProgress(text);
      },
      reportWaiting(waiting) {
        isWaiting = waiting !== null;
        context.reportWaiting(waiting);
      },
    },
    text: () => (isWaiting ? "Waiting for a person" : lastLine === "" ? "Running" : lastLine),
  };
}
