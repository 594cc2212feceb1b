/** In-memory policies of callers that no config entry describes. */

import { profileLists } from "../../../shared/policy/index.ts";

/** Names of tools that `minimal` names: all that an unmapped client may know (architecture 10, 12). */
const minimalTools = profileLists.get("minimal") ?? [];

/**
 * The saved config with one more agent: exactly `minimal`, whatever global grants would add.
 * Hardening `policy.strictLists` is on for it under every preset, so that no list can fail open.
 */
export function unmappedConfig(config: unknown, agentId: string): unknown {
  return withAgent(config, {
    id: agentId,
    tools: { profile: "minimal", alsoAllow: [], allow: [...minimalTools] },
  });
}

/** What the scripted agent may know: enough to show the loop, with one tool hidden. */
export const tryoutTools = ["exec", "process", "session_status"] as const;

/** Replaces the saved policy: "Try it" works the same on every config, and changes none. */
export function tryoutConfig(agentId: string): unknown {
  return { agents: { list: [{ id: agentId, tools: { allow: [...tryoutTools] } }] } };
}

function withAgent(config: unknown, agent: Record<string, unknown>): unknown {
  const root = isRecord(config) ? config : {};
  const agents = isRecord(root.agents) ? root.agents : {};
  const list = Array.isArray(agents.list) ? agents.list : [];
  return { ...root, agents: { ...agents, list: [agent, ...list] } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
