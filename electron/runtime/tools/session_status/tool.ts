/** The session_status tool: who one is here, what time it is, and which rules count. Changes nothing. */

import { AppError } from "../../../../shared/errors/index.ts";
import type { Clock } from "../../clock.ts";
import { defineTool, textResult } from "../defineTool.ts";
import { sessionStatusInput } from "./schema.ts";

const maxTools = 200;

export interface SessionFacts {
  provider: string | null;
  model: string | null;
  /** Names of the tools of this session. */
  tools: string[];
  security: string;
  ask: string;
  pendingApprovals: number;
  runningProcesses: number;
}

export function createSessionStatusTool(deps: {
  clock: Clock;
  factsOf(session: {
    callerId: string;
    agentId: string;
    sessionKey: string;
    senderIsOwner: boolean;
  }): SessionFacts;
}) {
  return defineTool({
    name: "session_status",
    title: "Session status",
    description:
      "Reports the own session: agent, session key, current time, model if known, the tools of this session, " +
      "how commands are approved, and what waits or runs.",
    promptLine: "Show the own session: time, agent, tools, what waits or runs",
    risk: "read",
    input: sessionStatusInput,
    async execute(input, context) {
      const { agentId, sessionKey, callerId } = context;
      const asked = input.sessionKey?.trim();
      if (asked !== undefined && asked !== "" && asked !== "current" && asked !== sessionKey) {
        throw new AppError("INVALID_INPUT", `Only the own session can be asked about: ${sessionKey}`);
      }
      const facts = deps.factsOf({
        callerId,
        agentId,
        sessionKey,
        senderIsOwner: context.senderIsOwner,
      });
      const now = new Date(deps.clock.nowMs());
      const model =
        facts.model === null ? "not known" : [facts.provider, facts.model].filter(Boolean).join("/");
      const lines = [
        `Time: ${now.toISOString()} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`,
        `Agent: ${agentId}`,
        `Session: ${sessionKey}`,
        `Model: ${model}`,
        `Owner: ${context.senderIsOwner ? "yes" : "no"}`,
        `Commands: security ${facts.security}, ask ${facts.ask}`,
        `Waiting approvals: ${facts.pendingApprovals}; running processes: ${facts.runningProcesses}`,
        `Tools: ${toolsLine(facts.tools)}`,
      ];
      return textResult(lines.join("\n"), { ok: true, agentId, sessionKey, ...facts, nowMs: now.getTime() });
    },
  });
}

/** Plugins may bring hundreds. */
function toolsLine(tools: readonly string[]): string {
  if (tools.length === 0) return "none";
  const shown = tools.slice(0, maxTools).join(", ");
  const left = tools.length - maxTools;
  return left > 0 ? `${shown} [and ${left} more: the tool list has them]` : shown;
}
