/** The strip rule and its warnings (policy §10): what an allow list is made of, seen from the tools of a run. */

import { findCatalogTool } from "./catalog.ts";
import { type CompiledList, type ListEntry, pluginsGroup } from "./lists.ts";
import type { StagePolicy } from "./pick.ts";
import type { EnteringTools } from "./toolIndex.ts";
import type { PolicyWarning } from "./types.ts";
import { compilePatterns } from "./wildcards.ts";

export interface StripReport {
  /** The reference drops the allow list: no entry names a core tool of this run. */
  dropsInReference: boolean;
  /** The list does not filter in this evaluation. */
  dropped: boolean;
  /** Normalised entries that name nothing here, in list order, once each. */
  unknown: readonly string[];
  /** Patterns that match entering tools and yet count as unknown. */
  unrecognisedPatterns: readonly string[];
  warning: PolicyWarning | undefined;
}

const nothing: StripReport = {
  dropsInReference: false,
  dropped: false,
  unknown: [],
  unrecognisedPatterns: [],
  warning: undefined,
};

type EntryStanding = "core" | "plugin" | "unknown";

/** How the reference classifies an entry; a pattern is never a core entry. */
function standingOf(entry: ListEntry, entering: EnteringTools): EntryStanding {
  if (entry.kind === "star") return "core";
  if (entry.members.some((member) => entering.coreNames.has(member))) return "core";
  if (entry.name === pluginsGroup || entering.pluginIds.has(entry.name)) return "plugin";
  return entering.pluginToolNames.has(entry.name) ? "plugin" : "unknown";
}

/**
 * Whether an entry names any entering tool in the plain sense: what counts with policy.strictLists.
 * @param hitEntries entries that are the first hit of some entering tool
 */
function namesSomething(
  list: CompiledList,
  position: number,
  entering: EnteringTools,
  hitEntries: ReadonlySet<number>,
): boolean {
  const entry = list.entries[position];
  if (entry === undefined) return false;
  if (hitEntries.has(position)) return true;
  if (entry.kind === "group") {
    return entry.members.some((name) => entering.coreNames.has(name) || entering.pluginToolNames.has(name));
  }
  if (entry.kind === "pattern") {
    const matches = compilePatterns([{ text: entry.name, index: 0 }]);
    for (const names of [entering.coreNames, entering.pluginToolNames]) {
      for (const name of names) if (matches(name) === 0) return true;
    }
    return false;
  }
  return entry.name === pluginsGroup && entering.pluginToolNames.size > 0;
}

/**
 * Judges the allow list of a stage.
 * @param hits per slot the position of the entry that allows it, or -1
 * @param strict policy.strictLists: nothing is dropped, and unknown means "names no tool of this run"
 */
export function judgeAllowList(
  policy: StagePolicy,
  entering: EnteringTools,
  hits: Int32Array | undefined,
  strict: boolean,
): StripReport {
  const list = policy.allow;
  if (!policy.strips || list === undefined || list.entries.length === 0) return nothing;
  const hitEntries = new Set<number>();
  for (const slot of entering.slots) hitEntries.add(hits?.[slot] ?? -1);
  let hasCore = false;
  const unknown = new Set<string>();
  const patterns: string[] = [];
  for (const entry of list.entries) {
    const standing = standingOf(entry, entering);
    if (standing === "core") hasCore = true;
    if (standing === "unknown") unknown.add(entry.name);
  }
  list.entries.forEach((entry, position) => {
    if (!unknown.has(entry.name) || !namesSomething(list, position, entering, hitEntries)) return;
    if (entry.kind === "pattern") patterns.push(entry.name);
    if (strict) unknown.delete(entry.name);
  });
  const dropped = !hasCore && !strict;
  const entries = [...unknown];
  return {
    dropsInReference: !hasCore,
    dropped,
    unknown: entries,
    unrecognisedPatterns: patterns,
    warning: warningOf(policy, entries, dropped),
  };
}

function warningOf(policy: StagePolicy, entries: string[], stripped: boolean): PolicyWarning | undefined {
  if (entries.length === 0) return undefined;
  const gated = entries.filter((entry) => findCatalogTool(entry) !== undefined).length;
  const kind = gated === entries.length ? "gated-core" : gated === 0 ? "unknown" : "mixed";
  if (kind === "gated-core" && policy.quietWhenGated) return undefined;
  return { stage: policy.label, kind, stripped, entries };
}

const kindText: Record<PolicyWarning["kind"], string> = {
  "gated-core": "These are built-in tools that this run does not have (runtime, provider, model or config).",
  unknown: "No tool has these names unless a plugin that provides them is enabled.",
  mixed: "Some are built-in tools that this run does not have, others are not names of any loaded tool.",
};

/** The warning as a log line; equal texts are the same warning. */
export function warningText(warning: PolicyWarning): string {
  const entries = warning.entries.join(", ");
  const ignored = warning.stripped ? " The allow list is ignored because it names no core tool." : "";
  return `${warning.stage}: the allow list has entries that match nothing (${entries}). ${kindText[warning.kind]}${ignored}`;
}

/** Remembers which warnings were given. */
export interface WarningMemory {
  /** @returns the warnings that were not given before */
  admit(warnings: readonly PolicyWarning[]): PolicyWarning[];
}

/** @param capacity how many texts are remembered; the oldest is forgotten first */
export function createWarningMemory(capacity = 256): WarningMemory {
  const seen = new Set<string>();
  return {
    admit(warnings) {
      return warnings.filter((warning) => {
        const text = warningText(warning);
        if (seen.has(text)) return false;
        if (seen.size >= capacity) {
          const [oldest] = seen;
          if (oldest !== undefined) seen.delete(oldest);
        }
        seen.add(text);
        return true;
      });
    },
  };
}
