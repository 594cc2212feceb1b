/** Edits that let a tool come into being that the config keeps from it. Whether one is enough is evaluated, not assumed. */

import type { CompiledPolicy } from "../compile.ts";
import { asRecord, getList, parsePathText, valueAt } from "../configRecord.ts";
import { resolveAgentId } from "../sessionKeys.ts";
import type { ConfigEdit, ConfigPath, PolicyContext, RegisteredTool } from "../types.ts";

type Absence = NonNullable<RegisteredTool["unavailable"]>;

/**
 * @param absence why the tool is missing now; behind it others may wait, which show once this one is mended
 * @returns alternatives; none when keys, models or the machine are what is missing
 */
export function availabilityMoves(
  { config, agents }: CompiledPolicy,
  context: PolicyContext,
  absence: Absence,
): ConfigEdit[][] {
  const path = parsePathText(absence.params?.path ?? "");
  const pluginId = absence.params?.pluginId;
  switch (absence.reason) {
    case "plugins-disabled":
      return [[{ op: "set", path: ["plugins", "enabled"], value: true }]];
    case "plugin-disabled":
      return path === undefined ? [] : [[{ op: "set", path: [...path], value: true }]];
    case "plugin-denied":
      return [withoutEntry(config, ["plugins", "deny"], pluginId)];
    case "plugin-not-allowed": {
      const length = getList(config, "plugins", "allow")?.length ?? 0;
      return pluginId === undefined
        ? []
        : [[{ op: "insert", path: ["plugins", "allow", length], value: pluginId }]];
    }
    case "memory-slot-none":
      return [[{ op: "set", path: ["plugins", "slots", "memory"], value: "memory-core" }]];
    case "model-not-listed":
      return path === undefined ? [] : modelMoves(config, context, path);
    case "disabled-in-config": {
      if (path === undefined) return [];
      const id = resolveAgentId(context.agentId, context.sessionKey);
      const agent = id === undefined ? undefined : agents.get(id);
      const own = agent === undefined ? undefined : ownSwitch(config, ["agents", "list", agent.index], path);
      return [...(own === undefined ? [] : [[own]]), [{ op: "set", path: [...path], value: true }]];
    }
    default:
      return [];
  }
}

/** Where an agent can have a switch of its own over the one for all. */
function ownSwitch(config: unknown, agent: ConfigPath, path: ConfigPath): ConfigEdit | undefined {
  const [first, second, ...rest] = path;
  if (first === "agents" && second === "defaults" && rest[0] === "memorySearch")
    return { op: "set", path: [...agent, ...rest], value: true };
  if (first === "tools" && second === "exec" && rest[0] === "applyPatch") {
    // The agent's block takes the place of the global one, so it starts as its copy.
    const shared = asRecord(valueAt(config, ["tools", "exec", "applyPatch"])) ?? {};
    const value = { ...shared, enabled: true };
    return { op: "set", path: [...agent, "tools", "exec", "applyPatch"], value };
  }
  return undefined;
}

/** The last first, so that earlier positions stay what they are. */
function withoutEntry(config: unknown, path: readonly string[], entry: string | undefined): ConfigEdit[] {
  const list = getList(config, ...path) ?? [];
  return list
    .flatMap((item, index): ConfigEdit[] =>
      item === entry ? [{ op: "remove", path: [...path, index] }] : [],
    )
    .toReversed();
}

function modelMoves(config: unknown, { provider, model }: PolicyContext, path: ConfigPath): ConfigEdit[][] {
  const list = valueAt(config, path);
  if (!Array.isArray(list) || provider === undefined || model === undefined) return [];
  const value = `${provider.trim()}/${model.trim()}`;
  return [[{ op: "insert", path: [...path, list.length], value }]];
}
