/** Every context that a config can tell apart, one representative each (for proofs over all contexts). */

import type { CompiledPolicy } from "../compile.ts";
import { getIn } from "../configRecord.ts";
import { normalizeAgentId } from "../names.ts";
import { maxSpawnDepth } from "../subagentPolicy.ts";
import type { PolicyContext } from "../types.ts";
import { groupChoices } from "./groupClasses.ts";
import { createListIds, modelChoices, modelSignature } from "./modelClasses.ts";
import { finish, type Steps } from "./steps.ts";
import type { ToolList, ToolSupply } from "./toolSupply.ts";

/** Words for one class, for people and for filters. */
export interface ClassLabel {
  agent: string;
  model: string;
  group: string;
  owner: boolean;
  sandboxed: boolean;
  role: "main" | "orchestrator" | "leaf";
  surface: "model" | "http";
  /** What the machine has to lack for it, in words; absent: nothing. */
  tools?: string;
}

export interface ContextClass {
  context: PolicyContext;
  label: ClassLabel;
}

/** Values that a question names and that must not be merged with others. */
export interface ContextFocus {
  agentId?: string;
  provider?: string;
  model?: string;
  channel?: string;
  groupId?: string;
  senderId?: string;
}

/** One value of a dimension. Classes share these objects, so what depends on one of them is worked out once. */
export interface Choice {
  readonly label: string;
  readonly context: PolicyContext;
}

export interface RoleChoice {
  readonly role: ClassLabel["role"];
  readonly depth: number;
  /** The session carries the role although its depth would give another; HTTP never looks at it. */
  readonly isStored?: boolean;
}

/** A class by its values, before it is put together: very many of them are looked at, few are shown. */
export interface ClassParts {
  readonly agent: Choice;
  readonly model: Choice;
  readonly group: Choice;
  readonly role: RoleChoice;
  readonly owner: boolean;
  readonly sandboxed: boolean;
  readonly surface: ClassLabel["surface"];
}

/** The values that can be combined. */
export interface ClassAxes {
  readonly agents: readonly { choice: Choice; models: readonly Choice[]; sandboxed: readonly boolean[] }[];
  readonly groups: readonly Choice[];
  readonly roles: readonly RoleChoice[];
  readonly owners: readonly boolean[];
  readonly surfaces: readonly ClassLabel["surface"][];
}

/** Answers for one compiled config; values that several questions share are worked out once. */
export interface ContextSpace {
  axes(focus: ContextFocus): Steps<ClassAxes>;
}

/** A name that no config uses by accident; it stands for every name that the config does not mention. */
const otherAgent = "any-other-agent";

/** Over HTTP neither model nor sandbox are looked at. */
export const noModel: Choice = { label: "not looked at", context: {} };

/**
 * Lists one context per class. MCP clients see what models see, so the surfaces are model and HTTP.
 * A class stands for all contexts whose stage policies, pre-filters and owner status are the same.
 */
export function enumerateContexts(compiled: CompiledPolicy, focus: ContextFocus = {}): ContextClass[] {
  const axes = finish(createContextSpace(compiled).axes(focus));
  return [...combine(axes)].map(classOf);
}

/** @param supply absent: the same tools everywhere, so that they tell no contexts apart */
export function createContextSpace(compiled: CompiledPolicy, supply?: ToolSupply): ContextSpace {
  const listIds = createListIds(supply);
  const groups = new Map<string, readonly Choice[]>();
  const models = new Map<string, readonly Choice[]>();
  const ownModels = new Map<string, readonly Choice[]>();
  return {
    *axes(focus) {
      const groupKey = JSON.stringify([focus.channel, focus.groupId, focus.senderId]);
      const groupsHere = groups.get(groupKey) ?? (yield* groupChoices(compiled, focus));
      groups.set(groupKey, groupsHere);
      const modelKey = JSON.stringify([focus.provider, focus.model]);
      const modelsHere = models.get(modelKey) ?? modelChoices(compiled, focus);
      models.set(modelKey, modelsHere);
      const agents: { choice: Choice; models: readonly Choice[]; sandboxed: readonly boolean[] }[] = [];
      for (const choice of agentChoices(compiled, focus)) {
        yield;
        const id = choice.context.agentId;
        const key = JSON.stringify([id, focus.provider, focus.model]);
        const distinct =
          ownModels.get(key) ??
          distinctBy(modelsHere, (model) => modelSignature(compiled, id, model.context, focus, listIds));
        ownModels.set(key, distinct);
        agents.push({ choice, models: distinct, sandboxed: sandboxChoices(compiled, id) });
      }
      return {
        agents,
        groups: groupsHere,
        roles: roleChoices(compiled),
        owners: [true, false],
        surfaces: ["model", "http"],
      };
    },
  };
}

/** Every combination, always in the same order. */
export function* combine({ agents, groups, roles, owners, surfaces }: ClassAxes): Generator<ClassParts> {
  const isModel = surfaces.includes("model");
  const isHttp = surfaces.includes("http");
  for (const { choice: agent, models, sandboxed: modes } of agents) {
    for (const group of groups) {
      for (const role of roles) {
        for (const owner of owners) {
          if (isModel) {
            for (const model of models) {
              for (const sandboxed of modes) {
                yield { agent, model, group, role, owner, sandboxed, surface: "model" };
              }
            }
          }
          if (isHttp && role.isStored !== true) {
            yield { agent, model: noModel, group, role, owner, sandboxed: false, surface: "http" };
          }
        }
      }
    }
  }
}

/** How many classes `combine` gives. */
export function countClasses({ agents, groups, roles, owners, surfaces }: ClassAxes): number {
  const onModel = agents.reduce((sum, { models, sandboxed }) => sum + models.length * sandboxed.length, 0);
  const perGroup = surfaces.includes("model") ? onModel * roles.length : 0;
  const rolesOnHttp = roles.filter((role) => role.isStored !== true).length;
  const perGroupOnHttp = surfaces.includes("http") ? agents.length * rolesOnHttp : 0;
  return (perGroup + perGroupOnHttp) * groups.length * owners.length;
}

/** Puts a class together. */
export function classOf(parts: ClassParts): ContextClass {
  const { agent, model, group, role, owner, sandboxed, surface } = parts;
  return {
    context: {
      ...agent.context,
      ...model.context,
      ...group.context,
      ...(role.depth > 0 ? { subagentDepth: role.depth } : {}),
      ...(role.isStored === true ? { subagentRole: role.role } : {}),
      senderIsOwner: owner,
      sandboxed,
      surface,
    },
    label: labelOf(parts),
  };
}

/** The words of a class alone, for answers that show very many. */
export function labelOf({ agent, model, group, role, owner, sandboxed, surface }: ClassParts): ClassLabel {
  return {
    agent: agent.label,
    model: model.label,
    group: group.label,
    owner,
    sandboxed,
    role: role.role,
    surface,
  };
}

export interface ClassDimension {
  dimension: keyof ClassLabel;
  /** Each once. */
  values: string[];
}

/** What was told apart, dimension by dimension, for a report. */
export function describeAxes({ agents, groups, roles, owners, surfaces }: ClassAxes): ClassDimension[] {
  const once = (values: readonly (string | boolean)[]) => [...new Set(values.map(String))];
  const isHttp = surfaces.includes("http");
  return [
    { dimension: "agent", values: once(agents.map(({ choice }) => choice.label)) },
    {
      dimension: "model",
      values: once([
        ...agents.flatMap(({ models }) => models.map((model) => model.label)),
        ...(isHttp ? [noModel.label] : []),
      ]),
    },
    { dimension: "group", values: once(groups.map((group) => group.label)) },
    { dimension: "owner", values: once(owners) },
    {
      dimension: "sandboxed",
      values: once([...agents.flatMap(({ sandboxed }) => sandboxed), ...(isHttp ? [false] : [])]),
    },
    { dimension: "role", values: once(roles.map(({ role }) => role)) },
    { dimension: "surface", values: once(surfaces) },
  ];
}

/** The lists of tools that the classes meet, by what they lack of the longest; none when all have the same. */
export function describeSupply({ agents, surfaces }: ClassAxes, supply: ToolSupply): ClassDimension[] {
  const values = new Set<string>();
  const doubtful = new Set<string>();
  const lists = new Set<ToolList>();
  for (const { choice, models, sandboxed } of agents) {
    for (const model of surfaces.includes("http") ? [...models, noModel] : models) {
      for (const mode of sandboxed) {
        const context = { ...choice.context, ...model.context, sandboxed: mode };
        lists.add(supply.listFor(context));
        for (const name of supply.doubtsIn(context).keys()) doubtful.add(name);
      }
    }
  }
  for (const list of lists) {
    const lacking = list.filter((tool) => tool.unavailable !== undefined).map(({ name }) => name);
    values.add(lacking.length === 0 ? "all" : `without ${lacking.join(" ")}`);
  }
  for (const name of doubtful) values.add(`${name} may be missing`);
  return [{ dimension: "tools", values: [...values] }];
}

function distinctBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const known = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!known.has(key)) known.set(key, item);
  }
  return [...known.values()];
}

function agentChoices(compiled: CompiledPolicy, focus: ContextFocus): Choice[] {
  const ids = new Set([...compiled.agents.keys()]);
  if (focus.agentId !== undefined) ids.add(normalizeAgentId(focus.agentId));
  // Where no agent is set apart, the name that stands for all of them says so.
  const rest: Choice = {
    label: ids.size === 0 ? "any" : otherAgent,
    context: { agentId: otherAgent },
  };
  return [
    ...[...ids].filter((id) => id !== otherAgent).map((id) => ({ label: id, context: { agentId: id } })),
    rest,
  ];
}

function roleChoices(compiled: CompiledPolicy): RoleChoice[] {
  const max = maxSpawnDepth(compiled.config);
  const main: RoleChoice = { role: "main", depth: 0 };
  const leaf: RoleChoice = { role: "leaf", depth: max };
  // A session keeps the role that it was given, also when the limit is lowered afterwards.
  const orchestrator: RoleChoice = { role: "orchestrator", depth: 1, ...(max > 1 ? {} : { isStored: true }) };
  return [main, orchestrator, leaf];
}

/** Whether sessions of an agent can be sandboxed at all, and whether they can be unsandboxed. */
function sandboxChoices(compiled: CompiledPolicy, agentId: string | undefined): boolean[] {
  const agent = agentId === undefined ? undefined : compiled.agents.get(agentId);
  const mode =
    getIn(agent?.entry, "sandbox", "mode") ??
    getIn(compiled.config, "agents", "defaults", "sandbox", "mode") ??
    "off";
  if (mode === "all") return [true];
  return mode === "non-main" ? [false, true] : [false];
}
