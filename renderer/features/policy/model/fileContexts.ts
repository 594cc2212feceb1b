/** What the pickers of the context bar offer for a config that is not the saved one. Pure. */

import { recordEntries } from "../../../../shared/policy/configRecord.ts";
import { compilePolicy, defaultAgentId } from "../../../../shared/policy/index.ts";
import type { PanelOutput } from "../../../rpc/connection.ts";

/** @param config parsed, any shape; no sessions were seen with it */
export function contextsOfConfig(config: unknown): PanelOutput<"policy.contexts"> {
  const compiled = compilePolicy(config, { hardening: new Set() });
  const fallback = defaultAgentId(config);
  const ids = new Set([...compiled.agents.keys(), fallback]);
  const keys = new Set<string>();
  for (const scope of [compiled.global, ...[...compiled.agents.values()].map((agent) => agent.tools)])
    for (const key of scope.byProvider.keys()) keys.add(key);
  return {
    agents: [...ids].map((id) => ({ id, isDefault: id === fallback })),
    models: [...keys].sort().map((key) => {
      const slash = key.indexOf("/");
      return slash < 0
        ? { provider: key, model: null }
        : { provider: key.slice(0, slash), model: key.slice(slash + 1) };
    }),
    groups: recordEntries(compiled.config.channels).flatMap(([channel, entry]) =>
      recordEntries(entry.groups).map(([groupId]) => ({ channel, groupId })),
    ),
    seen: [],
  };
}
