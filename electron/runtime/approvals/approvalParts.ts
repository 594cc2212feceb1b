/** Puts together the queue, the pauses of agents and what is known of allowlist entries. */

import type { Clock } from "../clock.ts";
import { decisionsFrom } from "../handlers/approvalHandlers.ts";
import type { Logger } from "../logging/logger.ts";
import type { Ledger } from "../storage/index.ts";
import { type AgentPauses, createAgentPauses } from "./agentPauses.ts";
import { type Approvals, createApprovals } from "./createApprovals.ts";
import { createEntryRecords, type EntryRecords } from "./entryRecords.ts";
import type { Presence } from "./presence.ts";

export interface ApprovalParts {
  approvals: Approvals;
  pauses: AgentPauses;
  entryRecords: EntryRecords;
}

const earlierDecisions = 20;

export function createApprovalParts(deps: {
  clock: Clock;
  logger: Logger;
  presence: Presence;
  ledger: Ledger;
  agentIds(): string[];
}): ApprovalParts {
  const pauses = createAgentPauses({
    ...deps,
    knownAgents: () => [...deps.agentIds(), ...approvals.pending().map((request) => request.agentId)],
  });
  const approvals: Approvals = createApprovals({
    ...deps,
    earlier: decisionsFrom(deps.ledger, earlierDecisions),
    pauseOf: pauses.refusal,
  });
  const entryRecords = createEntryRecords(deps.ledger);
  approvals.events.on("decided", ({ decision, request }) => {
    // A tool of an MCP server is no entry of the approvals file.
    if (request.kind === "mcpCall") return;
    for (const { agentId, pattern } of decision.stored) entryRecords.noteAdded(agentId, pattern, "always");
  });
  return { approvals, pauses, entryRecords };
}
