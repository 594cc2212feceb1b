/** Which agents see a tool of a server: the policy asked once for each agent. */

import { useQueries } from "@tanstack/react-query";
import { useQueryRpc, useRpc } from "../../rpc/hooks.ts";

/** More agents than this are not asked for: the policy view answers then. */
export const maxAgents = 12;

export interface AgentSight {
  agentId: string;
  /** null: not known yet. */
  tools: ReadonlySet<string> | null;
}

/** @returns one entry per agent of the config; empty while they are not known, or when there are too many */
export function useAgentSight(isEnabled: boolean): AgentSight[] {
  const rpc = useRpc();
  const agents = useQueryRpc("policy.contexts", {}, { enabled: isEnabled }).data?.agents ?? [];
  const asked = agents.length > maxAgents ? [] : agents;
  const answers = useQueries({
    queries: asked.map(({ id }) => {
      const input = { context: { agentId: id, surface: "mcp" as const } };
      return {
        queryKey: ["policy.explain", input],
        queryFn: ({ signal }: { signal: AbortSignal }) => rpc.call("policy.explain", input, { signal }),
        enabled: isEnabled,
      };
    }),
  });
  return asked.map(({ id }, index) => {
    const tools = answers[index]?.data?.tools;
    return { agentId: id, tools: tools === undefined ? null : new Set(tools) };
  });
}
