/** For tests of a tool on its own: who calls it, and what it said. */

import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";

/** A client of agent `main`; nothing is reported anywhere. */
export function testContext(changes: Partial<ToolCallContext> = {}): ToolCallContext {
  return {
    toolCallId: "call-1",
    agentId: "main",
    sessionKey: "agent:main:test",
    callerId: "mcp:test",
    callerLabel: "Test client",
    senderIsOwner: false,
    canBackground: false,
    signal: new AbortController().signal,
    reportProgress: () => {},
    reportWaiting: () => {},
    ...changes,
  };
}

/** @returns the text blocks of a result */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
