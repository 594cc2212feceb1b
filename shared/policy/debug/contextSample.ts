/** Which classes of contexts a repair is tried in: all of them, or a sample around the asked one when they are too many. */

import { normalizeKey } from "../names.ts";
import { resolveAgentId, subagentDepthOfKey } from "../sessionKeys.ts";
import { roleOfDepth } from "../subagentPolicy.ts";
import type { PolicyContext } from "../types.ts";
import { type ClassAxes, type ClassParts, combine, countClasses, noModel } from "./contextClasses.ts";
import type { Steps } from "./steps.ts";

export interface ContextSample {
  classes: readonly ClassParts[];
  /** How many there are. */
  total: number;
}

/** Positions of a class's values, one per axis. */
type Point = readonly number[];

const axisCount = 7;

/**
 * A change at one place of the config shows where the values differ that this place looks at, one or two of them
 * (agent and model, agent and group, role and surface). So the sample has every pair of values of any two axes, the
 * others as in the asked context; pairs of very long axes are thinned, and every single value stays.
 * @param max about how many classes may be looked at; never fewer than one for each value
 */
export function* sampleContexts(axes: ClassAxes, asked: PolicyContext, max: number): Steps<ContextSample> {
  const total = countClasses(axes);
  if (total <= max) return { classes: [...combine(axes)], total };
  const base = basePoint(axes, asked);
  const sizes = sizesOf(axes);
  const pairs = Array.from({ length: axisCount }, (_, a) =>
    Array.from({ length: axisCount - a - 1 }, (_, b) => [a, a + b + 1] as const),
  ).flat();
  const sizeOf = ([a, b]: readonly [number, number]) => (sizes[a] ?? 1) * (sizes[b] ?? 1);
  const chosen = new Map<string, ClassParts>();
  // What short axes do not use is left for the long ones.
  let left = max;
  for (const [index, [a, b]] of pairs.toSorted((p, q) => sizeOf(p) - sizeOf(q)).entries()) {
    yield;
    const share = Math.max(1, Math.floor(left / (pairs.length - index)));
    for (const [x, y] of thinned(sizes[a] ?? 1, sizes[b] ?? 1, share)) {
      left -= 1;
      const point = base.map((value, axis) => (axis === a ? x : axis === b ? y : value));
      const found = partsAt(axes, point);
      if (found !== undefined) chosen.set(found.key, found.parts);
    }
  }
  return { classes: [...chosen.values()], total };
}

/** All pairs, or diagonals through them: each value of both sides occurs. */
function* thinned(width: number, height: number, share: number): Generator<readonly [number, number]> {
  const isWhole = width * height <= share;
  const longer = Math.max(width, height);
  const rounds = isWhole ? height : Math.max(1, Math.floor(share / longer));
  const steps = isWhole ? width : longer;
  for (let round = 0; round < rounds; round += 1) {
    for (let step = 0; step < steps; step += 1) yield [step % width, (step + round) % height];
  }
}

function sizesOf({ agents, groups, roles, owners, surfaces }: ClassAxes): number[] {
  const longest = (of: (agent: ClassAxes["agents"][number]) => number) => Math.max(1, ...agents.map(of));
  return [
    agents.length,
    longest(({ models }) => models.length),
    groups.length,
    roles.length,
    owners.length,
    longest(({ sandboxed }) => sandboxed.length),
    surfaces.length,
  ];
}

/** Where the asked context is among the values; what no value fits takes the first, which is the plainest. */
function basePoint({ agents, groups, roles, owners, surfaces }: ClassAxes, asked: PolicyContext): Point {
  const id = resolveAgentId(asked.agentId, asked.sessionKey);
  const ownAgent = agents.findIndex(({ choice }) => choice.context.agentId === id);
  const agent = ownAgent === -1 ? agents.length - 1 : ownAgent;
  const sameKey = (a: string | undefined, b: string | undefined) => normalizeKey(a) === normalizeKey(b);
  const models = agents[agent]?.models ?? [];
  const exact = models.findIndex(
    ({ context }) => sameKey(context.provider, asked.provider) && sameKey(context.model, asked.model),
  );
  const near = models.findIndex(({ context }) => sameKey(context.provider, asked.provider));
  const group = groups.findIndex(
    ({ context }) => sameKey(context.channel, asked.channel) && context.groupId === asked.groupId,
  );
  const leafDepth = roles.find((choice) => choice.role === "leaf")?.depth ?? 1;
  const depth = asked.spawnDepth ?? asked.subagentDepth ?? subagentDepthOfKey(asked.sessionKey);
  const wanted = asked.subagentRole ?? roleOfDepth(depth, leafDepth);
  return [
    agent,
    exact === -1 ? near : exact,
    group,
    roles.findIndex(({ role }) => role === wanted),
    owners.indexOf(asked.senderIsOwner === true),
    (agents[agent]?.sandboxed ?? []).indexOf(asked.sandboxed === true),
    surfaces.indexOf(asked.surface === "http" ? "http" : "model"),
  ].map((position) => Math.max(0, position));
}

/** @returns undefined for a combination that does not exist; over HTTP there is one model and no sandbox */
function partsAt(axes: ClassAxes, point: Point): { key: string; parts: ClassParts } | undefined {
  const [a = 0, m = 0, g = 0, r = 0, o = 0, s = 0, u = 0] = point;
  const agent = axes.agents[a];
  const surface = axes.surfaces[u];
  if (agent === undefined || surface === undefined) return undefined;
  const group = axes.groups[g];
  const role = axes.roles[r];
  const owner = axes.owners[o];
  if (group === undefined || role === undefined || owner === undefined) return undefined;
  if (surface === "http") {
    if (role.isStored === true) return undefined;
    const parts: ClassParts = {
      agent: agent.choice,
      model: noModel,
      group,
      role,
      owner,
      sandboxed: false,
      surface,
    };
    return { key: [a, "", g, r, o, "", u].join(), parts };
  }
  const modelAt = m % agent.models.length;
  const modeAt = s % agent.sandboxed.length;
  const model = agent.models[modelAt];
  const sandboxed = agent.sandboxed[modeAt];
  if (model === undefined || sandboxed === undefined) return undefined;
  const parts: ClassParts = { agent: agent.choice, model, group, role, owner, sandboxed, surface };
  return { key: [a, modelAt, g, r, o, modeAt, u].join(), parts };
}
