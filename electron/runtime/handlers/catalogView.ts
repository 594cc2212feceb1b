/** The catalog for people: every section and tool, present or absent with the reason. */

import type { CatalogTool } from "../../../shared/contract/index.ts";
import {
  catalogSections,
  findCatalogTool,
  type RegisteredTool,
  sectionOfTool,
} from "../../../shared/policy/index.ts";
import { inputJsonSchema } from "../tools/defineTool.ts";
import { sectionLabel, type ToolRegistry } from "../tools/registry.ts";

interface Section {
  id: string;
  label: string;
  tools: CatalogTool[];
}

/**
 * @param present as policy sees them: a tool without its key is absent
 * @returns catalog sections in order, then those of tools outside the catalog
 */
export function catalogView(registry: ToolRegistry, present: readonly RegisteredTool[]): Section[] {
  const sections = new Map<string, Section>(
    catalogSections.map(({ id, label }) => [id, { id, label, tools: [] }]),
  );
  for (const { name, owner, unavailable } of present) {
    const pluginId =
      owner.kind === "plugin" ? owner.pluginId : owner.kind === "mcp" ? owner.serverId : undefined;
    const id = sectionOfTool(name, pluginId);
    const section = sections.get(id) ?? { id, label: sectionLabel(id), tools: [] };
    sections.set(id, section);
    const tool = registry.get(name);
    const summary = findCatalogTool(name)?.summary ?? "";
    section.tools.push({
      name,
      section: id,
      title: tool?.title ?? name,
      description: tool?.description ?? summary,
      promptLine: tool?.promptLine ?? summary,
      inputSchema: tool === undefined ? {} : inputJsonSchema(tool),
      risk: tool?.risk ?? null,
      presence:
        unavailable === undefined
          ? { kind: "registered" }
          : {
              kind: "absent",
              reason: { code: `absent.${unavailable.reason}`, params: unavailable.params ?? {} },
            },
    });
  }
  return [...sections.values()].filter((section) => section.tools.length > 0);
}
