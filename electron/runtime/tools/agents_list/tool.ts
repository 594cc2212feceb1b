/** The agents_list tool: which agents the own one may give work to. Changes nothing. */

import { resolveAgentsList } from "../../../../shared/policy/index.ts";
import { defineTool, jsonResult } from "../defineTool.ts";
import { agentsListInput } from "./schema.ts";

/** More than a person configures; a longer list says how much it leaves out. */
const maxAgents = 500;

/** @see gateway-sessions-nodes.md §14 */
export function createAgentsListTool(deps: { config(): unknown }) {
  return defineTool({
    name: "agents_list",
    title: "Agents",
    description:
      "Lists the agents that may be given work from here: the own one first, then those that the own agent's " +
      "subagents.allowAgents names. An agent with configured: false is allowed, but not set up.",
    promptLine: "List the agents that may be given work",
    risk: "read",
    input: agentsListInput,
    async execute(_input, { agentId }) {
      const { requester, allowAny, agents } = resolveAgentsList(deps.config(), agentId);
      const left = agents.length - maxAgents;
      return jsonResult({
        requester,
        allowAny,
        agents: agents.slice(0, maxAgents),
        ...(left > 0 ? { note: `${left} more agents are left out; openclaw.json has them` } : {}),
      });
    },
  });
}
