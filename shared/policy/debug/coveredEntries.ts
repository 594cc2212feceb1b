/** Entries of a list that add nothing, because a wider one of the same list says it already. */

import { type ListEntry, pluginsGroup } from "../lists.ts";
import type { StagePolicy } from "../pick.ts";
import type { ToolIndex } from "../toolIndex.ts";
import type { ConfigPath, PolicyFinding } from "../types.ts";
import { matchesPattern } from "../wildcards.ts";
import { finding, written } from "./finding.ts";

export function coveredEntries(policy: StagePolicy, index: ToolIndex): PolicyFinding[] {
  const owners = ownersOf(index);
  return [policy.allow, policy.deny].flatMap((list) => {
    const entries = written(list?.entries);
    return entries.flatMap(({ entry, path }, position) => {
      const isCovered = entries.some(
        (other, at) =>
          at !== position &&
          isSameList(other.path, path) &&
          covers(other.entry, entry, owners) &&
          isNeedless(policy, other.entry, entry, owners) &&
          // Of two that say the same the first stays.
          (at < position || !covers(entry, other.entry, owners)),
      );
      if (!isCovered) return [];
      const found = finding("covered-entry", policy.column, policy.label, path, [entry.name]);
      return [{ ...found, fix: [{ op: "remove" as const, path: [...path] }] }];
    });
  });
}

function isSameList(a: ConfigPath, b: ConfigPath): boolean {
  return a.length === b.length && a.slice(0, -1).every((part, index) => part === b[index]);
}

interface Owners {
  /** Plugin or server of each tool that has one. */
  ofTool: ReadonlyMap<string, string>;
  optional: ReadonlySet<string>;
  ids: ReadonlySet<string>;
}

function ownersOf({ slots }: ToolIndex): Owners {
  const ofTool = new Map<string, string>();
  const optional = new Set<string>();
  for (const { normalized, pluginId, tool } of slots) {
    if (pluginId !== undefined) ofTool.set(normalized, pluginId);
    if (tool.optional === true) optional.add(normalized);
  }
  return { ofTool, optional, ids: new Set(ofTool.values()) };
}

function covers(wide: ListEntry, narrow: ListEntry, owners: Owners): boolean {
  if (wide.kind === "star" || wide.name === narrow.name) return true;
  if (narrow.kind === "star" || narrow.kind === "pattern") return false;
  const isOwner = narrow.kind === "name" && owners.ids.has(narrow.name);
  if (wide.name === pluginsGroup) return isOwner || owners.ofTool.has(narrow.name);
  // An id stands for tools that are not known from the list alone.
  if (isOwner || narrow.name === pluginsGroup) return false;
  if (wide.kind === "pattern") return narrow.members.every((member) => matchesPattern(wide.name, member));
  if (wide.kind === "group") return narrow.members.every((member) => wide.members.includes(member));
  return owners.ofTool.get(narrow.name) === wide.name;
}

/** A name in an allow list can do more than its wider neighbour, and then it is not too much. */
function isNeedless(policy: StagePolicy, wide: ListEntry, narrow: ListEntry, owners: Owners): boolean {
  if (narrow.rule.list === "deny" || wide.name === narrow.name) return true;
  // OpenClaw keeps a list for its names and groups; a pattern does not count.
  if (policy.strips && wide.kind === "pattern") return false;
  // Only the name itself lifts what sub-agents are denied.
  if (policy.column === "subagent") return false;
  const isEnabled = wide.name === pluginsGroup || owners.ids.has(wide.name);
  return isEnabled || !narrow.members.some((member) => owners.optional.has(member));
}
