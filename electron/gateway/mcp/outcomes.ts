/** How a call's outcome reads for an MCP client. */

import { type CallToolResult, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import type { CallOutcome } from "../../runtime/runtimeTypes.ts";
import { approvalWaitName } from "./approvalWait.ts";

/**
 * @throws JsonRpcError for a tool that does not exist. A tool hidden by policy answers the same, letter for letter:
 *   the client must not learn that it exists
 */
export function toCallToolResult(outcome: CallOutcome): CallToolResult {
  switch (outcome.kind) {
    case "unknownTool":
      throw unknownTool(outcome.tool);
    case "invalid":
      return {
        isError: true,
        content: [
          {
            type: "text",
            text: [
              `The arguments of ${outcome.tool} are not valid, so nothing was done:`,
              ...outcome.issues.map(
                (issue) => `- ${issue.path === "" ? "(arguments)" : issue.path}: ${issue.message}`,
              ),
            ].join("\n"),
          },
        ],
        structuredContent: { status: "invalid", issues: outcome.issues },
      };
    case "result":
      return {
        content: outcome.content,
        isError: outcome.isError,
        ...(outcome.output === undefined ? {} : { _meta: { "sallyport/output": outcome.output } }),
        ...structured(outcome.details, textOf(outcome.content)),
      };
    case "refused":
      return {
        isError: true,
        content: [{ type: "text", text: outcome.text }],
        structuredContent: { status: "not-executed", ...outcome.details, text: outcome.text },
      };
    case "pending":
      return {
        content: [{ type: "text", text: pendingText(outcome) }],
        structuredContent: {
          status: "approval-pending",
          approvalId: outcome.approvalId,
          approvalSlug: outcome.approvalId.slice(0, 8),
          expiresAtMs: outcome.expiresAtMs,
          command: outcome.command,
        },
      };
    case "cancelled":
      return {
        isError: true,
        content: [{ type: "text", text: "The call was cancelled before it finished." }],
        structuredContent: { status: "cancelled" },
      };
  }
}

/** An error that goes to the client word for word; the SDK's own class puts its code before the text. */
export class JsonRpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = "JsonRpcError";
    this.code = code;
  }
}

/** The one answer for every tool that a client cannot call. */
function unknownTool(name: string): JsonRpcError {
  return new JsonRpcError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
}

function pendingText(outcome: Extract<CallOutcome, { kind: "pending" }>): string {
  return [
    `Not executed yet: a person has to allow this command first (approval ${outcome.approvalId.slice(0, 8)}).`,
    outcome.command,
    `Call ${approvalWaitName} with {"approvalId": "${outcome.approvalId}"} to wait for the answer and get the output.`,
    `Unless somebody answers by ${new Date(outcome.expiresAtMs).toISOString()}, it will not run. Do not send the command again.`,
  ].join("\n");
}

/**
 * Some clients show only the structured part, so it says all that the text says; what exec would repeat of its own
 * output (`aggregated`, `tail`) is left out, so that nothing is paid for twice within it.
 */
function structured(details: unknown, text: string): { structuredContent?: Record<string, unknown> } {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return {};
  const { aggregated: _aggregated, tail: _tail, ...rest } = details as Record<string, unknown>;
  return { structuredContent: { ...rest, text } };
}

function textOf(content: CallToolResult["content"]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
