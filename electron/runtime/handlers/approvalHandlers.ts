/** Approvals over the contract, under our names and OpenClaw's. */

import { z } from "zod";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approvalDecision,
  type SallyportContract,
} from "../../../shared/contract/index.ts";
import { explainWords } from "../../../shared/exec/explain/explainWords.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { AgentPauses } from "../approvals/agentPauses.ts";
import type { Approvals } from "../approvals/createApprovals.ts";
import type { Grants } from "../approvals/grants.ts";
import type { Presence } from "../approvals/presence.ts";
import type { EventHub } from "../events/eventHub.ts";
import type { ApprovalsStore, Ledger } from "../storage/index.ts";

type Methods = SallyportContract["methods"];
type ApprovalMethods = Extract<
  keyof Methods,
  `approvals.${string}` | `grants.${string}` | "exec.approval.resolve" | "exec.explainWords"
>;

/** Kind of the ledger entries that hold a whole decision. */
export const decisionKind = "approval.decided";

/** Decisions of earlier runs, newest first; entries of another shape are left out rather than guessed. */
export function decisionsFrom(ledger: Ledger, limit: number, beforeMs?: number): ApprovalDecision[] {
  const entries = ledger.listByKind(decisionKind, { limit, ...(beforeMs === undefined ? {} : { beforeMs }) });
  return entries.flatMap((entry) => {
    const parsed = z.object({ decision: approvalDecision }).safeParse(entry.data);
    return parsed.success ? [parsed.data.decision] : [];
  });
}

export function createApprovalHandlers(deps: {
  approvals: Approvals;
  grants: Grants;
  presence: Presence;
  ledger: Ledger;
  pauses: AgentPauses;
}): Pick<Handlers<SallyportContract>, ApprovalMethods> {
  const { approvals, grants, presence, ledger, pauses } = deps;
  return {
    "approvals.list": () => ({ pending: approvals.pending(), recent: approvals.recent() }),
    // Whoever serves the connection takes it out again when it closes.
    "approvals.attend": (_input, { connectionId }) => {
      presence.attend(connectionId);
      return { attending: true };
    },
    "approvals.resolve": (input, { principal }) => approvals.resolve(input, principal),
    "approvals.previewGrant": (input) => approvals.previewGrant(input),
    "approvals.previewRule": (input) => approvals.previewRule(input),
    "approvals.pauses": () => ({ paused: pauses.list() }),
    "approvals.pauseAgent": ({ agentId }, { principal }) => {
      pauses.pause(agentId, principal);
      return { paused: pauses.list() };
    },
    "approvals.resumeAgent": ({ agentId }, { principal }) => {
      const resumed = pauses.resume(agentId, principal);
      return { resumed, paused: pauses.list() };
    },
    "approvals.explainEdit": (input) => approvals.explainEdit(input),
    "approvals.explain": ({ id }) => ({ words: explainWords(approvals.waiting(id).command) }),
    "exec.explainWords": ({ command }) => ({ words: explainWords(command) }),
    "grants.list": () => ({ grants: grants.list() }),
    "grants.revoke": async ({ id }, { principal }) => ({ revoked: await grants.revoke(id, principal.id) }),
    "approvals.history": ({ limit, beforeMs }) => ({ decisions: decisionsFrom(ledger, limit, beforeMs) }),
    "exec.approval.resolve": async (input, { principal }) => {
      await approvals.resolve(input, principal);
      return { ok: true };
    },
  };
}

/** Publishes the queue under our name, and arrivals and decisions under OpenClaw's; rules when they change. */
export function publishApprovals(deps: {
  approvals: Approvals;
  pauses: AgentPauses;
  grants: Grants;
  approvalsFile: ApprovalsStore;
  hub: EventHub;
}): () => void {
  const { approvals, pauses, grants, approvalsFile, hub } = deps;
  const offs = [
    pauses.events.on("changed", () => hub.publish("approvals.pausesChanged", { paused: pauses.list() })),
    approvalsFile.events.on("changed", () =>
      hub.publish("exec.approvals.changed", { hash: approvalsFile.view().hash }),
    ),
    grants.events.on("changed", () => hub.publish("grants.changed", { grants: grants.list() })),
    approvals.events.on("changed", () =>
      hub.publish("approvals.changed", { pending: approvals.pending(), recent: approvals.recent() }),
    ),
    approvals.events.on("requested", (request) => {
      const { id, createdAtMs, expiresAtMs } = request;
      hub.publish("exec.approval.requested", {
        id,
        request: publicRequest(request),
        createdAtMs,
        expiresAtMs,
      });
    }),
    approvals.events.on("decided", ({ decision, request }) =>
      hub.publish("exec.approval.resolved", {
        id: decision.id,
        decision: decisionWord(decision),
        resolvedBy: decision.by.kind === "person" ? decision.by.principalId : decision.by.kind,
        ts: decision.decidedAtMs,
        request: publicRequest(request),
      }),
    ),
  ];
  return () => {
    for (const off of offs) off();
  };
}

function decisionWord(decision: ApprovalDecision): "allow-once" | "allow-always" | "deny" | null {
  if (decision.outcome === "allowed-once") return "allow-once";
  if (decision.outcome === "allowed-always") return "allow-always";
  return decision.outcome === "denied" ? "deny" : null;
}

/** The reference's fields of a stored request: names of env overrides, never their values. */
function publicRequest(request: ApprovalRequest): Record<string, unknown> {
  return {
    command: request.command,
    envKeys: request.env.map((entry) => entry.name),
    cwd: request.cwd,
    host: request.host,
    security: request.rule.security,
    ask: request.rule.ask,
    agentId: request.agentId,
    resolvedPath: request.segments?.[0]?.resolvedPath ?? null,
    sessionKey: request.sessionKey,
  };
}
