/** Stage 8: the policy of sandboxed sessions, with its defaults and the report of where it comes from (policy §9). */

import { expandToolGroups } from "./catalog.ts";
import { getList, getRecord } from "./configRecord.ts";
import { builtInSources, compileList, type EntrySource, findHit, listSources } from "./lists.ts";
import { normalizeAgentId, normalizeToolName } from "./names.ts";
import { restrictRule, type StagePolicy } from "./pick.ts";
import { type AgentScope, agentScopes } from "./scopes.ts";
import type { ConfigPath, PolicyRule } from "./types.ts";

export const sandboxDefaultAllow: readonly string[] = [
  "exec",
  "process",
  "read",
  "write",
  "edit",
  "apply_patch",
  "image",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "sessions_spawn",
  "sessions_yield",
  "subagents",
  "session_status",
];

export const sandboxDefaultDeny: readonly string[] = [
  "browser",
  "canvas",
  "nodes",
  "cron",
  "gateway",
  "telegram",
  "whatsapp",
  "discord",
  "irc",
  "googlechat",
  "slack",
  "signal",
  "imessage",
  "line",
];

export interface ListSource {
  source: "agent" | "global" | "default";
  key: string;
}

interface ConfiguredList {
  value: readonly unknown[];
  path: ConfigPath;
  level: "agent" | "global";
}

type SandboxKey = "allow" | "alsoAllow" | "deny";

function configured(
  config: unknown,
  agent: AgentScope | undefined,
  key: SandboxKey,
): ConfiguredList | undefined {
  const own = getList(agent?.tools.record, "sandbox", "tools", key);
  if (agent !== undefined && own !== undefined) {
    return { value: own, path: [...agent.tools.path, "sandbox", "tools", key], level: "agent" };
  }
  const shared = getList(config, "tools", "sandbox", "tools", key);
  return shared === undefined
    ? undefined
    : { value: shared, path: ["tools", "sandbox", "tools", key], level: "global" };
}

interface SandboxLists {
  allow: EntrySource[];
  deny: EntrySource[];
  /** The list that restricts; null for the built-in one. */
  allowPath: ConfigPath | null;
  configPaths: ConfigPath[];
  /** Built-in deny names that a configured entry lifts. */
  lifted: readonly string[];
}

const noShadow: ReadonlySet<string> = new Set();

/** Every written deny list of the sandbox, the agent's first. */
function deniedAnywhere(config: unknown, agent: AgentScope | undefined): ConfiguredList[] {
  const own = configured(config, agent, "deny");
  const shared = own?.level === "agent" ? configured(config, undefined, "deny") : undefined;
  return [own, shared].filter((list) => list !== undefined);
}

interface SandboxOptions {
  /** policy.sandboxDenyAdds: written deny lists add to each other and to the built-in one. */
  denyAdds: boolean;
}

function resolveLists(
  config: unknown,
  agent: AgentScope | undefined,
  { denyAdds }: SandboxOptions,
): SandboxLists {
  const allow = configured(config, agent, "allow");
  const also = configured(config, agent, "alsoAllow");
  const deny = denyAdds ? deniedAnywhere(config, agent) : deniedAnywhere(config, agent).slice(0, 1);
  const sourcesOf = (list: ConfiguredList | undefined, key: SandboxKey) =>
    list === undefined ? [] : listSources(list.value, key, list.path);
  const ownAllow = sourcesOf(allow, "allow");
  const ownAlso = sourcesOf(also, "alsoAllow");
  const allowSources =
    allow === undefined
      ? [...builtInSources(sandboxDefaultAllow, "default", { code: "default-list" }), ...ownAlso]
      : allow.value.length === 0
        ? []
        : [...ownAllow, ...ownAlso];
  // An entry that somebody wrote lifts what it matches, groups and patterns included.
  const lifting = compileList("sandbox", "allows", [...ownAllow, ...ownAlso]);
  const lifted = sandboxDefaultDeny.filter((name) => findHit(lifting, name, undefined, noShadow) !== -1);
  const hasDefaultDeny = denyAdds || deny.length === 0;
  const kept = hasDefaultDeny ? sandboxDefaultDeny.filter((name) => !lifted.includes(name)) : [];
  const denySources = [
    ...deny.flatMap((list) => sourcesOf(list, "deny")),
    ...builtInSources(kept, "default", { code: "sandbox-default-deny" }),
  ];
  if (allowSources.some(isWritten) && !namesImage([...allowSources, ...denySources])) {
    allowSources.push(...builtInSources(["image"], "default", { code: "default-list" }));
  }
  return {
    allow: allowSources,
    deny: denySources,
    allowPath: allow?.path ?? null,
    configPaths: [allow, also, ...deny].flatMap((list) => (list === undefined ? [] : [list.path])),
    lifted: hasDefaultDeny ? lifted : [],
  };
}

function isWritten(source: EntrySource): boolean {
  return source.raw.trim() !== "";
}

function namesImage(sources: readonly EntrySource[]): boolean {
  return expandToolGroups(
    sources.map((source) => source.raw),
    normalizeToolName,
  ).includes("image");
}

/** The sandbox stage of an agent. It never drops its list and never warns. */
export function sandboxStage(
  config: unknown,
  agent: AgentScope | undefined,
  options: SandboxOptions,
): StagePolicy {
  const lists = resolveLists(config, agent, options);
  const losers: PolicyRule[] = compileList(
    "sandbox",
    "denies",
    builtInSources(lists.lifted, "default", { code: "sandbox-default-deny" }),
  ).entries.map((entry) => ({ ...entry.rule, lostTo: { ruleId: null, why: { code: "lifted-by-allow" } } }));
  return {
    column: "sandbox",
    label: "sandbox tools.allow",
    allow: compileList("sandbox", "allows", lists.allow),
    restricts: restrictRule(
      "sandbox",
      lists.allowPath,
      lists.allowPath === null ? "default-list" : "list-restricts",
    ),
    deny: compileList("sandbox", "denies", lists.deny),
    strips: false,
    quietWhenGated: false,
    configPaths: lists.configPaths,
    losers,
  };
}

export interface SandboxPolicyReport {
  allow: string[];
  deny: string[];
  allowSource: ListSource;
  denySource: ListSource;
}

/** The expanded lists of an agent's sandbox as OpenClaw has them, and where each comes from. */
export function resolveSandboxPolicy(config: unknown, agentId: string): SandboxPolicyReport {
  const agent = agentScopes(config).get(normalizeAgentId(agentId));
  const lists = resolveLists(config, agent, { denyAdds: false });
  const expand = (sources: readonly EntrySource[]) =>
    expandToolGroups(
      sources.map((source) => source.raw),
      normalizeToolName,
    );
  const agentLists = getRecord(agent?.tools.record, "sandbox", "tools");
  const globalLists = getRecord(config, "tools", "sandbox", "tools");
  const sourceOf = (keys: readonly SandboxKey[]): ListSource => {
    for (const key of keys) {
      if (getList(agentLists, key) !== undefined) {
        return { source: "agent", key: `agents.list[].tools.sandbox.tools.${key}` };
      }
    }
    for (const key of keys) {
      if (getList(globalLists, key) !== undefined)
        return { source: "global", key: `tools.sandbox.tools.${key}` };
    }
    return { source: "default", key: `tools.sandbox.tools.${keys[0] ?? "allow"}` };
  };
  return {
    allow: expand(lists.allow),
    deny: expand(lists.deny),
    allowSource: sourceOf(["allow", "alsoAllow"]),
    denySource: sourceOf(["deny"]),
  };
}
