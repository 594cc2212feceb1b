/** Writes the ledger: every transition of a call, every decision, every change of rules. */

import type { Approvals } from "./approvals/createApprovals.ts";
import { isFinal } from "./calls/callState.ts";
import type { Calls } from "./calls/createCalls.ts";
import type { Clock } from "./clock.ts";
import { decisionKind } from "./handlers/approvalHandlers.ts";
import type { Ledger } from "./storage/index.ts";

export interface LedgerRecorder {
  /** @param by principal that did it */
  record(kind: string, by: string, data: Record<string, unknown>): void;
  dispose(): void;
}

export function createLedgerRecorder(deps: {
  ledger: Ledger;
  clock: Clock;
  calls: Calls;
  approvals: Approvals;
}): LedgerRecorder {
  const { ledger, clock } = deps;
  const offs = [
    deps.calls.events.on("recorded", ({ call }) => {
      const { toolCallId, agentId, sessionKey, callerId, tool, state } = call;
      // Arguments are written once, with the proposal; later entries refer to them by id.
      const skill = call.skill === undefined ? {} : { skill: call.skill };
      const data = state.kind === "proposed" ? { tool, args: call.argsShown, ...skill } : { tool, state };
      const entry = {
        atMs: call.updatedAtMs,
        kind: `call.${state.kind}`,
        toolCallId,
        agentId,
        sessionKey,
        callerId,
        data,
      };
      // What is about to happen is written down before it does; what has happened need not hold up its answer.
      ledger.appendSoon(entry, isFinal(state) ? "nextTurn" : "thisTurn");
    }),
    deps.approvals.events.on("requested", (request) => {
      const { toolCallId, agentId, sessionKey, callerId, createdAtMs, id, digest, command, cwd } = request;
      const data = { id, digest, command, cwd, askedBecause: request.askedBecause };
      ledger.append({
        atMs: createdAtMs,
        kind: "approval.requested",
        toolCallId,
        agentId,
        sessionKey,
        callerId,
        data,
      });
    }),
    deps.approvals.events.on("decided", ({ decision, request }) => {
      const { toolCallId, agentId, sessionKey, callerId, digest } = request;
      const data = { decision, digest };
      ledger.append({
        atMs: decision.decidedAtMs,
        kind: decisionKind,
        toolCallId,
        agentId,
        sessionKey,
        callerId,
        data,
      });
    }),
  ];
  return {
    record(kind, by, data) {
      ledger.append({
        atMs: clock.nowMs(),
        kind,
        toolCallId: null,
        agentId: null,
        sessionKey: null,
        callerId: by,
        data,
      });
    },
    dispose() {
      for (const off of offs) off();
      // Reading writes what still waits; the database closes next.
      ledger.count();
    },
  };
}
