/** The tools that OpenClaw itself would have: for questions "as OpenClaw would", whether or not they are built here. */

import { getIn } from "../../../shared/policy/configRecord.ts";
import { createToolSupply, type ToolSupply } from "../../../shared/policy/debug/index.ts";
import {
  type AvailabilityFacts,
  listKnownTools,
  normalizeAgentId,
  type PolicyContext,
  type RegisteredTool,
  resolveAgentId,
} from "../../../shared/policy/index.ts";
import { agentScopes } from "../../../shared/policy/scopes.ts";

/** Those that its availability rules leave for this config and context. */
export function openclawTools(config: unknown, context: PolicyContext): RegisteredTool[] {
  return listKnownTools(config, {
    ...factsOf(config, context),
    hasAgentDir: true,
    hasWebSearchProvider: true,
  });
}

/**
 * The same for proofs over all contexts. Keys, search providers and folders belong to the machine, not to the config:
 * what hangs on them may be there or not.
 */
export function openclawSupply(config: unknown): ToolSupply {
  return createToolSupply(
    (context) =>
      listKnownTools(config, {
        ...factsOf(config, context),
        hasAgentDir: true,
        hasWebSearchProvider: true,
        hasImageModel: true,
        hasPdfModel: true,
        hasImageGenerationModel: true,
        hasXaiKey: true,
      }),
    (context) =>
      listKnownTools(config, {
        ...factsOf(config, context),
        hasAgentDir: false,
        hasWebSearchProvider: false,
        hasImageGenerationModel: false,
        messageDisabled: true,
      }),
    new Set(["message"]),
  );
}

/** What context and config say together. */
function factsOf(config: unknown, context: PolicyContext): AvailabilityFacts {
  const { agentId, sessionKey, provider, model, sandboxed } = context;
  const agent = resolveAgentId(agentId, sessionKey);
  const workspaceAccess = workspaceAccessOf(config, agent);
  return {
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(sandboxed === undefined ? {} : { sandboxed }),
    ...(workspaceAccess === undefined ? {} : { workspaceAccess }),
  };
}

/** Of the sandbox; the agent's own setting comes first (policy §12). */
function workspaceAccessOf(
  config: unknown,
  agentId: string | undefined,
): AvailabilityFacts["workspaceAccess"] {
  const agent = agentId === undefined ? undefined : agentScopes(config).get(normalizeAgentId(agentId));
  const value =
    getIn(agent?.entry, "sandbox", "workspaceAccess") ??
    getIn(config, "agents", "defaults", "sandbox", "workspaceAccess");
  return (["none", "ro", "rw"] as const).find((known) => known === value);
}
