/** Why a tool is missing or there, and the smallest edits that change it, each tried before it is offered. */

import { type CompiledPolicy, compilePolicy } from "../compile.ts";
import { validatePolicyConfig } from "../configSchema.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { type ToolStep, toolSteps } from "../explain.ts";
import { normalizeToolName } from "../names.ts";
import { tracePolicy } from "../trace.ts";
import type { ConfigEdit, ConfigPath, PolicyContext, PolicyTrace, Reason, RegisteredTool } from "../types.ts";
import { applyEdits } from "./configEdits.ts";
import { type ClassLabel, type ContextClass, enumerateContexts } from "./contextClasses.ts";
import { type Move, removalMoves, repairMoves } from "./repairMoves.ts";

/** A column that removes the tool, or would if the tool got there. */
export interface Remover extends ToolStep {
  /** The first one decides; the others would remove it too. */
  decides: boolean;
}

export interface RepairEffect {
  label: ClassLabel;
  opens: string[];
  closes: string[];
}

/** Edits that were applied and evaluated: with them the answer for this tool is the opposite. */
export interface Repair {
  edits: ConfigEdit[];
  /** Other tools that change in the asked context. */
  opensHere: string[];
  closesHere: string[];
  /** Every other context in which something changes, the tool itself included. */
  contexts: RepairEffect[];
  contextsChecked: number;
  /** The edited config would be refused at load. */
  isValid: boolean;
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
  /** Upper bounds, so that an answer stays quick on large configs. */
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
  const trace = tracePolicy(compiled, context, tools);
  const position = positionOf(tools, name);
  const row = trace.rows[position];
  if (row === undefined) return { name, state: "unknown", removers: [], unmet: [], repairs: [] };
  const removers = removersOf(trace, row.name, context);
  const unmet = removers.flatMap(({ cell }) =>
    cell.why !== undefined && unmetCodes.has(cell.why.code) ? [cell.why] : [],
  );
  const isKept = row.verdict.kind === "kept";
  const found = isKept
    ? removalMoves(compiled, context, tools, row.name)
    : searchRepairs(compiled, config, context, tools, position);
  const { layer, maxRepairs = 8, maxContexts = 400 } = options;
  const inLayer =
    layer === undefined ? found : found.filter((edits) => edits.every((edit) => isBelow(edit.path, layer)));
  const classes = sample(enumerateContexts(compiled), maxContexts);
  const before = classes.map((one) => evaluatePolicy(compiled, one.context, tools).tools);
  const repairs = inLayer
    .slice(0, maxRepairs * 2)
    .map((edits) =>
      tryRepair({ compiled, config, context, tools, trace, name: row.name, isKept }, edits, classes, before),
    )
    .filter((repair) => repair !== undefined)
    .sort((a, b) => costOf(a) - costOf(b))
    .slice(0, maxRepairs);
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

/** Evenly spread over all classes, so that no agent is left out of a large config. */
function sample<T>(items: readonly T[], count: number): T[] {
  const stride = Math.max(1, Math.ceil(items.length / count));
  return items.filter((_, index) => index % stride === 0);
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

/** Mends the first removing column in every known way, then the next one, until the tool is there. */
function searchRepairs(
  compiled: CompiledPolicy,
  config: unknown,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  position: number,
): Move[] {
  const maxSteps = 6;
  const maxNodes = 150;
  const found: Move[] = [];
  const seen = new Set<string>();
  let queue: { edits: Move; config: unknown }[] = [{ edits: [], config }];
  let nodes = 0;
  for (let step = 0; step < maxSteps && queue.length > 0; step += 1) {
    const next: typeof queue = [];
    for (const state of queue) {
      const current = step === 0 ? compiled : compilePolicy(state.config, { hardening: compiled.hardening });
      // Switches of availability live outside of the list of tools, so a tool they bring back is marked present.
      for (const move of repairMoves(
        current,
        context,
        withoutSwitchedOff(tools, position, state.edits),
        position,
      )) {
        nodes += 1;
        if (nodes > maxNodes) return found;
        const edits = [...state.edits, ...move];
        const edited = applyEdits(state.config, move);
        const key = JSON.stringify(edited);
        if (seen.has(key)) continue;
        seen.add(key);
        if (isThere(compiled, edited, context, tools, position, edits)) found.push(edits);
        else next.push({ edits, config: edited });
      }
    }
    queue = next;
  }
  return found;
}

function isThere(
  { hardening }: CompiledPolicy,
  config: unknown,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  position: number,
  edits: Move,
): boolean {
  const list = withoutSwitchedOff(tools, position, edits);
  const kept = evaluatePolicy(compilePolicy(config, { hardening }), context, list).tools;
  return kept.includes(list[position]?.name ?? "");
}

/** The list of tools as it would be once an edit turns on what the config switched off. */
function withoutSwitchedOff(
  tools: readonly RegisteredTool[],
  position: number,
  edits: Move,
): readonly RegisteredTool[] {
  const tool = tools[position];
  const path = tool?.unavailable?.params?.path;
  if (tool === undefined || path === undefined) return tools;
  if (!edits.some((edit) => edit.op === "set" && edit.value === true && edit.path.join(".") === path))
    return tools;
  const { unavailable: _, ...present } = tool;
  return tools.with(position, present);
}

interface Question {
  compiled: CompiledPolicy;
  config: unknown;
  context: PolicyContext;
  tools: readonly RegisteredTool[];
  trace: PolicyTrace;
  name: string;
  isKept: boolean;
}

function tryRepair(
  question: Question,
  edits: Move,
  classes: readonly ContextClass[],
  before: readonly (readonly string[])[],
): Repair | undefined {
  const { compiled, config, context, trace, name, isKept } = question;
  const edited = applyEdits(config, edits);
  const position = positionOf(question.tools, name);
  const tools = withoutSwitchedOff(question.tools, position, edits);
  const after = compilePolicy(edited, { hardening: compiled.hardening });
  const here = difference(trace.result.tools, evaluatePolicy(after, context, tools).tools);
  if (!(isKept ? here.closes : here.opens).includes(name)) return undefined;
  const contexts = classes.flatMap((one, index): RepairEffect[] => {
    const change = difference(before[index] ?? [], evaluatePolicy(after, one.context, tools).tools);
    return change.opens.length + change.closes.length === 0 ? [] : [{ label: one.label, ...change }];
  });
  return {
    edits: [...edits],
    opensHere: here.opens.filter((tool) => tool !== name),
    closesHere: here.closes.filter((tool) => tool !== name),
    contexts,
    contextsChecked: classes.length,
    isValid: validatePolicyConfig(edited).length <= validatePolicyConfig(config).length,
  };
}

function difference(
  before: readonly string[],
  after: readonly string[],
): { opens: string[]; closes: string[] } {
  const old = new Set(before);
  const now = new Set(after);
  return { opens: after.filter((tool) => !old.has(tool)), closes: before.filter((tool) => !now.has(tool)) };
}

/** What an operator would regret, heaviest first: a refused config, other tools here, other contexts, many edits. */
function costOf(repair: Repair): number {
  const here = repair.opensHere.length * 2 + repair.closesHere.length;
  const elsewhere = repair.contexts.reduce(
    (sum, effect) => sum + effect.opens.length + effect.closes.length,
    0,
  );
  return (repair.isValid ? 0 : 1e12) + here * 1e7 + elsewhere * 1e2 + repair.edits.length;
}
