/** Why a tool is missing or there, and the smallest edits that change it, each tried before it is offered. */

import { type CompiledPolicy, compilePolicy } from "../compile.ts";
import { snapshotConfig } from "../configRecord.ts";
import { validatePolicyConfig } from "../configSchema.ts";
import { type ToolStep, toolSteps } from "../explain.ts";
import { normalizeToolName } from "../names.ts";
import { tracePolicy } from "../trace.ts";
import type { ConfigPath, PolicyContext, PolicyTrace, Reason, RegisteredTool } from "../types.ts";
import { createContextSpace } from "./contextClasses.ts";
import { sampleContexts } from "./contextSample.ts";
import { removalMoves } from "./repairMoves.ts";
import {
  lookAt,
  type Question,
  type Repair,
  rankRepairs,
  sameTools,
  searchRepairs,
  supplyOf,
  tryRepair,
} from "./repairSearch.ts";
import { finish, type Steps } from "./steps.ts";

/** A column that removes the tool, or would if the tool got there. */
export interface Remover extends ToolStep {
  /** The first one decides; the others would remove it too. */
  decides: boolean;
}

export interface WhyAnswer {
  name: string;
  state: "unknown" | "absent" | "removed" | "kept";
  /** In the order of the columns. */
  removers: Remover[];
  /** What no edit of policy lists can change: owner, channel, surface, a missing model or registration. */
  unmet: Reason[];
  /** Bring it back when it is missing, take it away when it is there; the least side effects first. */
  repairs: Repair[];
  /** When only a part of the config may be edited: whether that is enough. */
  layer?: { path: ConfigPath; canRepair: boolean; removersOutside: string[] };
}

export interface WhyOptions {
  /** Only edits below this path are wanted, for example ["agents","list",1]. */
  layer?: ConfigPath;
  /**
   * The tools that exist under an edited config, in the order of the given ones; absent: the same, so that nothing is
   * offered that would switch one on.
   */
  toolsOf?: Question["toolsOf"];
  /** How much is wrong with a config at load; absent: as far as the policy part knows. */
  problemsOf?: Question["problemsOf"];
  /** Upper bounds, so that an answer stays quick on large configs; past `maxContexts` a sample is looked at. */
  maxRepairs?: number;
  maxContexts?: number;
}

const unmetCodes: ReadonlySet<string> = new Set([
  "unavailable",
  "plugins-disabled",
  "optional-not-enabled",
  "plugin-id-conflict",
  "plugin-name-conflict",
  "not-on-surface",
  "voice-removes-tts",
  "node-keeps-few",
  "native-web-search",
  "owner-only",
]);

/**
 * @param config the config that `compiled` was compiled from, as plain data
 * @param name any spelling; aliases count
 */
export function whyTool(
  compiled: CompiledPolicy,
  config: unknown,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  name: string,
  options: WhyOptions = {},
): WhyAnswer {
  return finish(whySteps(compiled, config, context, tools, name, options));
}

/** The same as `whyTool`, in steps. */
export function* whySteps(
  { hardening }: CompiledPolicy,
  config: unknown,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  name: string,
  options: WhyOptions = {},
): Steps<WhyAnswer> {
  // Edits of a snapshot leave the rest of it as it is, so that only what they change is compiled again.
  const saved = snapshotConfig(config);
  const compiled = compilePolicy(saved, { hardening });
  const trace = tracePolicy(compiled, context, tools);
  const position = positionOf(tools, name);
  const row = trace.rows[position];
  if (row === undefined) return { name, state: "unknown", removers: [], unmet: [], repairs: [] };
  yield;
  const removers = removersOf(trace, row.name, context);
  const unmet = removers.flatMap(({ cell }) =>
    cell.why !== undefined && unmetCodes.has(cell.why.code) ? [cell.why] : [],
  );
  const isKept = row.verdict.kind === "kept";
  const question: Question = {
    compiled,
    config: saved,
    context,
    tools,
    toolsOf: options.toolsOf ?? sameTools(tools),
    problemsOf: options.problemsOf ?? ((edited) => validatePolicyConfig(edited).length),
    name: row.name,
    isKept,
  };
  const found = isKept ? removalMoves(compiled, context, tools, row.name) : yield* searchRepairs(question);
  const { layer, maxRepairs = 8, maxContexts = 2500 } = options;
  const inLayer =
    layer === undefined ? found : found.filter((edits) => edits.every((edit) => isBelow(edit.path, layer)));
  let repairs: Repair[] = [];
  if (inLayer.length > 0) {
    const supply = supplyOf(question, saved);
    const axes = yield* createContextSpace(compiled, supply).axes({});
    const sample = yield* sampleContexts(axes, context, maxContexts);
    const before = yield* lookAt(compiled, supply, sample);
    yield;
    const problems = question.problemsOf(saved);
    const tried: Repair[] = [];
    for (const edits of inLayer.slice(0, maxRepairs * 2)) {
      const repair = yield* tryRepair(question, edits, before, problems);
      if (repair !== undefined) tried.push(repair);
    }
    repairs = rankRepairs(tried).slice(0, maxRepairs);
  }
  return {
    name: row.name,
    state: row.verdict.kind,
    removers,
    unmet,
    repairs,
    ...(layer === undefined
      ? {}
      : { layer: { path: layer, canRepair: repairs.length > 0, removersOutside: outside(removers, layer) } }),
  };
}

function positionOf(tools: readonly RegisteredTool[], name: string): number {
  const exact = tools.findIndex((tool) => tool.name === name);
  if (exact !== -1) return exact;
  const wanted = normalizeToolName(name);
  return tools.findIndex((tool) => normalizeToolName(tool.name) === wanted);
}

function removersOf(trace: PolicyTrace, name: string, context: PolicyContext): Remover[] {
  const steps = (toolSteps(trace, name) ?? []).filter(
    // On the model surface the HTTP column stands apart.
    (step) => context.surface === "http" || step.column !== "http",
  );
  const removing = steps.filter(({ cell }) => ["removed", "wouldRemove", "absent"].includes(cell.effect));
  return removing.map((step, index) => ({ ...step, decides: index === 0 }));
}

function isBelow(path: ConfigPath, layer: ConfigPath): boolean {
  return layer.every((part, index) => path[index] === part);
}

/** Labels of the columns whose rules stand outside of the layer. */
function outside(removers: readonly Remover[], layer: ConfigPath): string[] {
  return removers
    .filter(({ rules }) => !rules.some((rule) => rule.configPath !== null && isBelow(rule.configPath, layer)))
    .map((remover) => remover.label);
}
