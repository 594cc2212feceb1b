/** Why a tool is missing or there, and the smallest edits that change it, each tried before it is offered. */

import { type CompiledPolicy, compilePolicy } from "../compile.ts";
import { snapshotConfig } from "../configRecord.ts";
import { validatePolicyConfig } from "../configSchema.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { type ToolStep, toolSteps } from "../explain.ts";
import { normalizeToolName } from "../names.ts";
import { tracePolicy } from "../trace.ts";
import type { ConfigEdit, ConfigPath, PolicyContext, PolicyTrace, Reason, RegisteredTool } from "../types.ts";
import { applyEdits } from "./configEdits.ts";
import {
  type ClassLabel,
  type ClassParts,
  classOf,
  combine,
  countClasses,
  createContextSpace,
} from "./contextClasses.ts";
import { type Move, removalMoves, repairMoves, valueAt } from "./repairMoves.ts";
import { finish, type Steps } from "./steps.ts";
import { type ClassEvaluator, createClassEvaluator, haveSameBits, type Survivors } from "./survivors.ts";

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
  const lists = createToolLists(tools, position);
  const question: Question = { compiled, config: saved, context, lists, trace, name: row.name, isKept };
  const found = isKept
    ? removalMoves(compiled, context, tools, row.name)
    : yield* searchRepairs(question, position);
  const { layer, maxRepairs = 8, maxContexts = 400 } = options;
  const inLayer =
    layer === undefined ? found : found.filter((edits) => edits.every((edit) => isBelow(edit.path, layer)));
  let repairs: Repair[] = [];
  if (inLayer.length > 0) {
    const axes = yield* createContextSpace(compiled).axes({});
    const before = yield* look(compiled, tools, sample(combine(axes), countClasses(axes), maxContexts));
    yield;
    const problems = validatePolicyConfig(saved).length;
    const tried: Repair[] = [];
    for (const edits of inLayer.slice(0, maxRepairs * 2)) {
      const repair = yield* tryRepair(question, edits, before, problems);
      if (repair !== undefined) tried.push(repair);
    }
    repairs = withoutDetours(tried.sort((a, b) => costOf(a) - costOf(b))).slice(0, maxRepairs);
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

/** Evenly spread over all classes, so that no agent is left out of a large config. */
function sample<T>(items: Iterable<T>, size: number, count: number): T[] {
  const stride = Math.max(1, Math.ceil(size / count));
  const chosen: T[] = [];
  let index = 0;
  for (const item of items) {
    if (index % stride === 0) chosen.push(item);
    index += 1;
  }
  return chosen;
}

interface LookedAt {
  classes: readonly ClassParts[];
  evaluator: ClassEvaluator;
  /** By class. */
  survivors: readonly Survivors[];
}

/** How many classes are looked at between two pauses. */
const classesPerStep = 16;

function* look(
  compiled: CompiledPolicy,
  tools: readonly RegisteredTool[],
  classes: readonly ClassParts[],
): Steps<LookedAt> {
  const evaluator = createClassEvaluator(compiled, tools);
  const survivors: Survivors[] = [];
  for (const [index, parts] of classes.entries()) {
    if (index % classesPerStep === 0) yield;
    survivors.push(evaluator.survivors(parts));
  }
  return { classes, evaluator, survivors };
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

/** One question and what its repairs are tried against. */
interface Question {
  compiled: CompiledPolicy;
  /** A snapshot. */
  config: unknown;
  context: PolicyContext;
  lists: ToolLists;
  trace: PolicyTrace;
  name: string;
  isKept: boolean;
}

/** Mends the first removing column in every known way, then the next one, until the tool is there. */
function* searchRepairs(
  { compiled, config, context, lists }: Question,
  position: number,
): Steps<readonly Move[]> {
  const maxSteps = 6;
  const maxNodes = 150;
  const found: Move[] = [];
  const seen = new Set<string>();
  let queue: { edits: Move; config: unknown; compiled: CompiledPolicy }[] = [{ edits: [], config, compiled }];
  let nodes = 0;
  for (let step = 0; step < maxSteps && queue.length > 0; step += 1) {
    const next: typeof queue = [];
    for (const state of queue) {
      yield;
      // Switches of availability live outside of the list of tools, so a tool they bring back is marked present.
      for (const move of repairMoves(state.compiled, context, lists.with(state.edits), position)) {
        nodes += 1;
        if (nodes > maxNodes) return found;
        // The name stands there already and did not help.
        if (move.some((edit) => repeatsEntry(state.config, edit))) continue;
        yield;
        const edits = [...state.edits, ...move];
        const edited = snapshotConfig(applyEdits(state.config, move));
        const key = JSON.stringify(edited);
        if (seen.has(key)) continue;
        seen.add(key);
        const after = compilePolicy(edited, { hardening: compiled.hardening, earlier: compiled });
        const list = lists.with(edits);
        const kept = evaluatePolicy(after, context, list).tools;
        if (kept.includes(list[position]?.name ?? "")) found.push(edits);
        else next.push({ edits, config: edited, compiled: after });
      }
    }
    queue = next;
  }
  return found;
}

/** Whether an insertion gives a list an entry that it has. */
function repeatsEntry(config: unknown, edit: ConfigEdit): boolean {
  if (edit.op !== "insert") return false;
  const list = valueAt(config, edit.path.slice(0, -1));
  return Array.isArray(list) && list.includes(edit.value);
}

/** Leaves out repairs that do all that a better one does, and something else besides. */
function withoutDetours(best: readonly Repair[]): Repair[] {
  const sets = best.map(({ edits }) => new Set(edits.map((edit) => JSON.stringify(edit))));
  return best.filter((_, index) => {
    const own = sets[index];
    return !sets
      .slice(0, index)
      .some((better) => own !== undefined && better.size < own.size && isSubset(better, own));
  });
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const item of part) if (!whole.has(item)) return false;
  return true;
}

/** The list of tools as it is, and as it would be once an edit turns on what the config switched off. */
interface ToolLists {
  with(edits: Move): readonly RegisteredTool[];
}

function createToolLists(tools: readonly RegisteredTool[], position: number): ToolLists {
  const tool = tools[position];
  const path = tool?.unavailable?.params?.path;
  if (tool === undefined || path === undefined) return { with: () => tools };
  const { unavailable: _, ...present } = tool;
  // One list object, because the engine is fast for a list that it has seen before.
  const switchedOn = tools.with(position, present);
  return {
    with: (edits) =>
      edits.some((edit) => edit.op === "set" && edit.value === true && edit.path.join(".") === path)
        ? switchedOn
        : tools,
  };
}

function* tryRepair(
  { compiled, config, context, lists, trace, name, isKept }: Question,
  edits: Move,
  before: LookedAt,
  problemsBefore: number,
): Steps<Repair | undefined> {
  yield;
  const edited = snapshotConfig(applyEdits(config, edits));
  const tools = lists.with(edits);
  const after = compilePolicy(edited, { hardening: compiled.hardening, earlier: compiled });
  const here = difference(trace.result.tools, evaluatePolicy(after, context, tools).tools);
  if (!(isKept ? here.closes : here.opens).includes(name)) return undefined;
  const now = yield* look(after, tools, before.classes);
  const contexts: RepairEffect[] = [];
  for (const [index, parts] of before.classes.entries()) {
    const old = before.survivors[index];
    const changed = now.survivors[index];
    if (old === undefined || changed === undefined || haveSameBits(old.bits, changed.bits)) continue;
    if (contexts.length % classesPerStep === 0) yield;
    const change = difference(before.evaluator.names(old), now.evaluator.names(changed));
    if (change.opens.length + change.closes.length > 0)
      contexts.push({ label: classOf(parts).label, ...change });
  }
  yield;
  return {
    edits: [...edits],
    opensHere: here.opens.filter((tool) => tool !== name),
    closesHere: here.closes.filter((tool) => tool !== name),
    contexts,
    contextsChecked: before.classes.length,
    isValid: validatePolicyConfig(edited).length <= problemsBefore,
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
