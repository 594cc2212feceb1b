/** A person as a caller: at the panel, the terminal, or with a program that has the operator's word. */

import { AppError } from "../../../shared/errors/index.ts";
import { defaultAgentId, normalizeAgentId, resolveAgentId } from "../../../shared/policy/index.ts";
import { hasScope, type Principal } from "../../../shared/rpc/index.ts";
import type { Clients } from "../clients/createClients.ts";
import type { ConfigStore } from "../config/index.ts";
import type { Caller } from "../runtimeTypes.ts";

export interface PlacesOfCallers {
  config: ConfigStore;
  clients: Pick<Clients, "callerOf">;
  agentIds(): string[];
}

interface Place {
  agentId?: string | undefined;
  sessionKey?: string | undefined;
}

/**
 * The person who asks, in the session that was named. A session belongs to its agent: with another agent's id the
 * lists of the one and the stages of the other would decide.
 * @throws AppError INVALID_INPUT for an agent that is not there, or not the session's, and for a session of no client
 */
export function callerIn(deps: PlacesOfCallers, place: Place, principal: Principal): Caller {
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

const clientSession = /^agent:[^:]*:mcp(?::|$)/i;

/**
 * Who speaks in the session of an MCP client for it is still held to the model and the limits of that client.
 * @throws AppError INVALID_INPUT for a key of that form that is no client's, letter by letter: nobody could say what
 *   limits it has
 */
function policyOfSession(
  { clients }: PlacesOfCallers,
  sessionKey: string | undefined,
): Pick<Caller, "provider" | "model" | "overlay"> {
  if (sessionKey === undefined || !clientSession.test(sessionKey)) return { provider: null, model: null };
  const client = clients.callerOf(sessionKey.split(":")[3] ?? "");
  if (client === null || client.sessionKey !== sessionKey) {
    throw new AppError(
      "INVALID_INPUT",
      `The session ${sessionKey} is of no MCP client that is here. \`sallyport clients list\` shows the clients.`,
    );
  }
  const { provider, model, overlay } = client;
  return { provider, model, ...(overlay === undefined ? {} : { overlay }) };
}
