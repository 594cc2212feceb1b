/** Facts about lists that do something else than they seem to; the same on every preset. */

import { catalogTools, findCatalogTool, profileLists, toolGroups } from "./catalog.ts";
import type { CompiledPolicy } from "./compile.ts";
import { pathText } from "./configRecord.ts";
import { nearestName } from "./didYouMean.ts";
import type { ListEntry } from "./lists.ts";
import type { StagePolicy } from "./pick.ts";
import type { PolicyPlan } from "./plan.ts";
import type { StripReport } from "./strip.ts";
import type { EnteringTools } from "./toolIndex.ts";
import type { ConfigEdit, ConfigPath, PolicyFinding } from "./types.ts";

/** Suggestions cost a comparison with every known name; a list of nonsense gets no more than this many. */
const maxSuggestions = 8;

/** Findings about the allow list of one stage. */
export function stageFindings(
  policy: StagePolicy,
  entering: EnteringTools,
  report: StripReport,
  enforced: boolean,
): PolicyFinding[] {
  const list = policy.allow;
  if (list === undefined) return [];
  const findings: PolicyFinding[] = [];
  if (report.dropsInReference) findings.push(droppedList(policy, list.entries, entering, report, enforced));
  const unknown = new Set(report.unknown);
  for (const name of report.unrecognisedPatterns) {
    // A list of nothing but patterns has been named as a whole.
    if (findings[0]?.kind === "pattern-not-core") unknown.delete(name);
    else unknown.add(name);
  }
  let suggestions = 0;
  for (const entry of list.entries) {
    if (!unknown.delete(entry.name) || entry.rule.list === "profile") continue;
    const finding = unknownEntry(policy, entry, entering, report, suggestions < maxSuggestions);
    if (finding.suggestion !== undefined) suggestions += 1;
    findings.push(finding);
  }
  return findings;
}

function droppedList(
  policy: StagePolicy,
  entries: readonly ListEntry[],
  entering: EnteringTools,
  report: StripReport,
  enforced: boolean,
): PolicyFinding {
  const path = policy.restricts?.configPath ?? null;
  const patterns = new Set(report.unrecognisedPatterns);
  const kind =
    policy.profile !== undefined
      ? "profile-without-core"
      : entries.every((entry) => patterns.has(entry.name))
        ? "pattern-not-core"
        : "list-stripped";
  const fix = policy.profile === undefined ? anchorFix(path, entries, entering) : undefined;
  return {
    kind,
    column: policy.column,
    stage: policy.label,
    configPath: path,
    path: path === null ? "default" : pathText(path),
    entries: policy.profile === undefined ? entries.map((entry) => entry.name) : [policy.profile],
    failsOpen: true,
    enforced,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** One harmless core tool in the list makes the reference take the list at its word. */
function anchorFix(
  path: ConfigPath | null,
  entries: readonly ListEntry[],
  entering: EnteringTools,
): ConfigEdit[] | undefined {
  if (path === null) return undefined;
  const anchor = entering.coreNames.has("session_status") ? "session_status" : [...entering.coreNames][0];
  if (anchor === undefined) return undefined;
  const inList = entries.filter((entry) => isInList(entry, path)).length;
  return [{ op: "insert", path: [...path, inList], value: anchor }];
}

function isInList(entry: ListEntry, path: ConfigPath): boolean {
  const own = entry.rule.configPath;
  return own !== null && own.length === path.length + 1 && path.every((part, index) => own[index] === part);
}

function unknownEntry(
  policy: StagePolicy,
  entry: ListEntry,
  entering: EnteringTools,
  report: StripReport,
  suggest: boolean,
): PolicyFinding {
  const path = entry.rule.configPath;
  const isKnownPattern = report.unrecognisedPatterns.includes(entry.name);
  const kind = isKnownPattern
    ? "pattern-not-core"
    : findCatalogTool(entry.name) !== undefined
      ? "gated-entry"
      : "unknown-entry";
  const suggestion =
    kind === "unknown-entry" && suggest && entry.kind === "name"
      ? nearestName(entry.name, knownNames(entering))
      : undefined;
  return {
    kind,
    column: policy.column,
    stage: policy.label,
    configPath: path === null ? null : [...path],
    path: entry.rule.path,
    entries: [entry.name],
    failsOpen: false,
    enforced: false,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(suggestion === undefined || path === null
      ? {}
      : { fix: [{ op: "set" as const, path: [...path], value: suggestion }] }),
  };
}

/** Every name that a list entry could have meant. */
export function* knownNames(entering: EnteringTools): Generator<string> {
  for (const tool of catalogTools) yield tool.id;
  yield* toolGroups.keys();
  yield* entering.coreNames;
  yield* entering.pluginToolNames;
  yield* entering.pluginIds;
}

/** A profile word that is not one of the four. */
export function unknownProfileFindings(compiled: CompiledPolicy, plan: PolicyPlan): PolicyFinding[] {
  const findings: PolicyFinding[] = [];
  const words = [
    { word: plan.profile, path: plan.profilePath, column: "profile", stage: "tools.profile" },
    {
      word: plan.providerProfile,
      path: plan.providerProfilePath,
      column: "provider-profile",
      stage: "tools.byProvider.profile",
    },
  ] as const;
  for (const { word, path, column, stage } of words) {
    if (word === undefined || path === undefined || word === "full" || profileLists.has(word)) continue;
    const wanted = word.trim().toLowerCase();
    const profiles = [...profileLists.keys(), "full"];
    const suggestion = profiles.includes(wanted) ? wanted : nearestName(wanted, profiles);
    findings.push({
      kind: "unknown-profile",
      column,
      stage,
      configPath: [...path],
      path: pathText(path),
      entries: [word],
      failsOpen: true,
      enforced: compiled.hardening.has("policy.unknownProfile"),
      ...(suggestion === undefined
        ? {}
        : { suggestion, fix: [{ op: "set" as const, path: [...path], value: suggestion }] }),
    });
  }
  return findings;
}
