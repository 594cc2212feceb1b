/** Which tools survive in very many contexts: one bit per tool, and every part of a context is looked at once. */

import type { CompiledPolicy } from "../compile.ts";
import { entryFacts, setBit, stageMask } from "../evaluate.ts";
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
}

export interface ClassEvaluator {
  /** The same tools that `evaluatePolicy` gives for the class's context. */
  survivors(parts: ClassParts): Survivors;
  /** Their names, in the order of `evaluatePolicy`. */
  names(survivors: Survivors): string[];
}

/** The stages that agent, model and surface bring along, and what they leave of the tools that entered. */
interface AgentPart {
  stages: readonly StagePolicy[];
  context: PolicyContext;
  masks: Map<EnteringTools, Uint32Array>;
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
  const groups = new Map<Choice, StagePolicy | undefined>();
  const sandboxes = new Map<Choice, StagePolicy | undefined>();
  const roles = new Map<RoleChoice, Record<ClassParts["surface"], StagePolicy | undefined>>();
  const entrances = createEntrances(compiled, index);
  const httpMasks = [false, true].map((isOwner) => httpMask(compiled, index, isOwner));

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
    remembered(groups, group, () => groupStage(compiled, group.context));
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
    survivors(parts) {
      const part = agentPartOf(parts);
      const others = [groupOf(parts), sandboxOf(parts), roleOf(parts)];
      const entering = entrances(part, others, parts);
      const base = remembered(part.masks, entering, () => {
        const mask = bitsOf(index, entering.slots);
        for (const stage of part.stages) keepCommon(mask, stageMask(compiled, stage, entering));
        return mask;
      });
      const bits = base.slice();
      for (const stage of others) {
        if (stage !== undefined) keepCommon(bits, stageMask(compiled, stage, entering));
      }
      if (parts.surface === "http") keepCommon(bits, httpMasks[parts.owner ? 1 : 0] ?? bits);
      for (const slot of entering.appended) setBit(bits, slot);
      return { bits, entering };
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

function keepCommon(bits: Uint32Array, mask: Uint32Array): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) & (mask[word] ?? 0);
}

function bitsOf(index: ToolIndex, slots: readonly number[]): Uint32Array {
  const bits = new Uint32Array((index.slots.length + 31) >>> 5);
  for (const slot of slots) setBit(bits, slot);
  return bits;
}

/** What the owner filter and the deny set of the HTTP surface let pass (policy §15). */
function httpMask(compiled: CompiledPolicy, index: ToolIndex, isOwner: boolean): Uint32Array {
  const passing = index.slots.flatMap((slot, position) =>
    (!isOwner && isOwnerOnlyTool(slot)) || compiled.httpDeny.denies(slot) !== undefined ? [] : [position],
  );
  return bitsOf(index, passing);
}

/** Which tools enter, by the few facts that decide it. */
function createEntrances(compiled: CompiledPolicy, index: ToolIndex) {
  const byPart = new Map<AgentPart, Map<string, EnteringTools>>();
  return (
    part: AgentPart,
    others: readonly (StagePolicy | undefined)[],
    { group, owner }: ClassParts,
  ): EnteringTools => {
    const channel = normalizeKey(group.context.channel) ?? "";
    const special = channel === "voice" || channel === "node" ? channel : "";
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
