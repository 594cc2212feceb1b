/** Compiled allow and deny lists: one look-up per tool name instead of one comparison per entry. */

import { toolGroups } from "./catalog.ts";
import type { ColumnId, RuleList } from "./codes.ts";
import { pathText } from "./configRecord.ts";
import { normalizeToolName } from "./names.ts";
import type { ConfigPath, PolicyRule, Reason } from "./types.ts";
import { compilePatterns, type PatternMatcher } from "./wildcards.ts";

/** One entry as somebody wrote it (or as a built-in list holds it), with the place it comes from. */
export interface EntrySource {
  raw: string;
  list: RuleList;
  /** null for built-in entries. */
  path: ConfigPath | null;
  /** Replaces the reason that follows from the form of the entry. */
  why?: Reason;
}

export type EntryKind = "star" | "pattern" | "group" | "name";

export interface ListEntry {
  name: string;
  kind: EntryKind;
  /** Tool names it stands for without looking at plugins. */
  members: readonly string[];
  rule: PolicyRule;
}

export interface CompiledList {
  /** Blank entries are dropped; order kept. */
  entries: readonly ListEntry[];
  exact: ReadonlyMap<string, number>;
  /** Position of each plain name, for plugin ids and `group:plugins`. */
  names: ReadonlyMap<string, number>;
  star: number;
  /** undefined when the list has no pattern. */
  pattern: PatternMatcher | undefined;
}

export const pluginsGroup = "group:plugins";

function kindOf(name: string): EntryKind {
  if (name === "*") return "star";
  if (name.includes("*")) return "pattern";
  return toolGroups.has(name) ? "group" : "name";
}

const reasonOfKind: Record<EntryKind, Reason> = {
  star: { code: "is-star" },
  pattern: { code: "is-pattern" },
  group: { code: "names-group" },
  name: { code: "names-tool" },
};

/** The id under which a rule appears in a trace: unique per column. */
export function ruleId(column: ColumnId, list: RuleList, path: ConfigPath | null, entry: string): string {
  const place = path === null ? list : pathText(path);
  // Several entries of these lists share one place in the config.
  const shared = path === null || list === "implicit" || list === "profile";
  return `${column}:${place}${shared ? `:${entry}` : ""}`;
}

/**
 * Compiles a list. Non-string entries must have been left out before.
 * @param effect `allows` for allow lists, `denies` for deny lists
 */
export function compileList(
  column: ColumnId,
  effect: "allows" | "denies",
  sources: readonly EntrySource[],
): CompiledList {
  const entries: ListEntry[] = [];
  const exact = new Map<string, number>();
  const names = new Map<string, number>();
  const patterns: { text: string; index: number }[] = [];
  let star = -1;
  for (const source of sources) {
    const name = normalizeToolName(source.raw);
    if (name === "") continue;
    const kind = kindOf(name);
    const index = entries.length;
    const members = kind === "group" ? (toolGroups.get(name) ?? []) : kind === "name" ? [name] : [];
    if (kind === "star" && star === -1) star = index;
    if (kind === "pattern") patterns.push({ text: name, index });
    if (kind === "name" && !names.has(name)) names.set(name, index);
    for (const member of members) if (!exact.has(member)) exact.set(member, index);
    entries.push({
      name,
      kind,
      members,
      rule: {
        id: ruleId(column, source.list, source.path, name),
        column,
        list: source.list,
        configPath: source.path === null ? null : [...source.path],
        path: source.path === null ? source.list : pathText(source.path),
        entry: source.raw,
        effect,
        why: source.why ?? (name === pluginsGroup ? reasonOfKind.group : reasonOfKind[kind]),
      },
    });
  }
  return {
    entries,
    exact,
    names,
    star,
    pattern: patterns.length === 0 ? undefined : compilePatterns(patterns),
  };
}

/** One list with the entries of both, those of the first before those of the second. */
export function joinLists(
  a: CompiledList | undefined,
  b: CompiledList | undefined,
): CompiledList | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const entries = [...a.entries, ...b.entries];
  const exact = new Map<string, number>();
  const names = new Map<string, number>();
  entries.forEach(({ kind, name, members }, index) => {
    if (kind === "name" && !names.has(name)) names.set(name, index);
    for (const member of members) if (!exact.has(member)) exact.set(member, index);
  });
  const patterns = entries.flatMap(({ kind, name }, index) =>
    kind === "pattern" ? [{ text: name, index }] : [],
  );
  return {
    entries,
    exact,
    names,
    star: entries.findIndex(({ kind }) => kind === "star"),
    pattern: patterns.length === 0 ? undefined : compilePatterns(patterns),
  };
}

/** The strings of a config list with their paths; entries of other types are ignored. */
export function listSources(value: readonly unknown[], list: RuleList, path: ConfigPath): EntrySource[] {
  const sources: EntrySource[] = [];
  value.forEach((raw, index) => {
    if (typeof raw === "string") sources.push({ raw, list, path: [...path, index] });
  });
  return sources;
}

/** Entries of a built-in list. */
export function builtInSources(names: readonly string[], list: RuleList, why?: Reason): EntrySource[] {
  return names.map((raw) => ({ raw, list, path: null, ...(why === undefined ? {} : { why }) }));
}

/**
 * Which entry hits a tool first.
 * @param name normalised tool name
 * @param pluginId normalised id of the plugin that owns the tool
 * @param shadowed plugin ids that take the place of the tool of the same name (policy §11); such a name entry
 *   stands for the plugin's tools alone
 * @returns position of the entry, or -1
 */
export function findHit(
  list: CompiledList,
  name: string,
  pluginId: string | undefined,
  shadowed: ReadonlySet<string>,
): number {
  let best = list.exact.get(name) ?? -1;
  if (best !== -1 && shadowed.size > 0 && shadowed.has(name) && pluginId !== name) {
    best = list.entries.findIndex((entry) => entry.kind === "group" && entry.members.includes(name));
  }
  if (pluginId !== undefined) {
    best = earlier(best, list.names.get(pluginId) ?? -1);
    best = earlier(best, list.names.get(pluginsGroup) ?? -1);
  }
  best = earlier(best, list.star);
  if (list.pattern !== undefined) best = earlier(best, list.pattern(name));
  return best;
}

function earlier(a: number, b: number): number {
  if (a === -1) return b;
  return b === -1 || a < b ? a : b;
}
