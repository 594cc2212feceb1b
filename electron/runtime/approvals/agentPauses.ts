/** Agents that the operator has paused: their new commands and file requests are denied at once. In memory only. */

import type { AgentPause, Reason } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { normalizeAgentId } from "../../../shared/policy/names.ts";
import type { Principal } from "../../../shared/rpc/index.ts";
import type { CallsDeps } from "../calls/createCalls.ts";
import type { Clock } from "../clock.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import { refused } from "../exec/refusals.ts";
import type { Logger } from "../logging/logger.ts";
import type { Ledger } from "../storage/index.ts";

export interface AgentPausesDeps {
  clock: Clock;
  logger: Logger;
  ledger: Ledger;
  /** Agents of the config and of what waits: a misspelt name must not look like a pause. */
  knownAgents(): string[];
}

export interface AgentPauses {
  events: Emitter<{ changed: undefined }>;
  /** Longest paused first. */
  list(): AgentPause[];
  /** @returns why a request of this agent is denied now; null when the agent is not paused */
  refusal(agentId: string): Reason | null;
  /** Pausing twice is one pause. @throws AppError NOT_FOUND for an agent that nothing names */
  pause(agentId: string, by: Principal): void;
  /** @returns whether it was paused. @throws AppError FORBIDDEN for windows other than the approval surface */
  resume(agentId: string, by: Principal): boolean;
  /** Wraps gate one: a paused agent still sees its tools, and those that run or touch files say why they do not. */
  guard(decide: CallsDeps["decide"]): CallsDeps["decide"];
}

/** What is typed into a running shell is a command as well; looking at output and ending it is not. */
const inputActions: ReadonlySet<unknown> = new Set(["write", "send-keys", "submit", "paste"]);
const heldTools: ReadonlySet<string> = new Set(["exec", "read", "write", "edit", "apply_patch"]);

export function createAgentPauses(deps: AgentPausesDeps): AgentPauses {
  const { clock, logger, ledger } = deps;
  const events = createEmitter<{ changed: undefined }>({
    onListenerError: (event, error) => logger.error("agentPauses.listenerFailed", { event, error }),
  });
  const paused = new Map<string, AgentPause>();

  const record = (kind: string, by: Principal, data: AgentPause) =>
    ledger.append({
      atMs: clock.nowMs(),
      kind,
      toolCallId: null,
      agentId: data.agentId,
      sessionKey: null,
      callerId: by.id,
      data: { ...data },
    });
  const refusal = (agentId: string): Reason | null => {
    const pause = paused.get(normalizeAgentId(agentId));
    if (pause === undefined) return null;
    paused.set(pause.agentId, { ...pause, deniedCount: pause.deniedCount + 1 });
    events.emit("changed", undefined);
    return { code: "agentPaused", params: { agent: pause.agentId } };
  };

  return {
    events,
    list: () => [...paused.values()],
    refusal,
    pause(agentId, by) {
      const id = normalizeAgentId(agentId);
      const known = [...new Set(deps.knownAgents().map((one) => normalizeAgentId(one)))];
      if (agentId.trim() === "" || !known.includes(id))
        throw new AppError("NOT_FOUND", `There is no agent ${agentId}. Agents: ${known.join(", ")}.`);
      if (paused.has(id)) return;
      const pause: AgentPause = { agentId: id, sinceMs: clock.nowMs(), by: by.id, deniedCount: 0 };
      paused.set(id, pause);
      record("agent.paused", by, pause);
      events.emit("changed", undefined);
    },
    resume(agentId, by) {
      if (by.kind === "panel" && !by.approvalSurface)
        throw new AppError(
          "FORBIDDEN",
          "Only the approval surface may resume an agent. Open Approvals and do it there.",
        );
      const pause = paused.get(normalizeAgentId(agentId));
      if (pause === undefined) return false;
      paused.delete(pause.agentId);
      record("agent.resumed", by, pause);
      events.emit("changed", undefined);
      return true;
    },
    guard: (decide) => (caller, name) => {
      const decision = decide(caller, name);
      if (decision.kind !== "visible") return decision;
      const { tool } = decision;
      const isForeign = tool.owner?.kind === "mcp";
      if (!heldTools.has(tool.name) && tool.name !== "process" && !isForeign) return decision;
      const execute: typeof tool.execute = async (input, context) => {
        if (tool.name === "process" && !isInput(input)) return tool.execute(input, context);
        const reason = refusal(context.agentId);
        if (reason === null) return tool.execute(input, context);
        return refused(
          reason,
          { kind: "system", reason },
          `Agent ${context.agentId} is paused by the operator. Do not try again until the operator says so.`,
        );
      };
      return { ...decision, tool: { ...tool, execute } };
    },
  };
}

function isInput(input: unknown): boolean {
  return typeof input === "object" && input !== null && "action" in input && inputActions.has(input.action);
}
