/** Types of toyTools.mjs. */

import type { ServerNotification, ServerResult, Tool } from "@modelcontextprotocol/sdk/types.js";

export const toyTools: Tool[];
export function answerCall(
  name: string,
  args: Record<string, unknown>,
  notify: (notification: ServerNotification) => Promise<void>,
  progressToken: string | number | undefined,
): Promise<ServerResult>;
