/** Which agents a requester may give work to: the answer of the agents_list tool (policy §16). */

import { getList, getString } from "./configRecord.ts";
import { normalizeAgentId } from "./names.ts";
import { agentScopes } from "./scopes.ts";

export interface ListedAgent {
  id: string;
  name?: string;
  configured: boolean;
}

export interface AgentsListAnswer {
  requester: string;
  allowAny: boolean;
  /** The requester first, the others by id. */
  agents: ListedAgent[];
}

/** Reads `agents.list[].subagents.allowAgents` of the requester; there is no default level. */
export function resolveAgentsList(config: unknown, requesterId: string | undefined): AgentsListAnswer {
  const agents = agentScopes(config);
  const requester = normalizeAgentId(requesterId);
  const allowed = (getList(agents.get(requester)?.entry, "subagents", "allowAgents") ?? [])
    .filter((entry) => typeof entry === "string")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const allowAny = allowed.includes("*");
  const others = new Set(allowed.filter((entry) => entry !== "*").map(normalizeAgentId));
  if (allowAny) for (const id of agents.keys()) others.add(id);
  others.delete(requester);
  const describe = (id: string): ListedAgent => {
    const entry = agents.get(id)?.entry;
    const name = getString(entry, "name")?.trim();
    return { id, ...(name === undefined || name === "" ? {} : { name }), configured: entry !== undefined };
  };
  return {
    requester,
    allowAny,
    agents: [requester, ...[...others].sort((a, b) => (a < b ? -1 : 1))].map(describe),
  };
}

/** Whether a requester may spawn a sub-agent as the given agent; its own is always allowed. */
export function maySpawnAgent(config: unknown, requesterId: string | undefined, targetId: string): boolean {
  const answer = resolveAgentsList(config, requesterId);
  const target = normalizeAgentId(targetId);
  return target === answer.requester || answer.allowAny || answer.agents.some((agent) => agent.id === target);
}
