/** Limits that sit beside the pipeline: which sessions and which files a tool may reach (policy §16). */

import type { Hardening } from "../hardening/rules.ts";
import { getIn, getList } from "./configRecord.ts";
import { normalizeAgentId } from "./names.ts";
import { agentScopes } from "./scopes.ts";
import { matchesPattern } from "./wildcards.ts";

export const sessionVisibilities = ["self", "tree", "agent", "all"] as const;
export type SessionVisibility = (typeof sessionVisibilities)[number];

/**
 * How far session tools see. Unknown words mean `tree`. A sandboxed session is held to `tree` unless
 * `agents.defaults.sandbox.sessionToolsVisibility` is `all`.
 */
export function resolveSessionVisibility(
  config: unknown,
  { sandboxed, hardening }: { sandboxed: boolean; hardening: Hardening },
): SessionVisibility {
  const word = getIn(config, "tools", "sessions", "visibility");
  const visibility = sessionVisibilities.find((known) => known === word) ?? "tree";
  if (!sandboxed) return visibility;
  if (getIn(config, "agents", "defaults", "sandbox", "sessionToolsVisibility") === "all") return visibility;
  return visibility === "self" && hardening.has("policy.sandboxSelfVisibility") ? "self" : "tree";
}

/** Whether an agent may reach another agent's sessions: `tools.agentToAgent`, an empty list means any. */
export function mayReachAgent(config: unknown, fromAgentId: string, toAgentId: string): boolean {
  const from = normalizeAgentId(fromAgentId);
  const to = normalizeAgentId(toAgentId);
  if (from === to) return true;
  if (getIn(config, "tools", "agentToAgent", "enabled") !== true) return false;
  const allow = (getList(config, "tools", "agentToAgent", "allow") ?? [])
    .filter((entry) => typeof entry === "string")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (allow.length === 0) return true;
  // Case counts, except in entries with a wildcard.
  const matches = (id: string) =>
    allow.some((entry) => (entry.includes("*") ? matchesPattern(entry.toLowerCase(), id) : entry === id));
  return matches(from) && matches(to);
}

export interface FileLimits {
  /** read, write, edit (and the local roots of image and pdf) stay inside the workspace. */
  workspaceOnly: boolean;
  /** apply_patch stays inside the workspace. */
  patchWorkspaceOnly: boolean;
}

/** The workspace limits of an agent; a memory-flush run is always confined. */
export function resolveFileLimits(
  config: unknown,
  agentId: string | undefined,
  { memoryFlush = false }: { memoryFlush?: boolean } = {},
): FileLimits {
  const agent = agentScopes(config).get(normalizeAgentId(agentId));
  const configured =
    getIn(agent?.tools.record, "fs", "workspaceOnly") ?? getIn(config, "tools", "fs", "workspaceOnly");
  const workspaceOnly = memoryFlush || configured === true;
  const patchBlock =
    getIn(agent?.tools.record, "exec", "applyPatch") ?? getIn(config, "tools", "exec", "applyPatch");
  return { workspaceOnly, patchWorkspaceOnly: workspaceOnly || getIn(patchBlock, "workspaceOnly") !== false };
}
