/** How the debugger writes a finding down. */

import type { ColumnId, FindingKind } from "../codes.ts";
import { pathText } from "../configRecord.ts";
import type { ListEntry } from "../lists.ts";
import type { ConfigPath, PolicyFinding } from "../types.ts";

/** @param suggestion the name that was meant; with a place to write it, it becomes the fix */
export function finding(
  kind: FindingKind,
  column: ColumnId | null,
  stage: string,
  path: ConfigPath | null,
  entries: string[],
  suggestion?: string,
): PolicyFinding {
  return {
    kind,
    column,
    stage,
    configPath: path === null ? null : [...path],
    path: path === null ? stage : pathText(path),
    entries,
    failsOpen: false,
    enforced: false,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(suggestion === undefined || path === null
      ? {}
      : { fix: [{ op: "set" as const, path: [...path], value: suggestion }] }),
  };
}

/** Entries that somebody wrote into a list, each with its own place. */
export function written(entries: readonly ListEntry[] | undefined): { entry: ListEntry; path: ConfigPath }[] {
  return (entries ?? []).flatMap((entry) => {
    const path = entry.rule.configPath;
    const isOwn =
      entry.rule.list === "allow" || entry.rule.list === "alsoAllow" || entry.rule.list === "deny";
    return path === null || !isOwn || typeof path.at(-1) !== "number" ? [] : [{ entry, path }];
  });
}
