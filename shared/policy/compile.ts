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
  readonly stages: Map<string, CompiledStage>;
  /** Those of an earlier compilation: a stage whose parts of the config are the same objects is taken over. */
  readonly earlierStages: ReadonlyMap<string, CompiledStage>;
}

export interface CompiledStage {
  /** What the stage was made from; the key of the map says the rest. */
  parts: readonly unknown[];
  /** undefined: the stage is skipped. */
  policy: StagePolicy | undefined;
}

const policySections = ["tools", "agents", "channels", "gateway", "plugins", "auth", "session"] as const;

const noStages: ReadonlyMap<string, CompiledStage> = new Map();

/**
 * Compiles a config. Lenient: values of wrong types count as absent (validation reports them).
 * @param config the parsed config, of any shape
 * @param earlier a compilation with the same hardening; what an edit of its snapshot left alone is not compiled again
 */
export function compilePolicy(
  config: unknown,
  { hardening, earlier }: { hardening: Hardening; earlier?: CompiledPolicy },
): CompiledPolicy {
  const basis = earlier?.hardening === hardening ? earlier : undefined;
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
    httpDeny:
      basis !== undefined && basis.config.gateway === copy.gateway
        ? basis.httpDeny
        : httpDenyPolicy(copy, hardening.has("policy.httpListsNormalised")),
    stages: new Map(),
    earlierStages: basis?.stages ?? noStages,
  };
}
