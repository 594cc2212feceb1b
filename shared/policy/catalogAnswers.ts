/** The answers of the catalog and effective methods (policy §1). */

import {
  catalogSections,
  catalogTools,
  findCatalogTool,
  type ToolProfileId,
  toolProfileIds,
  toolProfileLabels,
} from "./catalog.ts";
import { normalizeToolName } from "./names.ts";
import type { PolicyResult, RegisteredTool } from "./types.ts";

export interface CatalogAnswerTool {
  id: string;
  label: string;
  description: string;
  source: "core" | "plugin";
  pluginId?: string;
  optional?: boolean;
  defaultProfiles: ToolProfileId[];
}

export interface CatalogAnswer {
  agentId: string;
  profiles: { id: ToolProfileId; label: string }[];
  groups: {
    id: string;
    label: string;
    source: "core" | "plugin";
    pluginId?: string;
    tools: CatalogAnswerTool[];
  }[];
}

/** A plugin tool with what the catalog shows of it. */
export type DescribedTool = RegisteredTool & { description?: string };

/**
 * The whole catalog, whatever policy says.
 * @param tools registered tools; those of plugins are listed, except under names of the catalog
 */
export function catalogAnswer(
  agentId: string,
  tools: readonly DescribedTool[],
  { includePlugins = true }: { includePlugins?: boolean } = {},
): CatalogAnswer {
  const groups: CatalogAnswer["groups"] = catalogSections.map((section) => ({
    id: section.id,
    label: section.label,
    source: "core",
    tools: catalogTools
      .filter((tool) => tool.section === section.id)
      .map((tool) => ({
        id: tool.id,
        label: tool.id,
        description: tool.summary,
        source: "core",
        defaultProfiles: [...tool.profiles],
      })),
  }));
  return {
    agentId,
    profiles: toolProfileIds.map((id) => ({ id, label: toolProfileLabels.get(id) ?? id })),
    groups: includePlugins ? [...groups, ...pluginGroups(tools)] : groups,
  };
}

function pluginGroups(tools: readonly DescribedTool[]): CatalogAnswer["groups"] {
  const byPlugin = new Map<string, CatalogAnswerTool[]>();
  for (const tool of tools) {
    if (tool.owner.kind !== "plugin" || findCatalogTool(normalizeToolName(tool.name)) !== undefined) continue;
    const { pluginId } = tool.owner;
    const entry: CatalogAnswerTool = {
      id: tool.name,
      label: tool.name,
      description: tool.description ?? "",
      source: "plugin",
      pluginId,
      ...(tool.optional === true ? { optional: true } : {}),
      defaultProfiles: [],
    };
    byPlugin.set(pluginId, [...(byPlugin.get(pluginId) ?? []), entry]);
  }
  return [...byPlugin]
    .sort(([a], [b]) => compareText(a, b))
    .map(([pluginId, list]) => ({
      id: `plugin:${pluginId}`,
      label: pluginId,
      source: "plugin" as const,
      pluginId,
      tools: list.sort((a, b) => compareText(a.id, b.id)),
    }));
}

export interface EffectiveAnswer {
  agentId: string;
  profile: string;
  groups: { id: "core" | "plugin" | "channel"; label: string; tools: { id: string; label: string }[] }[];
}

const effectiveLabels = [
  { id: "core", label: "Built-in tools" },
  { id: "plugin", label: "Connected tools" },
  { id: "channel", label: "Channel tools" },
] as const;

/** The tools that survive for a session, by where they come from; empty groups are left out. */
export function effectiveAnswer(
  result: PolicyResult,
  tools: readonly RegisteredTool[],
  fallbackAgentId: string,
): EffectiveAnswer {
  const ownerOf = new Map(
    tools.map((tool) => [tool.name, tool.owner.kind === "mcp" ? "plugin" : tool.owner.kind]),
  );
  const groups = effectiveLabels.map(({ id, label }) => ({
    id,
    label,
    tools: result.tools
      .filter((name) => (ownerOf.get(name) ?? "core") === id)
      .sort(compareText)
      .map((name) => ({ id: name, label: name })),
  }));
  return {
    agentId: result.agentId ?? fallbackAgentId,
    profile: result.providerProfile ?? result.profile ?? "full",
    groups: groups.filter((group) => group.tools.length > 0),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
