/** What the questions of the gateway tool have in common: nothing runs, once only, and what a refusal says. */

import type { Reason } from "../../../../shared/contract/index.ts";
import { AppError } from "../../../../shared/errors/index.ts";
import type { ApprovalAnswer, ApprovalDraft } from "../../approvals/createApprovals.ts";
import { noCommand } from "../../approvals/noCommand.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";

/** How long a request waits for a person; the same as for commands. */
const requestLifetimeMs = 1_800_000;

type Common = Omit<ApprovalDraft, "kind" | "command" | "askedBecause" | "rule">;

/** @param withheld why "always" is not offered */
export function onceOnly(
  { agentId, sessionKey, callerId, callerLabel, toolCallId }: ToolCallContext,
  withheld: Reason,
): Common {
  return {
    agentId,
    sessionKey,
    callerId,
    callerLabel,
    toolCallId,
    ...noCommand(),
    warnings: [],
    always: { kind: "withheld", reason: withheld },
    lifetimeMs: requestLifetimeMs,
    storeAlways: () =>
      Promise.reject(new AppError("INVALID_INPUT", "This can only be allowed once. Nothing was stored.")),
  };
}

/** What the caller gets when no person allowed it: nothing happened, and why. */
export function notAllowed(answer: ApprovalAnswer, what: { noun: string; nothing: string }): ToolResult {
  const { approvalId, outcome, by, note } = answer;
  if (outcome === "cancelled") return refused(`Cancelled. ${what.nothing}`, {}, { kind: "cancelled" });
  if (outcome === "expired")
    return refused(
      `Nobody answered the approval in time. ${what.nothing}`,
      { status: "expired", executed: false, approvalId },
      { kind: "expired", approvalId },
    );
  const code = by.kind === "person" ? "userDenied" : by.kind === "system" ? by.reason.code : "denied";
  const noteLine = note === null ? "" : `\nNote from the person: ${note}`;
  return refused(
    `${whyDenied(code, what.noun)} ${what.nothing} Do not try it again in another form.${noteLine}`,
    { status: "denied", executed: false, approvalId, ...(note === null ? {} : { note }) },
    { kind: "denied", by, reason: { code, params: {} }, note, approvalId },
  );
}

function whyDenied(code: string, noun: string): string {
  switch (code) {
    case "userDenied":
      return `A person denied ${noun}.`;
    case "screenLocked":
      return `It takes a person to allow ${noun}, and the screen is locked.`;
    case "agentPaused":
      return "The operator has paused this agent.";
    default:
      return `It takes a person to allow ${noun}, and nobody can be asked now.`;
  }
}

function refused(
  text: string,
  details: Record<string, unknown>,
  refusal: NonNullable<ToolResult["refusal"]>,
): ToolResult {
  return { content: [{ type: "text", text }], details, refusal };
}

/** Refused by a rule, before anybody is asked. */
export function refusedByRule(text: string, ruleId: string, reason: Reason): ToolResult {
  return refused(
    text,
    { status: "denied", executed: false, reason: reason.code, ...reason.params },
    { kind: "denied", by: { kind: "rule", ruleId }, reason, note: null, approvalId: null },
  );
}
