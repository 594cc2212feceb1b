/** Findings about a whole config in a context: those of the engine, and slips that no stage notices. */

import { skillDispatchTools } from "../background.ts";
import { profileLists, toolGroups } from "../catalog.ts";
import type { CompiledPolicy } from "../compile.ts";
import { nearestName } from "../didYouMean.ts";
import { runPolicy, type StageVerdicts, stageRemoves } from "../evaluate.ts";
import { knownNames } from "../findings.ts";
import { compileList, findHit, type ListEntry, pluginsGroup } from "../lists.ts";
import type { EnteringTools, ToolIndex } from "../toolIndex.ts";
import type { ConfigPath, PolicyContext, PolicyFinding, RegisteredTool } from "../types.ts";
import { areaFindings } from "./areaFindings.ts";
import { coveredEntries } from "./coveredEntries.ts";
import { finding, written } from "./finding.ts";
import { reachOf } from "./repairMoves.ts";

/** A skill with the tools that its commands and instructions use. */
export interface SkillTools {
  name: string;
  /** As written; aliases, groups and patterns count. */
  tools: readonly string[];
  /** The one of them that `/<skill>` calls, found by exactly this name. */
  commandTool?: string;
  /** Where it is written, to be shown. */
  path?: string;
}

/**
 * @param skills to be checked for tools that are all filtered
 * @returns findings of this context, those of the engine first
 */
export function collectFindings(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  { skills = [] }: { skills?: readonly SkillTools[] } = {},
): PolicyFinding[] {
  const run = runPolicy(compiled, context, tools);
  const { index } = run.entering;
  const names = [...knownNames(run.entering), ...index.slots.map((slot) => slot.normalized), pluginsGroup];
  const removedBefore = new Set(
    index.slots.map((_, slot) => slot).filter((slot) => !run.entering.slots.includes(slot)),
  );
  const findings = [...run.result.findings];
  for (const stage of run.stages) {
    findings.push(
      ...denyFindings(stage, index, names),
      ...misspeltEntries(stage, index, names),
      ...allowFindings(stage, run.entering, removedBefore),
      ...coveredEntries(stage.policy, index),
    );
    if (stage.policy.profile !== undefined) findings.push(...wideGrants(stage));
    for (const slot of index.slots.keys()) if (stageRemoves(stage, slot)) removedBefore.add(slot);
  }
  findings.push(...areaFindings(compiled, index, names));
  // Skills are read by a model; no other surface knows of them.
  if (context.surface !== "http") {
    const idle = idleSkills(skills, index, new Set(run.result.tools));
    const others = skills.filter(({ name }) => !idle.some(({ stage }) => stage === name));
    const reached = new Set(skillDispatchTools(compiled, context, tools));
    findings.push(...idle, ...unreachableCommands(others, index, reached));
  }
  return findings;
}

/** Skills that name tools of which not one is left. */
function idleSkills(
  skills: readonly SkillTools[],
  index: ToolIndex,
  kept: ReadonlySet<string>,
): PolicyFinding[] {
  const slots = index.slots.filter((slot) => kept.has(slot.name));
  return skills.flatMap(({ name, tools, path }) => {
    if (tools.length === 0) return [];
    const sources = tools.map((raw) => ({ raw, list: "allow" as const, path: null }));
    const list = compileList("global", "allows", sources);
    if (slots.some((slot) => findHit(list, slot.normalized, slot.pluginId, noShadow) !== -1)) return [];
    const found = finding("skill-without-tools", null, name, null, [...tools]);
    return [path === undefined ? found : { ...found, path }];
  });
}

/** Commands of skills that call a tool which is withheld, or which commands of skills never reach. */
function unreachableCommands(
  skills: readonly SkillTools[],
  index: ToolIndex,
  reached: ReadonlySet<string>,
): PolicyFinding[] {
  const names = index.slots.map((slot) => slot.name);
  return skills.flatMap(({ name, commandTool, path }) => {
    if (commandTool === undefined || reached.has(commandTool)) return [];
    const suggestion = names.includes(commandTool) ? undefined : nearestName(commandTool, [...reached]);
    const found = finding("skill-command-unreachable", null, name, null, [commandTool], suggestion);
    return [path === undefined ? found : { ...found, path }];
  });
}

const noShadow: ReadonlySet<string> = new Set();

/** Deny entries that name nothing: the reference never says a word about them. */
function denyFindings(
  { policy }: StageVerdicts,
  index: ToolIndex,
  names: readonly string[],
): PolicyFinding[] {
  return written(policy.deny?.entries).flatMap(({ entry, path }) => {
    if (entry.kind === "group" || names.includes(entry.name)) return [];
    if (index.slots.some(reachOf(entry))) return [];
    const suggestion = entry.kind === "name" ? nearestName(entry.name, names) : undefined;
    return [finding("deny-names-nothing", policy.column, policy.label, path, [entry.name], suggestion)];
  });
}

/** Allow entries that name nothing, in the lists that are never dropped and never warn: of sandboxes and sub-agents. */
function misspeltEntries(
  { policy }: StageVerdicts,
  index: ToolIndex,
  names: readonly string[],
): PolicyFinding[] {
  if (policy.strips) return [];
  return written(policy.allow?.entries).flatMap(({ entry, path }) => {
    if (entry.kind === "group" || names.includes(entry.name)) return [];
    if (index.slots.some(reachOf(entry))) return [];
    const suggestion = entry.kind === "name" ? nearestName(entry.name, names) : undefined;
    return [finding("unknown-entry", policy.column, policy.label, path, [entry.name], suggestion)];
  });
}

/** Allow entries whose tools are denied beside them, or were removed before. */
function allowFindings(
  stage: StageVerdicts,
  { index, idNotMatched }: EnteringTools,
  removedBefore: ReadonlySet<number>,
): PolicyFinding[] {
  const { policy, deny } = stage;
  // Entries at the profile stage can bring back; only later lists come too late.
  if (policy.column === "profile" || policy.column === "provider-profile") return [];
  return written(policy.allow?.entries).flatMap(({ entry, path }) => {
    const reaches = reachOf(entry);
    const reached = [...index.slots.keys()].filter((position) => {
      const slot = index.slots[position];
      if (slot === undefined || slot.tool.unavailable !== undefined) return false;
      return reaches(idNotMatched.has(position) ? { ...slot, pluginId: "" } : slot);
    });
    if (reached.length === 0) return [];
    if (deny !== undefined && reached.every((slot) => deny[slot] !== -1)) {
      return [finding("shadowed-entry", policy.column, policy.label, path, [entry.name])];
    }
    if (entry.kind !== "star" && reached.every((slot) => removedBefore.has(slot))) {
      return [finding("unreachable-entry", policy.column, policy.label, path, [entry.name])];
    }
    return [];
  });
}

/** Entries that lift a profile as a whole (of the provider, too), or that come from a section nobody reads as a grant. */
function wideGrants({ policy }: StageVerdicts): PolicyFinding[] {
  const members = new Set(profileLists.get(policy.profile ?? "") ?? []);
  const findings: PolicyFinding[] = [];
  const implicit = new Map<string, { path: ConfigPath; names: string[] }>();
  for (const entry of policy.allow?.entries ?? []) {
    const path = entry.rule.configPath;
    if (path === null || members.has(entry.name)) continue;
    if (entry.rule.list === "implicit") {
      const known = implicit.get(entry.rule.path) ?? { path, names: [] };
      known.names.push(entry.name);
      implicit.set(entry.rule.path, known);
    } else if (entry.rule.list === "alsoAllow" && isWide(entry)) {
      findings.push(finding("wider-than-profile", policy.column, policy.label, path, [entry.name]));
    }
  }
  for (const { path, names } of implicit.values()) {
    findings.push(finding("wider-than-profile", policy.column, policy.label, path, names));
  }
  return findings;
}

function isWide(entry: ListEntry): boolean {
  if (entry.kind === "star" || entry.kind === "pattern" || entry.name === pluginsGroup) return true;
  return entry.kind === "group" && (toolGroups.get(entry.name)?.length ?? 0) > 4;
}
