/** Answers of gate two: nothing ran, why, and what the agent may know of it. */

import type { Reason } from "../../../shared/contract/index.ts";
import type { ToolResult } from "../tools/defineTool.ts";

type Denied = Extract<NonNullable<ToolResult["refusal"]>, { kind: "denied" }>;

/** Gate two said no: the text says that nothing ran, and carries no output. */
export function refused(reason: Reason, by: Denied["by"], text: string): ToolResult {
  return {
    content: [{ type: "text", text: `${text}\nNot executed.` }],
    details: { status: "denied", executed: false, reason: reason.code },
    refusal: { kind: "denied", by, reason, note: null, approvalId: null },
  };
}

/** A refusal that the code of a rule explains. */
export function refusedByRule(code: string, text: string): ToolResult {
  return refused({ code, params: {} }, { kind: "rule", ruleId: code }, text);
}

export function notExecuted(
  answer: { approvalId: string; outcome: string; by: Denied["by"]; note: string | null },
  command: string,
): ToolResult {
  const { approvalId } = answer;
  if (answer.outcome === "cancelled") {
    return { content: [{ type: "text", text: "Cancelled. Not executed." }], refusal: { kind: "cancelled" } };
  }
  if (answer.outcome === "expired") {
    return {
      content: [{ type: "text", text: `Nobody answered the approval in time. Not executed: ${command}` }],
      details: { status: "expired", executed: false, approvalId },
      refusal: { kind: "expired", approvalId },
    };
  }
  const isPerson = answer.by.kind === "person";
  const why = isPerson ? "A person denied this command." : systemSentence(answer.by);
  const note = answer.note === null ? "" : `\nNote from the person: ${answer.note}`;
  return {
    content: [{ type: "text", text: `${why} Not executed; do not try it again in another form.${note}` }],
    details: {
      status: "denied",
      executed: false,
      approvalId,
      ...(answer.note === null ? {} : { note: answer.note }),
    },
    refusal: {
      kind: "denied",
      by: answer.by,
      reason: {
        code: isPerson ? "userDenied" : answer.by.kind === "system" ? answer.by.reason.code : "denied",
        params: {},
      },
      note: answer.note,
      approvalId,
    },
  };
}

function systemSentence(by: Denied["by"]): string {
  if (by.kind !== "system") return "This command was refused.";
  if (by.reason.code === "screenLocked") return "This command needs a person, and the screen is locked.";
  if (by.reason.code === "agentPaused") return "The operator has paused this agent.";
  if (by.reason.code === "noOperator") {
    return "This command needs a person, and nobody can be asked: open Sallyport's panel or run `sallyport approvals watch`.";
  }
  return "This command was refused by Sallyport.";
}

export function refuseSelfApproval(): ToolResult {
  const reason: Reason = { code: "selfApproval", params: {} };
  const by = { kind: "rule" as const, ruleId: "exec.selfApproval" };
  return refused(reason, by, "This command would answer an approval. Only a person may do that.");
}
