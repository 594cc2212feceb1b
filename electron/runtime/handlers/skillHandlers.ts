/** Skills and their commands for people: what an agent has, and `/<skill> args`. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { defaultAgentId, normalizeAgentId, resolveAgentId } from "../../../shared/policy/index.ts";
import { type Handlers, hasScope, type Principal } from "../../../shared/rpc/index.ts";
import type { Clients } from "../clients/createClients.ts";
import type { ConfigStore } from "../config/index.ts";
import type { Caller } from "../runtimeTypes.ts";
import { createSkillCommands, type SkillCommandsDeps } from "../skills/skillCommands.ts";

type SkillMethods = Extract<keyof SallyportContract["methods"], `skills.${string}`>;

export interface SkillHandlersDeps extends SkillCommandsDeps {
  config: ConfigStore;
  clients: Pick<Clients, "callerOf">;
  agentIds(): string[];
}

interface Place {
  agentId?: string | undefined;
  sessionKey?: string | undefined;
}

export function createSkillHandlers(
  deps: SkillHandlersDeps,
): Pick<Handlers<SallyportContract>, SkillMethods> {
  const commands = createSkillCommands(deps);
  return {
    "skills.list": async (place, { principal }) => {
      const caller = callerIn(deps, place, principal);
      return { agentId: caller.agentId, skills: await commands.list(caller) };
    },
    "skills.run": async ({ skill, args, tool, ...place }, { principal }) => {
      const { toolCallId } = await commands.run(callerIn(deps, place, principal), skill, args, tool);
      return { toolCallId };
    },
  };
}

/**
 * The person who asks, in the session that was named. A session belongs to its agent: with another agent's id the
 * lists of the one and the stages of the other would decide.
 * @throws AppError INVALID_INPUT for an agent that is not there, or not the session's
 */
function callerIn(deps: SkillHandlersDeps, place: Place, principal: Principal): Caller {
  const { config, agentIds } = deps;
  const named = place.agentId?.trim() ? normalizeAgentId(place.agentId) : undefined;
  const sessionKey = place.sessionKey?.trim() || undefined;
  const ofSession = resolveAgentId(undefined, sessionKey);
  if (named !== undefined && ofSession !== undefined && named !== ofSession) {
    throw new AppError(
      "INVALID_INPUT",
      `The session ${sessionKey} is one of agent ${ofSession}, not of ${named}. Leave one of the two out.`,
    );
  }
  const agentId = named ?? ofSession ?? defaultAgentId(config.effective().config);
  if (!agentIds().includes(agentId)) {
    throw new AppError("INVALID_INPUT", `There is no agent ${agentId}. Agents: ${agentIds().join(", ")}.`);
  }
  return {
    id: principal.id,
    label: principal.kind === "panel" ? "panel" : principal.id,
    agentId,
    sessionKey: sessionKey ?? `agent:${agentId}:${principal.kind}`,
    isOwner: hasScope(principal.scopes, "operator.admin"),
    ...policyOfSession(deps, sessionKey),
    surface: "panel",
  };
}

/** Who speaks in the session of an MCP client for it is still held to the model and the limits of that client. */
function policyOfSession(
  { clients }: SkillHandlersDeps,
  sessionKey: string | undefined,
): Pick<Caller, "provider" | "model" | "overlay"> {
  const [, clientId] = /:mcp:([^:]+)$/.exec(sessionKey ?? "") ?? [];
  const client = clientId === undefined ? null : clients.callerOf(clientId);
  if (client === null || client.sessionKey !== sessionKey) return { provider: null, model: null };
  const { provider, model, overlay } = client;
  return { provider, model, ...(overlay === undefined ? {} : { overlay }) };
}
