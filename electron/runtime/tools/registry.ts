/** The tools that run here, and for policy: every tool of the catalog, present or absent with the reason. */

import type { RegisteredTool } from "../../../shared/policy/index.ts";
import { catalogSections, listKnownTools } from "../../../shared/policy/index.ts";
import type { ToolDefinition } from "./defineTool.ts";

type Absence = { reason: string; params?: Record<string, string> };

export interface ToolRegistry {
  /** Definitions that can be executed, by name. */
  get(name: string): ToolDefinition | undefined;
  all(): ToolDefinition[];
  /**
   * For the pipeline, in run-time order (policy.md §12): core tools, then the others in registration order, then those
   * of sources. The same array as long as nothing changed: the engine is fast for an array that it has seen.
   */
  registered(): readonly RegisteredTool[];
}

/** Tools that come and go while the app runs. */
export interface ToolSource {
  /** Grows with every change. */
  revision(): number;
  /** @returns tools in order; `unavailable` ones are known and cannot be called now */
  tools(): readonly { tool: ToolDefinition; unavailable?: Absence }[];
}

/**
 * @param tools built-in tools and extra ones (plugins, fixtures); a name given twice is refused
 * @param unavailable why a tool that is built in cannot be offered now, by name
 * @param sources their tools follow; a name that is taken already is left out
 */
export function createToolRegistry(
  tools: readonly ToolDefinition[],
  unavailable: ReadonlyMap<string, Absence> = new Map(),
  sources: readonly ToolSource[] = [],
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
    .map(
      ({ name, owner }): Pick<RegisteredTool, "name" | "owner"> => ({
        name,
        owner: owner ?? { kind: "core" },
      }),
    );
  // Core tools come before those of plugins, in any order of registration.
  const core = known.filter((tool) => tool.owner.kind !== "plugin");
  const plugins = known.filter((tool) => tool.owner.kind === "plugin");
  const fixed = [...core, ...others, ...plugins].map(({ name, owner }) =>
    registeredTool(name, owner, byName.get(name)?.ownerOnly, absent(name)),
  );
  const fixedNames = new Set([...fixed.map((tool) => tool.name), ...byName.keys()]);

  const readSources = () => {
    const present = new Map<string, ToolDefinition>();
    const listed = new Map<string, RegisteredTool>();
    for (const { tool, unavailable: why } of sources.flatMap((source) => source.tools())) {
      const { name } = tool;
      if (fixedNames.has(name) || listed.has(name)) continue;
      listed.set(name, registeredTool(name, tool.owner ?? { kind: "core" }, tool.ownerOnly, why));
      if (why === undefined) present.set(name, tool);
    }
    const registered = listed.size === 0 ? fixed : [...fixed, ...listed.values()];
    return { revisions: revisionsNow(), present, registered };
  };
  const revisionsNow = () => sources.map((source) => source.revision()).join(" ");
  let fromSources = readSources();
  const current = () => {
    if (fromSources.revisions !== revisionsNow()) fromSources = readSources();
    return fromSources;
  };

  return {
    get: (name) =>
      byName.has(name)
        ? absent(name) === undefined
          ? byName.get(name)
          : undefined
        : current().present.get(name),
    all: () => [...byName.values(), ...current().present.values()],
    registered: () => current().registered,
  };
}

function registeredTool(
  name: string,
  owner: RegisteredTool["owner"],
  ownerOnly: boolean | undefined,
  missing: Absence | undefined,
): RegisteredTool {
  return {
    name,
    owner,
    ...(ownerOnly === undefined ? {} : { ownerOnly }),
    ...(missing === undefined ? {} : { unavailable: missing }),
  };
}

/** @returns label of a catalog section, for views that group tools */
export function sectionLabel(id: string): string {
  return catalogSections.find((section) => section.id === id)?.label ?? id;
}
