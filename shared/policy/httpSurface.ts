/** What may be called over HTTP `POST /tools/invoke`: the deny set behind the pipeline (policy §15). */

import type { HttpThreat } from "./codes.ts";
import { getList, pathText } from "./configRecord.ts";
import { type CompiledList, compileList, findHit, listSources } from "./lists.ts";
import type { ToolSlot } from "./toolIndex.ts";
import type { PolicyRule, Reason } from "./types.ts";

/** The default deny list with the class of harm of each name. */
export const httpDefaultDeny: ReadonlyMap<string, HttpThreat> = new Map<string, HttpThreat>([
  ["exec", "remote-code-execution"],
  ["spawn", "remote-code-execution"],
  ["shell", "remote-code-execution"],
  ["fs_write", "host-file-change"],
  ["fs_delete", "host-file-change"],
  ["fs_move", "host-file-change"],
  ["apply_patch", "host-file-change"],
  ["sessions_spawn", "persistence-and-reach"],
  ["sessions_send", "persistence-and-reach"],
  ["cron", "persistence-and-reach"],
  ["gateway", "persistence-and-reach"],
  ["nodes", "persistence-and-reach"],
  ["whatsapp_login", "interactive-only"],
]);

export interface HttpDenyHit {
  reason: Reason;
  rule: PolicyRule;
}

export interface HttpDenyPolicy {
  /** @returns why the tool is not reachable, or undefined */
  denies(slot: ToolSlot): HttpDenyHit | undefined;
  rules: readonly PolicyRule[];
}

const noShadow: ReadonlySet<string> = new Set();

/**
 * The deny set of the surface: the defaults minus `gateway.tools.allow`, plus `gateway.tools.deny`, which wins.
 * @param normalised policy.httpListsNormalised: deny entries work as everywhere else
 */
export function httpDenyPolicy(config: unknown, normalised: boolean): HttpDenyPolicy {
  const denyPath = ["gateway", "tools", "deny"] as const;
  const sources = listSources(getList(config, ...denyPath) ?? [], "deny", denyPath);
  const lifted = new Set(
    (getList(config, "gateway", "tools", "allow") ?? []).filter((name) => typeof name === "string"),
  );
  const compiled: CompiledList = compileList("http", "denies", sources);
  const exact = new Map<string, PolicyRule>();
  for (const source of sources) {
    const position = source.path?.at(-1);
    const rule = compiled.entries.find((entry) => entry.rule.configPath?.at(-1) === position)?.rule;
    if (rule !== undefined && !exact.has(source.raw)) exact.set(source.raw, rule);
  }
  const defaults = new Map<string, HttpDenyHit>();
  const losers: PolicyRule[] = [];
  for (const [name, threat] of httpDefaultDeny) {
    const reason: Reason = { code: "http-default-deny", params: { threat } };
    const rule: PolicyRule = {
      id: `http:default:${name}`,
      column: "http",
      list: "default",
      configPath: null,
      path: "default",
      entry: name,
      effect: "denies",
      why: reason,
    };
    if (lifted.has(name))
      losers.push({ ...rule, lostTo: { ruleId: null, why: { code: "lifted-by-allow" } } });
    else defaults.set(name, { reason, rule });
  }
  const configuredHit = (slot: ToolSlot): PolicyRule | undefined => {
    if (!normalised) return exact.get(slot.name);
    const hit = findHit(compiled, slot.normalized, slot.pluginId, noShadow);
    return hit === -1 ? exact.get(slot.name) : compiled.entries[hit]?.rule;
  };
  return {
    denies(slot) {
      const rule = configuredHit(slot);
      if (rule !== undefined) return { rule, reason: { code: "http-denied", params: { entry: rule.entry } } };
      return defaults.get(slot.name) ?? (normalised ? defaults.get(slot.normalized) : undefined);
    },
    rules: [
      ...compiled.entries.map((entry) => entry.rule),
      ...[...defaults.values()].map((hit) => hit.rule),
      ...losers,
    ],
  };
}

export interface HttpAuditFinding {
  id: "gateway.tools_invoke_http.dangerous_allow";
  severity: "warn" | "critical";
  names: string[];
  path: string;
}

/** The audit's word on `gateway.tools.allow`: default-denied names in it, compared trimmed and lower-cased. */
export function auditHttpAllow(
  config: unknown,
  exposedBeyondLoopback: boolean,
): HttpAuditFinding | undefined {
  const names = (getList(config, "gateway", "tools", "allow") ?? [])
    .filter((name) => typeof name === "string")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => httpDefaultDeny.has(name));
  if (names.length === 0) return undefined;
  return {
    id: "gateway.tools_invoke_http.dangerous_allow",
    severity: exposedBeyondLoopback ? "critical" : "warn",
    names: [...new Set(names)],
    path: pathText(["gateway", "tools", "allow"]),
  };
}
