/** Whether a model gets apply_patch: a matter of its provider and of the configuration (policy.md 12). */

import { listKnownTools } from "../../../../shared/policy/index.ts";

export type PatchAvailability =
  | { isAvailable: true }
  /** `reason` and `params` as `RegisteredTool.unavailable` carries them. */
  | { isAvailable: false; reason: string; params?: Record<string, string> };

/**
 * @param config openclaw.json as it counts now
 * @param provider of the caller's model; null when unknown, which leaves the tool out
 */
export function applyPatchAvailable(
  config: unknown,
  agentId: string,
  provider: string | null,
  model: string | null,
): PatchAvailability {
  const facts = {
    agentId,
    ...(provider === null ? {} : { provider }),
    ...(model === null ? {} : { model }),
  };
  const absence = listKnownTools(config, facts).find((tool) => tool.name === "apply_patch")?.unavailable;
  return absence === undefined ? { isAvailable: true } : { isAvailable: false, ...absence };
}
