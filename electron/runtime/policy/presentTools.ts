/** Which of the tools that are built here exist for a context, by the availability rules of policy.md §12. */

import { getIn } from "../../../shared/policy/configRecord.ts";
import {
  listKnownTools,
  normalizeAgentId,
  type PolicyContext,
  type RegisteredTool,
  resolveAgentId,
} from "../../../shared/policy/index.ts";
import { sandboxSettingsOf } from "../exec/hosts/sandboxSettings.ts";
import type { MediaFacts } from "../media/createMediaTools.ts";
import { agentAbsence } from "../memory/agentAbsence.ts";
import type { ToolRegistry } from "../tools/registry.ts";

export type PresentTools = (config: unknown, context: PolicyContext) => readonly RegisteredTool[];

/** Lists are kept per config object and facts: the engine is fast for an array that it has seen before. */
export function createPresentTools(
  registry: ToolRegistry,
  hasSearchProvider: (config: unknown) => boolean,
  mediaFacts: (config: unknown) => MediaFacts,
): PresentTools {
  let kept = new WeakMap<object, Map<string, readonly RegisteredTool[]>>();
  let keptFor = registry.registered();
  return (config, context) => {
    // Tools of a server came or went: every list of before is of yesterday.
    if (keptFor !== registry.registered()) {
      keptFor = registry.registered();
      kept = new WeakMap();
    }
    const byFacts = typeof config === "object" && config !== null ? cacheOf(kept, config) : new Map();
    const { provider, model, sandboxed } = context;
    const agentId = resolveAgentId(context.agentId, context.sessionKey);
    // Not a property of the config alone: keys come from the environment, and a rule can change what counts.
    const hasWebSearchProvider = hasSearchProvider(config);
    const media = mediaFacts(config);
    const key = JSON.stringify([agentId, provider, model, sandboxed, hasWebSearchProvider, media]);
    const found = byFacts.get(key);
    if (found !== undefined) return found;
    const absences = new Map(
      listKnownTools(config, {
        hasAgentDir: true,
        hasWebSearchProvider,
        ...media,
        ...(agentId === undefined ? {} : { agentId }),
        ...(provider === undefined ? {} : { provider }),
        ...(model === undefined ? {} : { model }),
        ...(sandboxed === undefined ? {} : { sandboxed }),
        // The tools that write are not there when the sandbox may only read the workspace.
        workspaceAccess: sandboxSettingsOf(config, normalizeAgentId(agentId)).workspaceAccess,
      }).map((tool) => [tool.name, tool.unavailable]),
    );
    const present = registry.registered().map((tool): RegisteredTool => {
      // What is not built stays so, whatever the config would say about it.
      const absence =
        tool.unavailable ??
        browserOff(tool.name, config) ??
        agentAbsence(tool.name, config, agentId, absences.get(tool.name));
      return absence === tool.unavailable ? tool : { ...tool, unavailable: absence };
    });
    if (byFacts.size > 256) byFacts.clear();
    byFacts.set(key, present);
    return present;
  };
}

/** OpenClaw lists a browser tool that is switched off, and its calls fail; here such a tool is not there. */
function browserOff(name: string, config: unknown): RegisteredTool["unavailable"] {
  return name === "browser" && getIn(config, "browser", "enabled") === false
    ? { reason: "disabled-in-config", params: { path: "browser.enabled" } }
    : undefined;
}

function cacheOf<V>(kept: WeakMap<object, Map<string, V>>, config: object): Map<string, V> {
  const found = kept.get(config) ?? new Map<string, V>();
  kept.set(config, found);
  return found;
}
