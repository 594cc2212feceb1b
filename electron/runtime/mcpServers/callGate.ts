/** Gate two of foreign tools: a person sees server, tool and arguments before a call (rule `mcp.callsAsk`). */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { escapeForDisplay } from "../../../shared/exec/index.ts";
import type { ApprovalAnswer, ApprovalDraft } from "../approvals/createApprovals.ts";
import { digestOfValue } from "../approvals/digest.ts";
import { noCommand } from "../approvals/noCommand.ts";
import { showWholeArgs } from "../calls/shownArgs.ts";
import { refused } from "../exec/refusals.ts";
import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";
import type { ForeignTool } from "./definitions.ts";
import type { ServerEntry } from "./entries.ts";

export interface CallQuestion {
  entry: ServerEntry;
  tool: ForeignTool;
  /** Command line or address, secrets masked. */
  target: string;
  args: Record<string, unknown>;
  /** The tool was allowed once, and its definition or the server's entry changed since. */
  isChanged: boolean;
  lifetimeMs: number;
  storeAlways: (by: string) => Promise<void>;
}

/** What is sent is what was shown, so what cannot be shown as a whole is not sent. */
const maxShownChars = 100_000;

/** @returns the request, or why nobody can be asked for these arguments */
export function draftFor(
  question: CallQuestion,
  context: ToolCallContext,
): { ok: true; draft: ApprovalDraft } | { ok: false; result: ToolResult } {
  const { entry, tool, target, args, isChanged } = question;
  const shownArgs = showWholeArgs(args);
  if (shownArgs === null || shownArgs.length > maxShownChars) {
    const reason = { code: "mcp.argsTooLarge", params: { maxChars: maxShownChars } };
    return {
      ok: false,
      result: refused(
        reason,
        { kind: "rule", ruleId: "mcp.callsAsk" },
        `A person has to see the arguments of ${tool.name} before it runs, and these are too long for that: at most ${maxShownChars} characters.`,
      ),
    };
  }
  const { agentId } = context;
  return {
    ok: true,
    draft: {
      kind: "mcpCall",
      agentId,
      sessionKey: context.sessionKey,
      callerId: context.callerId,
      callerLabel: context.callerLabel,
      toolCallId: context.toolCallId,
      command: [
        tool.name,
        `server: ${oneLine(entry.name)}`,
        `tool: ${oneLine(tool.remoteName)}`,
        `target: ${oneLine(target)}`,
        "arguments:",
        escapeForDisplay(shownArgs),
      ].join("\n"),
      ...noCommand(),
      askedBecause: [
        {
          code: isChanged ? "mcp.callChanged" : "mcp.call",
          params: { server: entry.name, tool: tool.name },
        },
      ],
      warnings: isChanged
        ? [{ level: "warn", reason: { code: "mcp.toolChanged", params: { tool: tool.name } } }]
        : [],
      rule: rule(),
      always: {
        kind: "offered",
        stores: [],
        mcpTool: {
          server: entry.name,
          tool: tool.name,
          agentId,
          definitionDigest: tool.definitionDigest,
        },
      },
      lifetimeMs: question.lifetimeMs,
      // Two calls that differ only in what is masked, or in who would get it, are two questions.
      hiddenValues: digestOfValue([args, entry.digest, tool.definitionDigest]),
      storeAlways: async (by) => {
        await question.storeAlways(by);
        return [{ pattern: tool.name, agentId }];
      },
    },
  };
}

function rule(): ApprovalRequest["rule"] {
  return {
    security: "allowlist",
    ask: "on-miss",
    sources: [{ file: "sallyport.json5", configPath: 'hardening.rules["mcp.callsAsk"]', line: null }],
  };
}

/** Text of the config or of the server must not begin a line that looks like one of ours. */
function oneLine(text: string): string {
  return escapeForDisplay(text.replaceAll("\n", "\\n"));
}

/** What the caller gets when no person allowed it: nothing was sent, and why. */
export function notCalled(answer: ApprovalAnswer, tool: string): ToolResult {
  const { approvalId, outcome, by, note } = answer;
  if (outcome === "cancelled")
    return { content: [{ type: "text", text: "Cancelled. Not executed." }], refusal: { kind: "cancelled" } };
  if (outcome === "expired") {
    return {
      content: [{ type: "text", text: `Nobody answered the approval in time. Not executed: ${tool}` }],
      details: { status: "expired", executed: false, approvalId },
      refusal: { kind: "expired", approvalId },
    };
  }
  const isPerson = by.kind === "person";
  const code = isPerson ? "userDenied" : by.kind === "system" ? by.reason.code : "denied";
  const noteLine = note === null ? "" : `\nNote from the person: ${note}`;
  return {
    content: [
      {
        type: "text",
        text: `${whySentence(code)} Not executed; do not try it again in another form.${noteLine}`,
      },
    ],
    details: { status: "denied", executed: false, approvalId, ...(note === null ? {} : { note }) },
    refusal: { kind: "denied", by, reason: { code, params: {} }, note, approvalId },
  };
}

function whySentence(code: string): string {
  switch (code) {
    case "userDenied":
      return "A person denied this call.";
    case "screenLocked":
      return "This call needs a person, and the screen is locked.";
    case "agentPaused":
      return "The operator has paused this agent.";
    case "noOperator":
      return "This call needs a person, and nobody can be asked: open Sallyport's panel or run `sallyport approvals watch`.";
    default:
      return "This call was refused by Sallyport.";
  }
}
