/** The tools that OpenClaw itself would have: for questions "as OpenClaw would", whether or not they are built here. */

import { listKnownTools, type PolicyContext, type RegisteredTool } from "../../../shared/policy/index.ts";

/** Those that its availability rules leave for this config and context. */
export function openclawTools(config: unknown, context: PolicyContext): RegisteredTool[] {
  const { agentId, provider, model, sandboxed } = context;
  return listKnownTools(config, {
    hasAgentDir: true,
    hasWebSearchProvider: true,
    ...(agentId === undefined ? {} : { agentId }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(sandboxed === undefined ? {} : { sandboxed }),
  });
}

/**
 * Two lists for proofs over all contexts: everything that some context could have, and what every context has.
 * A promise has to hold with both, since a list that names only a missing tool is one that OpenClaw ignores.
 */
export function openclawToolLists(config: unknown): RegisteredTool[][] {
  const most = listKnownTools(config, {
    hasAgentDir: true,
    hasWebSearchProvider: true,
    hasImageModel: true,
    hasPdfModel: true,
    hasImageGenerationModel: true,
    hasXaiKey: true,
    provider: "openai",
  }).map(
    // Which agent and model get apply_patch is no single fact of the config.
    (tool): RegisteredTool => (tool.name === "apply_patch" ? { name: tool.name, owner: tool.owner } : tool),
  );
  return [most, listKnownTools(config, { hasAgentDir: false, hasWebSearchProvider: false })];
}
