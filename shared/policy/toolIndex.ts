/** A list of tools prepared for questions: normalised names, owners and what enters the pipeline in a situation. */

import { sectionOfTool } from "./catalog.ts";
import type { PreFilterId } from "./codes.ts";
import { normalizeToolName } from "./names.ts";
import type { Reason, RegisteredTool } from "./types.ts";

/** One tool of the list; its position is its slot. */
export interface ToolSlot {
  tool: RegisteredTool;
  /** As registered; results use this spelling. */
  name: string;
  normalized: string;
  /** Normalised id of the owning plugin, or of the MCP server. */
  pluginId: string | undefined;
  /** Section for views. */
  section: string;
}

export interface ToolIndex {
  slots: readonly ToolSlot[];
  hasOptional: boolean;
  /** Filled by `enterPipeline`: the same situation is worked out once. */
  entering: Map<string, EnteringTools>;
}

export interface PreFilterOutcome {
  filter: PreFilterId;
  removed: string[];
}

/** Which tools enter stage 1, and the names the strip rule works with (policy §8, §10). */
export interface EnteringTools {
  index: ToolIndex;
  /** Slots in input order. */
  slots: readonly number[];
  /** Slots that pass beside the pipeline and are put behind its result. */
  appended: readonly number[];
  preFilters: readonly PreFilterOutcome[];
  coreNames: ReadonlySet<string>;
  pluginIds: ReadonlySet<string>;
  pluginToolNames: ReadonlySet<string>;
  /** Loaded plugin ids that are also the name of a tool of somebody else. */
  shadowed: ReadonlySet<string>;
  /** Slots of servers whose id is also the name of a tool or plugin: allow entries of that name are not theirs. */
  idNotMatched: ReadonlySet<number>;
  /** Per slot and pre-filter: why it is out. For the trace. */
  reasons: ReadonlyMap<PreFilterId, ReadonlyMap<number, Reason>>;
}

const indexes = new WeakMap<readonly RegisteredTool[], ToolIndex>();

/** Prepares a list of tools. The same array is prepared once; a changed array is noticed. */
export function indexTools(tools: readonly RegisteredTool[]): ToolIndex {
  const known = indexes.get(tools);
  if (known !== undefined && isSame(known, tools)) return known;
  const slots = tools.map((tool): ToolSlot => {
    const owner = tool.owner;
    const pluginId =
      owner.kind === "plugin" ? owner.pluginId : owner.kind === "mcp" ? owner.serverId : undefined;
    const normalized = normalizeToolName(tool.name);
    return {
      tool,
      name: tool.name,
      normalized,
      pluginId: pluginId === undefined ? undefined : normalizeToolName(pluginId),
      section: sectionOfTool(normalized, pluginId),
    };
  });
  const index: ToolIndex = {
    slots,
    hasOptional: tools.some((tool) => tool.optional === true),
    entering: new Map(),
  };
  indexes.set(tools, index);
  return index;
}

function isSame(index: ToolIndex, tools: readonly RegisteredTool[]): boolean {
  if (index.slots.length !== tools.length) return false;
  for (let i = 0; i < tools.length; i += 1) if (index.slots[i]?.tool !== tools[i]) return false;
  return true;
}
