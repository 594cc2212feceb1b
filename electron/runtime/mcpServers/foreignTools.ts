/** A tool of a server as a tool of ours: its texts are marked as the server's own, its calls pass gate two. */

import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Approvals } from "../approvals/createApprovals.ts";
import type { Clock } from "../clock.ts";
import { refused } from "../exec/refusals.ts";
import type { ToolCallContext, ToolDefinition, ToolResult } from "../tools/defineTool.ts";
import { draftFor, notCalled } from "./callGate.ts";
import type { Connection, ProgressText } from "./connection.ts";
import type { ForeignTool } from "./definitions.ts";
import type { ServerEntry } from "./entries.ts";
import { plainLine } from "./plainText.ts";
import { mcpProblem } from "./problems.ts";
import { toToolResult, wrapped } from "./results.ts";

export interface ForeignToolDeps {
  approvals: Approvals;
  clock: Clock;
  /** Whether rule `mcp.callsAsk` is on. */
  callsAsk(): boolean;
  requestLifetimeMs(): number;
  isAllowed(entry: ServerEntry, tool: ForeignTool, agentId: string): boolean;
  isChanged(entry: ServerEntry, tool: ForeignTool): boolean;
  allow(entry: ServerEntry, tool: ForeignTool, agentId: string, by: string): Promise<void>;
  targetOf(entry: ServerEntry): string;
  /** The server as it is now: its connection, and its present definition of the tool; null when there is none. */
  liveTool(entry: ServerEntry, tool: ForeignTool): { connection: Connection; tool: ForeignTool } | null;
}

const maxPromptLineChars = 120;
const progressEveryMs = 250;
const maxProgressChars = 300;

export function createForeignTool(
  entry: ServerEntry,
  tool: ForeignTool,
  deps: ForeignToolDeps,
): ToolDefinition {
  const { name } = tool;
  const owned = `Tool of the MCP server ${entry.id}, in the server's own words`;
  const words = tool.description === "" ? "it says nothing about it" : tool.description;
  return {
    name,
    title: tool.title ?? plainLine(tool.remoteName, 80),
    description: `${owned}: ${words}`,
    promptLine: plainLine(`(${entry.id}) ${words.split("\n")[0] ?? ""}`, maxPromptLineChars),
    // What the server says about harm is a claim of its own.
    risk: "execute",
    input: z.looseObject({}),
    inputSchemaJson: tool.inputSchema,
    owner: { kind: "mcp", serverId: entry.id },
    execute: (input, context) => call(entry, tool, input, context, deps),
  };
}

async function call(
  entry: ServerEntry,
  tool: ForeignTool,
  args: unknown,
  context: ToolCallContext,
  deps: ForeignToolDeps,
): Promise<ToolResult> {
  // The schema of the definition is a loose object, so this is what came in.
  const given: Record<string, unknown> = typeof args === "object" && args !== null ? { ...args } : {};
  const refusal = await ask(entry, tool, given, context, deps);
  if (refusal !== null) return refusal;
  const live = deps.liveTool(entry, tool);
  if (live === null)
    throw mcpProblem("mcp.ended", {}, `The MCP server ${entry.id} does not run now. Nothing was sent to it.`);
  if (live.tool.definitionDigest !== tool.definitionDigest) {
    throw mcpProblem(
      "mcp.toolChanged",
      { tool: tool.name },
      `The definition of ${tool.name} changed meanwhile. Nothing was sent; look at it again before you repeat the call.`,
    );
  }
  const about = { server: entry.id, tool: tool.remoteName };
  try {
    const raw = await live.connection.callTool(tool.remoteName, given, {
      signal: context.signal,
      onProgress: progressReporter(deps.clock, context),
    });
    return toToolResult(raw, about);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return {
      content: [{ type: "text", text: wrapped(error.message, true) }],
      details: { status: "error", ...about, code: error.code },
      isError: true,
    };
  }
}

/** @returns null when the call may go on */
async function ask(
  entry: ServerEntry,
  tool: ForeignTool,
  args: Record<string, unknown>,
  context: ToolCallContext,
  deps: ForeignToolDeps,
): Promise<ToolResult | null> {
  const { agentId } = context;
  if (!deps.callsAsk() || deps.isAllowed(entry, tool, agentId)) return null;
  const asked = draftFor(
    {
      entry,
      tool,
      target: deps.targetOf(entry),
      args,
      isChanged: deps.isChanged(entry, tool),
      lifetimeMs: deps.requestLifetimeMs(),
      storeAlways: (by) => storeAlways(entry, tool, agentId, by, deps),
    },
    context,
  );
  if (!asked.ok) return asked.result;
  const answer = await deps.approvals.request(asked.draft, context.signal, (approvalId) =>
    context.reportWaiting({ approvalId }),
  );
  if (answer.outcome !== "allowed-once" && answer.outcome !== "allowed-always")
    return notCalled(answer, tool.name);
  context.reportWaiting(null);
  // Policy may have changed while a person looked.
  if (context.isStillVisible?.() === false)
    return refused(
      { code: "removedByPolicy", params: { tool: tool.name } },
      { kind: "rule", ruleId: "policy" },
      `Policy no longer lets this agent use ${tool.name}.`,
    );
  return null;
}

/** Proves that the same call would not ask again, as "always" promises. */
async function storeAlways(
  entry: ServerEntry,
  tool: ForeignTool,
  agentId: string,
  by: string,
  deps: ForeignToolDeps,
): Promise<void> {
  await deps.allow(entry, tool, agentId, by);
  if (!deps.isAllowed(entry, tool, agentId))
    throw mcpProblem("mcp.notStored", {}, "The word was not stored; the call still waits.");
}

function progressReporter(clock: Clock, context: ToolCallContext): (progress: ProgressText) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const nowMs = clock.nowMs();
    if (nowMs - lastMs < progressEveryMs) return;
    lastMs = nowMs;
    const share = total === undefined ? String(progress) : `${progress}/${total}`;
    const words = message === undefined ? "" : plainLine(message, maxProgressChars);
    context.reportProgress(words === "" ? share : `${share} ${words}`);
  };
}
