/** Which tools survive in very many contexts: one bit per tool, and every part of a context is looked at once. */

import type { CompiledPolicy } from "../compile.ts";
import { entryFacts, setBit, stageMask } from "../evaluate.ts";
import type { HttpDenyPolicy } from "../httpSurface.ts";
import { normalizeKey } from "../names.ts";
import type { StagePolicy } from "../pick.ts";
import { agentStages, groupStage, sandboxStageFor, subagentStageFor } from "../plan.ts";
import { enterPipeline, isOwnerOnlyTool } from "../preFilters.ts";
import { type EnteringTools, indexTools, type ToolIndex } from "../toolIndex.ts";
import type { PolicyContext, RegisteredTool } from "../types.ts";
import type { Choice, ClassParts, RoleChoice } from "./contextClasses.ts";

/** What is left in one class of contexts. */
export interface Survivors {
  /** One bit per position in the list of tools. Shared: not to be changed. */
  bits: Uint32Array;
  entering: EnteringTools;
  basis: Basis;
}

/** Everything that decided in a class, besides the tools that entered; equal objects decide equally. */
interface Basis {
  stages: readonly StagePolicy[];
  group: StagePolicy | undefined;
  sandbox: StagePolicy | undefined;
  role: StagePolicy | undefined;
  /** What the end of the HTTP surface lets pass. */
  http: Uint32Array | undefined;
}

export interface ClassEvaluator {
  /**
   * The same tools that `evaluatePolicy` gives for the class's context.
   * @param earlier what another config leaves in this class; given back when nothing that decides has changed
   */
  survivors(parts: ClassParts, earlier?: Survivors): Survivors;
  /** Their names, in the order of `evaluatePolicy`. */
  names(survivors: Survivors): string[];
}

/** The stages that agent, model and surface bring along, and what they leave of the tools that entered. */
interface AgentPart {
  stages: readonly StagePolicy[];
  context: PolicyContext;
  masks: Map<EnteringTools, Uint32Array>;
}

interface GroupPart {
  stage: StagePolicy | undefined;
  /** The channel, if pre-filters look at it. */
  special: "voice" | "node" | "";
}

/**
 * Stages judge every tool on its own, whatever was removed before; so the answer of a context is what all of its
 * stages, the pre-filters and the surface let pass.
 */
export function createClassEvaluator(
  compiled: CompiledPolicy,
  tools: readonly RegisteredTool[],
): ClassEvaluator {
  const index = indexTools(tools);
  const agentParts = new Map<Choice, Map<Choice, AgentPart>>();
  const groups = new Map<Choice, GroupPart>();
  const sandboxes = new Map<Choice, StagePolicy | undefined>();
  const roles = new Map<RoleChoice, Record<ClassParts["surface"], StagePolicy | undefined>>();
  const entrances = createEntrances(compiled, index);

  const agentPartOf = ({ agent, model, surface }: ClassParts): AgentPart =>
    remembered(
      remembered(agentParts, agent, () => new Map<Choice, AgentPart>()),
      // HTTP classes have a model of their own that says nothing.
      model,
      () => {
        const context: PolicyContext = { ...agent.context, ...model.context, surface };
        return { stages: agentStages(compiled, context), context, masks: new Map() };
      },
    );
  const groupOf = ({ group }: ClassParts) =>
    remembered(groups, group, () => ({
      stage: groupStage(compiled, group.context),
      special: specialChannel(group.context),
    }));
  const sandboxOf = ({ agent, sandboxed, surface }: ClassParts) =>
    surface === "http" || !sandboxed
      ? undefined
      : remembered(sandboxes, agent, () =>
          sandboxStageFor(compiled, { ...agent.context, sandboxed: true, surface }),
        );
  const roleOf = ({ role, surface }: ClassParts) =>
    remembered(roles, role, () => {
      const stageOn = (where: ClassParts["surface"]) =>
        subagentStageFor(compiled, {
          subagentDepth: role.depth,
          ...(role.isStored === true ? { subagentRole: role.role } : {}),
          surface: where,
        });
      return { model: stageOn("model"), http: stageOn("http") };
    })[surface];

  return {
    survivors(parts, earlier) {
      const part = agentPartOf(parts);
      const group = groupOf(parts);
      const basis: Basis = {
        stages: part.stages,
        group: group.stage,
        sandbox: sandboxOf(parts),
        role: roleOf(parts),
        http: parts.surface === "http" ? httpMask(compiled.httpDeny, index, parts.owner) : undefined,
      };
      const others = [basis.group, basis.sandbox, basis.role];
      const entering = entrances(part, others, group, parts);
      if (earlier?.entering === entering && isSameBasis(earlier.basis, basis)) return earlier;
      const base = remembered(part.masks, entering, () => {
        const mask = bitsOf(index, entering.slots);
        for (const stage of part.stages) keepCommon(mask, stageMask(compiled, stage, entering));
        return mask;
      });
      const bits = base.slice();
      for (const stage of others) {
        if (stage !== undefined) keepCommon(bits, stageMask(compiled, stage, entering));
      }
      if (basis.http !== undefined) keepCommon(bits, basis.http);
      for (const slot of entering.appended) setBit(bits, slot);
      return { bits, entering, basis };
    },
    names({ bits, entering }) {
      const appended = new Set(entering.appended);
      const inside = [...index.slots.keys()].filter((slot) => hasBit(bits, slot) && !appended.has(slot));
      return [...inside, ...entering.appended].map((slot) => index.slots[slot]?.name ?? "");
    },
  };
}

export function hasBit(bits: Uint32Array, position: number): boolean {
  return ((bits[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0;
}

/** Both of the same list of tools. */
export function haveSameBits(a: Uint32Array, b: Uint32Array): boolean {
  for (let word = 0; word < a.length; word += 1) if (a[word] !== b[word]) return false;
  return true;
}

/** Stages that an edit left alone are the same objects before and after it, see `compilePolicy`. */
function isSameBasis(a: Basis, b: Basis): boolean {
  return (
    a.group === b.group &&
    a.sandbox === b.sandbox &&
    a.role === b.role &&
    a.http === b.http &&
    a.stages.length === b.stages.length &&
    a.stages.every((stage, position) => stage === b.stages[position])
  );
}

function specialChannel(context: PolicyContext): GroupPart["special"] {
  const channel = normalizeKey(context.channel);
  return channel === "voice" || channel === "node" ? channel : "";
}

function keepCommon(bits: Uint32Array, mask: Uint32Array): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) & (mask[word] ?? 0);
}

function bitsOf(index: ToolIndex, slots: readonly number[]): Uint32Array {
  const bits = new Uint32Array((index.slots.length + 31) >>> 5);
  for (const slot of slots) setBit(bits, slot);
  return bits;
}

interface HttpMasks {
  ofOwner: Uint32Array;
  ofOthers: Uint32Array;
}

const httpMemory = new WeakMap<HttpDenyPolicy, WeakMap<ToolIndex, HttpMasks>>();

/** What the owner filter and the deny set of the HTTP surface let pass (policy §15). */
function httpMask(policy: HttpDenyPolicy, index: ToolIndex, isOwner: boolean): Uint32Array {
  const memory = httpMemory.get(policy) ?? new WeakMap<ToolIndex, HttpMasks>();
  httpMemory.set(policy, memory);
  const known = memory.get(index) ?? httpMasksOf(policy, index);
  memory.set(index, known);
  return isOwner ? known.ofOwner : known.ofOthers;
}

function httpMasksOf(policy: HttpDenyPolicy, index: ToolIndex): HttpMasks {
  const passing = [...index.slots.keys()].filter((position) => {
    const slot = index.slots[position];
    return slot !== undefined && policy.denies(slot) === undefined;
  });
  const forOthers = passing.filter((position) => {
    const slot = index.slots[position];
    return slot !== undefined && !isOwnerOnlyTool(slot);
  });
  return { ofOwner: bitsOf(index, passing), ofOthers: bitsOf(index, forOthers) };
}

/** Which tools enter, by the few facts that decide it. */
function createEntrances(compiled: CompiledPolicy, index: ToolIndex) {
  const byPart = new Map<AgentPart, Map<string, EnteringTools>>();
  return (
    part: AgentPart,
    others: readonly (StagePolicy | undefined)[],
    { special }: GroupPart,
    { group, owner }: ClassParts,
  ): EnteringTools => {
    const work = () => {
      const context: PolicyContext = { ...part.context, ...group.context, senderIsOwner: owner };
      const stages = [...part.stages, ...others.filter((stage) => stage !== undefined)];
      return enterPipeline(index, entryFacts(compiled, context, { stages }, index));
    };
    // What optional tools are enabled by depends on every stage.
    if (index.hasOptional) return work();
    const known = remembered(byPart, part, () => new Map<string, EnteringTools>());
    return remembered(known, owner ? `owner ${special}` : special, work);
  };
}

function remembered<Key, Value>(memory: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined || memory.has(key)) return known as Value;
  const made = make();
  memory.set(key, made);
  return made;
}
