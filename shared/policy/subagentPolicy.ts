/** Stage 9: what sub-agent sessions lose, by their role (policy §9). */

import { getIn, getList } from "./configRecord.ts";
import { builtInSources, compileList, type EntrySource, listSources } from "./lists.ts";
import { normalizeToolName } from "./names.ts";
import { restrictRule, type StagePolicy } from "./pick.ts";
import { isSubagentSessionKey, subagentDepthOfKey } from "./sessionKeys.ts";
import type { PolicyContext } from "./types.ts";

export type SubagentRole = "main" | "orchestrator" | "leaf";

const alwaysDenied: readonly string[] = [
  "gateway",
  "agents_list",
  "whatsapp_login",
  "session_status",
  "cron",
  "sessions_send",
];
const leafDenied: readonly string[] = ["subagents", "sessions_list", "sessions_history", "sessions_spawn"];

const listsPath = ["tools", "subagents", "tools"] as const;

/** How deep sub-agents may spawn: at least 1, whole numbers only. */
export function maxSpawnDepth(config: unknown): number {
  const value = getIn(config, "agents", "defaults", "subagents", "maxSpawnDepth");
  return typeof value === "number" && Number.isFinite(value) ? Math.max(1, Math.floor(value)) : 1;
}

/** Role by depth: 0 is main, below the limit an orchestrator, else a leaf. */
export function roleOfDepth(depth: number, maxDepth: number): SubagentRole {
  if (depth <= 0) return "main";
  return depth < maxDepth ? "orchestrator" : "leaf";
}

/** The role for which stage 9 applies; undefined when the session is no sub-agent. */
export function subagentRoleOf(
  config: unknown,
  context: PolicyContext,
  options: { httpCountsKey: boolean },
): SubagentRole | undefined {
  const depthGiven = context.spawnDepth ?? context.subagentDepth;
  if (!isSubagentSessionKey(context.sessionKey) && !(depthGiven !== undefined && depthGiven >= 1))
    return undefined;
  const maxDepth = maxSpawnDepth(config);
  if (context.surface === "http") {
    const known = httpDepth(depthGiven);
    // A key without `:subagent:` inside, such as `subagent:x`, shows no depth: it must not make the session a main one.
    const depth = options.httpCountsKey ? Math.max(known, subagentDepthOfKey(context.sessionKey)) : known;
    return roleOfHttpDepth(depth, maxDepth);
  }
  return context.subagentRole ?? roleOfDepth(depthGiven ?? subagentDepthOfKey(context.sessionKey), maxDepth);
}

/** HTTP looks at depth alone: unknown or negative counts as 1. */
function httpDepth(depth: number | undefined): number {
  return depth === undefined || !Number.isFinite(depth) || depth < 0 ? 1 : depth;
}

function roleOfHttpDepth(depth: number, maxDepth: number): SubagentRole {
  return depth >= maxDepth ? "leaf" : "orchestrator";
}

interface SubagentLists {
  allow: EntrySource[] | undefined;
  deny: EntrySource[];
}

function resolveLists(config: unknown, leaf: boolean): SubagentLists {
  const sourcesOf = (key: "allow" | "alsoAllow" | "deny") => {
    const list = getList(config, ...listsPath, key);
    return list === undefined ? undefined : listSources(list, key, [...listsPath, key]);
  };
  const allow = sourcesOf("allow");
  const also = sourcesOf("alsoAllow");
  const lifted = new Set([...(allow ?? []), ...(also ?? [])].map((source) => normalizeToolName(source.raw)));
  const keep = (names: readonly string[]) => names.filter((name) => !lifted.has(name));
  return {
    allow: allow === undefined ? undefined : [...allow, ...(also ?? [])],
    deny: [
      ...builtInSources(keep(alwaysDenied), "default", { code: "subagent-always-denied" }),
      ...(leaf ? builtInSources(keep(leafDenied), "default", { code: "subagent-leaf-denied" }) : []),
      ...(sourcesOf("deny") ?? []),
    ],
  };
}

/** The sub-agent stage. It never drops its list and never warns. */
export function subagentStage(config: unknown, role: SubagentRole): StagePolicy {
  const lists = resolveLists(config, role === "leaf");
  const configPaths = (["allow", "alsoAllow", "deny"] as const)
    .filter((key) => getList(config, ...listsPath, key) !== undefined)
    .map((key) => [...listsPath, key]);
  return {
    column: "subagent",
    label: "subagent tools.allow",
    ...(lists.allow === undefined
      ? {}
      : {
          allow: compileList("subagent", "allows", lists.allow),
          restricts: restrictRule("subagent", [...listsPath, "allow"], "list-restricts"),
        }),
    deny: compileList("subagent", "denies", lists.deny),
    strips: false,
    quietWhenGated: false,
    configPaths,
    losers: [],
  };
}

/**
 * The lists of a sub-agent session by depth, as the depth-only surfaces see them.
 * @param depth null when not known
 * @returns entries as written; `allow` is null when nothing restricts
 */
export function resolveSubagentPolicy(
  config: unknown,
  depth: number | null,
): { allow: string[] | null; deny: string[] } {
  const role = roleOfHttpDepth(httpDepth(depth ?? undefined), maxSpawnDepth(config));
  const lists = resolveLists(config, role === "leaf");
  const unique = (sources: readonly EntrySource[]) => [...new Set(sources.map((source) => source.raw))];
  return {
    allow: lists.allow === undefined ? null : unique(lists.allow),
    deny: lists.deny.map((source) => source.raw),
  };
}
