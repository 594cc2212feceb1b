/** Turns a config object `{allow, alsoAllow, deny}` into the policy of one stage (policy §4). */

import type { ColumnId } from "./codes.ts";
import type { ConfigRecord } from "./configRecord.ts";
import { pathText } from "./configRecord.ts";
import { type CompiledList, compileList, type EntrySource, joinLists, listSources, ruleId } from "./lists.ts";
import type { ConfigPath, PolicyRule, Reason } from "./types.ts";

/** What one stage does: deny first, then allow. */
export interface StagePolicy {
  column: ColumnId;
  label: string;
  /** Absent, or without entries: no restriction. */
  allow?: CompiledList;
  deny?: CompiledList;
  /** Stands for the allow list as a whole: the reason when a tool is not on it. */
  restricts?: PolicyRule;
  /** Stages 1–7 drop an allow list that names no core tool. */
  strips: boolean;
  /** Profile stages without extra entries do not warn about tools that are merely not there. */
  quietWhenGated: boolean;
  /** The profile word, for stages 1 and 2. */
  profile?: string;
  /** Places in the config that make up this stage. */
  configPaths: readonly ConfigPath[];
  /** Rules that are written down but do not count, with what beat them. */
  losers: readonly PolicyRule[];
  /** Two policies that stand at this place together: a tool has to pass both. The lists above are theirs, joined. */
  both?: readonly [StagePolicy, StagePolicy];
  /** Its allow entries only limit: they bring no optional tool into being. */
  limitsOnly?: boolean;
}

/** The allow list of a scope as written, before it is compiled for a stage. */
export interface PickedLists {
  allow?: readonly EntrySource[];
  /** Path of the list that restricts: allow if there is one, else alsoAllow. */
  allowPath?: ConfigPath;
  deny?: readonly EntrySource[];
  configPaths: readonly ConfigPath[];
}

const starForAlsoAllow: Reason = { code: "also-allow-star" };

/**
 * Picks the lists of a config object. A list that is not an array is ignored; alsoAllow alone becomes `*` plus its
 * entries; an empty allow with a non-empty alsoAllow likewise.
 * @returns undefined when the stage is skipped
 */
export function pickLists(scope: ConfigRecord | undefined, path: ConfigPath): PickedLists | undefined {
  if (scope === undefined) return undefined;
  const picked: { -readonly [K in keyof PickedLists]: PickedLists[K] } = { configPaths: [] };
  const configPaths: ConfigPath[] = [];
  const allow: unknown = scope.allow;
  const also: unknown = scope.alsoAllow;
  const deny: unknown = scope.deny;
  const hasAlso = Array.isArray(also) && also.length > 0;
  const alsoPath = [...path, "alsoAllow"];
  const alsoSources = hasAlso ? listSources(also, "alsoAllow", alsoPath) : [];
  if (Array.isArray(allow)) {
    const allowPath = [...path, "allow"];
    const sources = listSources(allow, "allow", allowPath);
    picked.allow =
      hasAlso && allow.length === 0 ? withStar(alsoSources, alsoPath) : [...sources, ...alsoSources];
    picked.allowPath = allowPath;
    configPaths.push(allowPath);
  } else if (hasAlso) {
    picked.allow = withStar(alsoSources, alsoPath);
    picked.allowPath = alsoPath;
  }
  if (hasAlso) configPaths.push(alsoPath);
  if (Array.isArray(deny)) {
    picked.deny = listSources(deny, "deny", [...path, "deny"]);
    configPaths.push([...path, "deny"]);
  }
  if (configPaths.length === 0) return undefined;
  return { ...picked, configPaths };
}

function withStar(sources: readonly EntrySource[], path: ConfigPath): EntrySource[] {
  return [{ raw: "*", list: "alsoAllow", path, why: starForAlsoAllow }, ...sources];
}

/** Compiles picked lists for a column. */
export function compileStage(
  column: ColumnId,
  label: string,
  picked: PickedLists,
  options: { strips: boolean; losers?: readonly PolicyRule[] },
): StagePolicy {
  const { allow, allowPath, deny } = picked;
  return {
    column,
    label,
    ...(allow === undefined ? {} : { allow: compileList(column, "allows", allow) }),
    ...(allow === undefined ? {} : { restricts: restrictRule(column, allowPath ?? null, "list-restricts") }),
    ...(deny === undefined ? {} : { deny: compileList(column, "denies", deny) }),
    strips: options.strips,
    quietWhenGated: false,
    configPaths: picked.configPaths,
    losers: options.losers ?? [],
  };
}

/** Puts two policies at one place. Each keeps its own lists, because two allow lists are no longer list. */
export function bothStages(a: StagePolicy, b: StagePolicy): StagePolicy {
  const restricts = a.restricts ?? b.restricts;
  const profile = a.profile ?? b.profile;
  const allow = joinLists(a.allow, b.allow);
  const deny = joinLists(a.deny, b.deny);
  return {
    ...a,
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(restricts === undefined ? {} : { restricts }),
    ...(profile === undefined ? {} : { profile }),
    configPaths: [...a.configPaths, ...b.configPaths],
    losers: [...a.losers, ...b.losers],
    both: [a, b],
  };
}

/** The rule that speaks for a whole allow list. */
export function restrictRule(
  column: ColumnId,
  path: ConfigPath | null,
  code: "list-restricts" | "profile-lists" | "default-list",
  params?: Record<string, string>,
): PolicyRule {
  const list = code === "profile-lists" ? "profile" : path === null ? "default" : path.at(-1);
  const kind = list === "alsoAllow" || list === "profile" || list === "default" ? list : "allow";
  return {
    id: `${ruleId(column, kind, path, "")}#list`,
    column,
    list: kind,
    configPath: path === null ? null : [...path],
    path: path === null ? "default" : pathText(path),
    entry: params?.profile ?? "",
    effect: "restricts",
    why: params === undefined ? { code } : { code, params },
  };
}
