/** Looks for edits that give a tool the opposite answer, and for what each of them changes besides. */

import { type CompiledPolicy, compilePolicy } from "../compile.ts";
import { snapshotConfig, valueAt } from "../configRecord.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { normalizeAgentId } from "../names.ts";
import { agentScopes, defaultAgentId } from "../scopes.ts";
import { resolveAgentId } from "../sessionKeys.ts";
import type { ConfigEdit, PolicyContext, RegisteredTool } from "../types.ts";
import { applyEdits, fits } from "./configEdits.ts";
import { type Choice, type ClassLabel, labelOf } from "./contextClasses.ts";
import type { ContextSample } from "./contextSample.ts";
import { type Move, repairMoves } from "./repairMoves.ts";
import type { Steps } from "./steps.ts";
import {
  type ClassEvaluator,
  createClassEvaluator,
  hasBit,
  haveSameBits,
  type Survivors,
} from "./survivors.ts";
import { createToolSupply, type ToolList, type ToolSupply } from "./toolSupply.ts";

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
  /** Every context looked at in which something changes, the tool itself included. */
  contexts: RepairEffect[];
  contextsChecked: number;
  /** More than were looked at: then `contexts` are not all. */
  contextsTotal: number;
  /** Other agents, as the labels call them, that lose any tool. */
  takesFrom: string[];
  /** The edited config would not be refused at load. */
  isValid: boolean;
}

/** One question and what its repairs are tried against. */
export interface Question {
  compiled: CompiledPolicy;
  /** A snapshot. */
  config: unknown;
  context: PolicyContext;
  /** The tools of the asked context. */
  tools: ToolList;
  /** The tools of any context under an edited config, in the same order: edits can switch some on and off. */
  toolsOf(config: unknown, context: PolicyContext): ToolList;
  /** How much is wrong with a config. */
  problemsOf(config: unknown): number;
  name: string;
  isKept: boolean;
}

/** An edited config with its tools. */
interface Edited {
  edits: Move;
  config: unknown;
  compiled: CompiledPolicy;
  tools: ToolList;
}

/** Mends what removes the tool first in every known way, then what comes next, until the tool is there. */
export function* searchRepairs(question: Question): Steps<readonly Move[]> {
  const { compiled, config, context, tools, name } = question;
  const maxSteps = 6;
  const maxNodes = 150;
  const found: Move[] = [];
  const seen = new Set<string>();
  let queue: Edited[] = [{ edits: [], config, compiled, tools }];
  let nodes = 0;
  for (let step = 0; step < maxSteps && queue.length > 0; step += 1) {
    const next: Edited[] = [];
    for (const state of queue) {
      yield;
      const position = state.tools.findIndex((tool) => tool.name === name);
      for (const move of repairMoves(state.compiled, context, state.tools, position)) {
        nodes += 1;
        if (nodes > maxNodes) return found;
        // The name stands there already and did not help.
        if (move.some((edit) => repeatsEntry(state.config, edit))) continue;
        yield;
        const edited = editedBy(question, state, move);
        if (edited === undefined) continue;
        const key = JSON.stringify(edited.config);
        if (seen.has(key)) continue;
        seen.add(key);
        if (evaluatePolicy(edited.compiled, context, edited.tools).tools.includes(name))
          found.push(edited.edits);
        else next.push(edited);
      }
    }
    queue = next;
  }
  return found;
}

/** @returns undefined when a malformed config has no place for the edits */
function editedBy(question: Question, before: Edited, move: Move): Edited | undefined {
  const { compiled, context } = question;
  let config = before.config;
  for (const edit of move) {
    if (!fits(config, edit)) return undefined;
    config = snapshotConfig(applyEdits(config, [edit]));
  }
  return {
    edits: [...before.edits, ...move],
    config,
    compiled: compilePolicy(config, { hardening: compiled.hardening, earlier: compiled }),
    tools: move.every(isListEdit) ? before.tools : question.toolsOf(config, context),
  };
}

const listKeys: ReadonlySet<string | number> = new Set(["allow", "alsoAllow", "deny", "profile"]);

/** Whether an edit is of a list that tools are filtered by, so that the same tools come into being. */
function isListEdit({ path }: ConfigEdit): boolean {
  return path[0] !== "plugins" && path.some((part) => listKeys.has(part));
}

/** Whether an insertion gives a list an entry that it has. */
function repeatsEntry(config: unknown, edit: ConfigEdit): boolean {
  if (edit.op !== "insert") return false;
  const list = valueAt(config, edit.path.slice(0, -1));
  return Array.isArray(list) && list.includes(edit.value);
}

/** What is left in each class of a sample. */
export interface LookedAt {
  sample: ContextSample;
  supply: ToolSupply;
  /** By class, as the survivors are. */
  lists: readonly ToolList[];
  survivors: readonly Survivors[];
}

/** How many classes are looked at between two pauses. */
const classesPerStep = 16;

/** @param earlier the same sample under the config before an edit: what the edit left alone is taken over */
export function* lookAt(
  compiled: CompiledPolicy,
  supply: ToolSupply,
  sample: ContextSample,
  earlier?: LookedAt,
): Steps<LookedAt> {
  const lists = earlier?.supply === supply ? earlier.lists : yield* listsOf(supply, sample);
  const evaluators = new Map<ToolList, ClassEvaluator>();
  const evaluatorOf = (tools: ToolList): ClassEvaluator => {
    const known = evaluators.get(tools) ?? createClassEvaluator(compiled, tools);
    evaluators.set(tools, known);
    return known;
  };
  const survivors: Survivors[] = [];
  for (const [index, parts] of sample.classes.entries()) {
    if (index % classesPerStep === 0) yield;
    const evaluator = evaluatorOf(lists[index] ?? supply.all);
    survivors.push(evaluator.survivors(parts, earlier?.survivors[index]));
  }
  return { sample, supply, lists, survivors };
}

/** The list of each class; classes of one agent and model meet the same ones. */
function* listsOf(supply: ToolSupply, { classes }: ContextSample): Steps<ToolList[]> {
  const known = new Map<Choice, Map<Choice, Map<string, ToolList>>>();
  const lists: ToolList[] = [];
  for (const [index, { agent, model, sandboxed, surface }] of classes.entries()) {
    if (index % classesPerStep === 0) yield;
    const ofAgent = known.get(agent) ?? new Map<Choice, Map<string, ToolList>>();
    known.set(agent, ofAgent);
    const ofModel = ofAgent.get(model) ?? new Map<string, ToolList>();
    ofAgent.set(model, ofModel);
    const key = sandboxed ? `${surface} sandboxed` : surface;
    const list =
      ofModel.get(key) ?? supply.listFor({ ...agent.context, ...model.context, sandboxed, surface });
    ofModel.set(key, list);
    lists.push(list);
  }
  return lists;
}

/** The tools of all contexts under a config. */
export function supplyOf({ toolsOf }: Question, config: unknown): ToolSupply {
  return createToolSupply((context) => toolsOf(config, context));
}

/** @returns undefined when the edits do not do what they are for */
export function* tryRepair(
  question: Question,
  edits: Move,
  before: LookedAt,
  problemsBefore: number,
): Steps<Repair | undefined> {
  const { compiled, config, context, tools, name, isKept } = question;
  yield;
  const edited = editedBy(question, { edits: [], config, compiled, tools }, edits);
  if (edited === undefined) return undefined;
  const here = difference(
    evaluatePolicy(compiled, context, tools).tools,
    evaluatePolicy(edited.compiled, context, edited.tools).tools,
  );
  if (!(isKept ? here.closes : here.opens).includes(name)) return undefined;
  const { sample } = before;
  const supply = edits.every(isListEdit) ? before.supply : supplyOf(question, edited.config);
  const now = yield* lookAt(edited.compiled, supply, sample, before);
  const contexts: RepairEffect[] = [];
  for (const [index, parts] of sample.classes.entries()) {
    const old = before.survivors[index];
    const changed = now.survivors[index];
    if (old === undefined || changed === undefined || old === changed) continue;
    if (haveSameBits(old.bits, changed.bits)) continue;
    if (contexts.length % classesPerStep === 0) yield;
    const change = differenceOf(old, changed);
    if (change.opens.length + change.closes.length > 0) contexts.push({ label: labelOf(parts), ...change });
  }
  yield;
  return {
    edits: [...edits],
    opensHere: here.opens.filter((tool) => tool !== name),
    closesHere: here.closes.filter((tool) => tool !== name),
    contexts,
    contextsChecked: sample.classes.length,
    contextsTotal: sample.total,
    takesFrom: losersOf(contexts, agentWord(config, context)),
    isValid: question.problemsOf(edited.config) <= problemsBefore,
  };
}

/** @returns the word for the agent of a context in the labels of classes: agents that are not listed share one */
export function agentWord(config: unknown, { agentId, sessionKey }: PolicyContext): string {
  const listed = agentScopes(config);
  const id = normalizeAgentId(resolveAgentId(agentId, sessionKey) ?? defaultAgentId(config));
  if (listed.has(id)) return id;
  return listed.size === 0 ? "any" : "any-other-agent";
}

function losersOf(contexts: readonly RepairEffect[], asked: string): string[] {
  const losing = contexts.filter(({ label, closes }) => closes.length > 0 && label.agent !== asked);
  return [...new Set(losing.map(({ label }) => label.agent))];
}

function difference(
  before: readonly string[],
  after: readonly string[],
): { opens: string[]; closes: string[] } {
  const old = new Set(before);
  const now = new Set(after);
  return { opens: after.filter((tool) => !old.has(tool)), closes: before.filter((tool) => !now.has(tool)) };
}

/** The same by bits: both lists hold the same tools in the same order, and few of very many change. */
function differenceOf(before: Survivors, after: Survivors): { opens: string[]; closes: string[] } {
  const { slots } = after.entering.index;
  const opens: string[] = [];
  const closes: string[] = [];
  for (let word = 0; word < after.bits.length; word += 1) {
    const changed = (before.bits[word] ?? 0) ^ (after.bits[word] ?? 0);
    if (changed === 0) continue;
    for (let slot = word << 5; slot < Math.min(slots.length, (word + 1) << 5); slot += 1) {
      if ((changed & (1 << (slot & 31))) === 0) continue;
      (hasBit(after.bits, slot) ? opens : closes).push(slots[slot]?.name ?? "");
    }
  }
  return { opens, closes };
}

/** The least that an operator would regret first; what does all that a better one does and more is left out. */
export function rankRepairs(repairs: readonly Repair[]): Repair[] {
  return withoutDetours(repairs.toSorted((a, b) => costOf(a) - costOf(b)));
}

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

/** Heaviest first: a refused config, losses of other agents, other tools here, changes elsewhere, many edits. */
function costOf(repair: Repair): number {
  const here = repair.opensHere.length * 2 + repair.closesHere.length;
  const elsewhere = repair.contexts.reduce(
    (sum, effect) => sum + effect.opens.length + effect.closes.length,
    0,
  );
  return (
    (repair.isValid ? 0 : 1e13) +
    (repair.takesFrom.length > 0 ? 1e12 : 0) +
    here * 1e7 +
    elsewhere * 1e2 +
    repair.edits.length
  );
}

/** The same tools whatever is edited, for questions about tools that nobody can switch. */
export function sameTools(tools: readonly RegisteredTool[]): Question["toolsOf"] {
  return () => tools;
}
