/** The tools that run here, and for policy: every tool of the catalog, present or absent with the reason. */

import type { RegisteredTool } from "../../../shared/policy/index.ts";
import { catalogSections, catalogTools, runtimeCoreTools } from "../../../shared/policy/index.ts";
import type { ToolDefinition } from "./defineTool.ts";

export interface ToolRegistry {
  /** Definitions that can be executed, by name. */
  get(name: string): ToolDefinition | undefined;
  all(): ToolDefinition[];
  /** For the pipeline, in run-time order (policy.md §12): core tools, then the others in registration order. */
  registered(): RegisteredTool[];
}

/**
 * @param tools built-in tools and extra ones (plugins, fixtures); a name given twice is refused
 * @param unavailable why a tool that is built in cannot be offered now, by name
 */
export function createToolRegistry(
  tools: readonly ToolDefinition[],
  unavailable: ReadonlyMap<string, { reason: string; params?: Record<string, string> }> = new Map(),
): ToolRegistry {
  const byName = new Map<string, ToolDefinition>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`Tool ${tool.name} is registered twice`);
    byName.set(tool.name, tool);
  }
  const catalogNames = new Set(catalogTools.map((tool) => tool.id));
  const coreNames = new Set(runtimeCoreTools);
  const absent = (name: string) =>
    unavailable.get(name) ?? (byName.has(name) ? undefined : { reason: "notBuilt" });

  const entry = (name: string, owner: RegisteredTool["owner"]): RegisteredTool => {
    const missing = absent(name);
    const ownerOnly = byName.get(name)?.ownerOnly;
    return {
      name,
      owner,
      ...(ownerOnly === undefined ? {} : { ownerOnly }),
      ...(missing === undefined ? {} : { unavailable: missing }),
    };
  };
  const registered: RegisteredTool[] = [
    ...runtimeCoreTools.map((name) => entry(name, { kind: "core" })),
    ...catalogTools
      .filter((tool) => !coreNames.has(tool.id))
      .map((tool) => entry(tool.id, { kind: "plugin", pluginId: tool.pluginId ?? tool.id })),
    ...tools
      .filter((tool) => !catalogNames.has(tool.name) && !coreNames.has(tool.name))
      .map((tool) => entry(tool.name, { kind: "core" })),
  ];

  return {
    get: (name) => (absent(name) === undefined ? byName.get(name) : undefined),
    all: () => [...byName.values()],
    registered: () => registered,
  };
}

/** @returns label of a catalog section, for views that group tools */
export function sectionLabel(id: string): string {
  return catalogSections.find((section) => section.id === id)?.label ?? id;
}
