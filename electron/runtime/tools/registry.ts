/** The tools that run here, and for policy: every tool of the catalog, present or absent with the reason. */

import type { RegisteredTool } from "../../../shared/policy/index.ts";
import { catalogSections, listKnownTools } from "../../../shared/policy/index.ts";
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
  const absent = (name: string) =>
    unavailable.get(name) ?? (byName.has(name) ? undefined : { reason: "not-built" });
  // Names and order of the reference; whether a tool is there is known here, not from the config.
  const known = listKnownTools({}, {}).map(({ name, owner }) => ({ name, owner }));
  const knownNames = new Set(known.map((tool) => tool.name));
  const others = tools
    .filter((tool) => !knownNames.has(tool.name))
    .map((tool): Pick<RegisteredTool, "name" | "owner"> => ({ name: tool.name, owner: { kind: "core" } }));
  // Core tools come before those of plugins, in any order of registration.
  const core = known.filter((tool) => tool.owner.kind !== "plugin");
  const plugins = known.filter((tool) => tool.owner.kind === "plugin");
  const registered = [...core, ...others, ...plugins].map(({ name, owner }): RegisteredTool => {
    const missing = absent(name);
    const ownerOnly = byName.get(name)?.ownerOnly;
    return {
      name,
      owner,
      ...(ownerOnly === undefined ? {} : { ownerOnly }),
      ...(missing === undefined ? {} : { unavailable: missing }),
    };
  });

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
