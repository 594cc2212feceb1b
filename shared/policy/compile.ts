/** Compiles the policy part of a config once, so that many contexts can be evaluated against it. */

import type { Hardening } from "../hardening/rules.ts";
import { type ConfigRecord, getIn, getRecord, snapshotConfig } from "./configRecord.ts";
import { type HttpDenyPolicy, httpDenyPolicy } from "./httpSurface.ts";
import type { StagePolicy } from "./pick.ts";
import { type AgentScope, agentScopes, type ToolsScope, toolsScope } from "./scopes.ts";

/** Everything the engine needs of one config revision. Opaque to callers; not for the wire. */
export interface CompiledPolicy {
  /** Frozen copy of the config; later changes of the original have no effect. */
  readonly config: ConfigRecord;
  readonly hardening: Hardening;
  readonly strictLists: boolean;
  readonly pluginsEnabled: boolean;
  readonly global: ToolsScope;
  readonly agents: ReadonlyMap<string, AgentScope>;
  readonly httpDeny: HttpDenyPolicy;
  /** Stage policies by place and column, compiled when first needed. */
  readonly stages: Map<string, StagePolicy | undefined>;
}

const policySections = ["tools", "agents", "channels", "gateway", "plugins", "auth", "session"] as const;

/**
 * Compiles a config. Lenient: values of wrong types count as absent (validation reports them).
 * @param config the parsed config, of any shape
 */
export function compilePolicy(config: unknown, { hardening }: { hardening: Hardening }): CompiledPolicy {
  const sections: Record<string, unknown> = {};
  for (const section of policySections) {
    const value = getIn(config, section);
    if (value !== undefined) sections[section] = value;
  }
  const copy: ConfigRecord = getRecord(snapshotConfig({ sections }), "sections") ?? {};
  return {
    config: copy,
    hardening,
    strictLists: hardening.has("policy.strictLists"),
    pluginsEnabled: getIn(copy, "plugins", "enabled") !== false,
    global: toolsScope(copy.tools, ["tools"]),
    agents: agentScopes(copy),
    httpDeny: httpDenyPolicy(copy, hardening.has("policy.httpListsNormalised")),
    stages: new Map(),
  };
}
