/** What was decided, and by whom, as sentences for a terminal. */

import type { ApprovalDecision } from "../../shared/contract/index.ts";
import { englishText } from "../../shared/text/english.ts";
import { listedChange } from "./changeText.ts";
import { reasonText } from "./context.ts";
import { safeLine } from "./io.ts";
import { mcpCallSummary } from "./mcpCallText.ts";

/** Of a change in a list of decisions. */
const maxListedLines = 12;

/** @returns "allowed once by cli", "denied: nobody could be asked …" */
export function outcomeText({ outcome, by }: ApprovalDecision): string {
  const ended = safeLine(englishText(`outcome.${outcome}`));
  switch (by.kind) {
    case "person":
      return by.principalId.startsWith("panel")
        ? `${ended} in the panel`
        : `${ended} by ${safeLine(by.principalId)}`;
    case "rule":
      return `${ended} by ${safeLine(englishText("by.ruleNamed", { rule: by.ruleId }))}`;
    case "expiry":
      return `${ended}: ${englishText("by.expiryLong")}`;
    case "system":
      return `${ended}: ${reasonText(by.reason)}`;
  }
}

/** @returns one decision: when, how it ended, what it was about, and what came of it */
export function decisionLines(decision: ApprovalDecision): string[] {
  const isChange = decision.kind === "fileWrite" || decision.kind === "configWrite";
  const at = new Date(decision.decidedAtMs).toISOString();
  const [title = ""] = decision.command.split("\n", 1);
  const fact = (label: string, text: string | undefined | null) =>
    text === undefined || text === null ? [] : [`    ${label} ${safeLine(text)}`];
  return [
    `${at}  ${decision.id.slice(0, 8)}  agent ${safeLine(decision.agentId)}  ${outcomeText(decision)}`,
    `    ${decision.kind === "mcpCall" ? mcpCallSummary(decision.command) : safeLine(isChange ? title : decision.command)}`,
    ...(isChange ? listedChange(decision.command, maxListedLines).map((line) => `      ${line}`) : []),
    ...fact("ran instead:", decision.editedCommand),
    ...fact("note:", decision.note),
    ...decision.stored.flatMap(({ pattern, agentId }) => fact("stored:", `${pattern} for agent ${agentId}`)),
    ...fact("saved grant", decision.grantId?.slice(0, 8)),
  ];
}
