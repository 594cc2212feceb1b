/** Whether an agent's own settings switch its memory on or off, over what holds for all. */

import { getIn } from "../../../shared/policy/configRecord.ts";
import {
  listKnownTools,
  normalizeAgentId,
  pathText,
  type RegisteredTool,
} from "../../../shared/policy/index.ts";
import { agentScopes } from "../../../shared/policy/scopes.ts";

type Absence = RegisteredTool["unavailable"];

const memoryTools: ReadonlySet<string> = new Set(["memory_search", "memory_get"]);

/** @param shared what the settings for all agents say about this tool */
export function agentAbsence(
  tool: string,
  config: unknown,
  agentId: string | undefined,
  shared: Absence,
): Absence {
  if (!memoryTools.has(tool)) return shared;
  const agent = agentScopes(config).get(normalizeAgentId(agentId));
  const own = getIn(agent?.entry, "memorySearch", "enabled");
  if (agent === undefined || typeof own !== "boolean") return shared;
  const path = ["agents", "list", agent.index, "memorySearch", "enabled"];
  // The plugin that brings the tools has no say per agent.
  const ofPlugin = listKnownTools({ plugins: getIn(config, "plugins") }, {}).find(
    ({ name }) => name === tool,
  );
  if (ofPlugin?.unavailable !== undefined) return ofPlugin.unavailable;
  return own ? undefined : { reason: "disabled-in-config", params: { path: pathText(path) } };
}
