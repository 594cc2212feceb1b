/** What a verified repair changes besides the tool it was made for, told by agent. Pure. */

import type { z } from "zod";
import type { ContextClass } from "../../../../shared/policy/debug/index.ts";
import { agentWord } from "../../../../shared/policy/debug/repairSearch.ts";
import type { repairSchema } from "../../../../shared/policy/debug/schema.ts";

export type Repair = z.infer<typeof repairSchema>;

/** What was asked for, and so is no side effect: the tool in the sessions of this agent. */
export interface AskedFor {
  tool: string;
  /** As the classes of contexts call it. @see askedAgent */
  agent: string;
  /** It is there now, and the repairs take it away. */
  isKept: boolean;
}

export interface Change {
  opens: string[];
  closes: string[];
}

export interface SideEffects {
  /** Other tools that change in the asked context. */
  here: Change;
  /** Contexts of other agents in which something changes. */
  elsewhere: (Change & { agent: string; contexts: number })[];
  /** Other tools that change in further contexts of the asked agent. */
  sameAgent: Change;
  /** Nothing but what was asked for. */
  isClean: boolean;
  /** A sample was looked at, so there may be more. */
  isSample: boolean;
}

/** @returns the word for the asked agent in the labels of classes: agents that the config does not list share one */
export function askedAgent(config: unknown, agentId: string | undefined): string {
  return agentWord(config, agentId === undefined || agentId === "" ? {} : { agentId });
}

export function sideEffects(repair: Repair, asked: AskedFor): SideEffects {
  const elsewhere = new Map<string, { contexts: number; opens: Set<string>; closes: Set<string> }>();
  const same = { opens: new Set<string>(), closes: new Set<string>() };
  for (const { label, opens, closes } of repair.contexts) {
    if (label.agent === asked.agent) {
      for (const name of unasked(opens, asked, !asked.isKept)) same.opens.add(name);
      for (const name of unasked(closes, asked, asked.isKept)) same.closes.add(name);
    } else if (opens.length + closes.length > 0) {
      const known = elsewhere.get(label.agent) ?? { contexts: 0, opens: new Set(), closes: new Set() };
      known.contexts += 1;
      for (const name of opens) known.opens.add(name);
      for (const name of closes) known.closes.add(name);
      elsewhere.set(label.agent, known);
    }
  }
  const here = { opens: [...repair.opensHere], closes: [...repair.closesHere] };
  const sameAgent = {
    opens: [...same.opens].filter((name) => !here.opens.includes(name)),
    closes: [...same.closes].filter((name) => !here.closes.includes(name)),
  };
  const changes = [here, sameAgent].flatMap(({ opens, closes }) => [...opens, ...closes]);
  return {
    here,
    elsewhere: [...elsewhere].map(([agent, { contexts, opens, closes }]) => ({
      agent,
      contexts,
      opens: [...opens],
      closes: [...closes],
    })),
    sameAgent,
    isClean: changes.length === 0 && elsewhere.size === 0,
    isSample: repair.contextsChecked < repair.contextsTotal,
  };
}

/** The tool itself, changed as was wished, is no side effect. */
function unasked(names: readonly string[], { tool }: AskedFor, isWish: boolean): readonly string[] {
  return isWish ? names.filter((name) => name !== tool) : names;
}

export interface AgentSquares {
  agent: string;
  /** One per context, at most `limit`: what was asked for, something else opened or closed, or nothing. */
  squares: ("asked" | "opened" | "closed" | "same")[];
}

/**
 * A square per context, grouped by agent.
 * @param limit squares per agent; more contexts than that share squares, and an effect is never rounded away
 */
export function contextSquares(
  classes: readonly ContextClass[],
  repair: Repair,
  asked: AskedFor,
  limit: number,
): AgentSquares[] {
  const totals = new Map<string, number>();
  for (const { label } of classes) totals.set(label.agent, (totals.get(label.agent) ?? 0) + 1);
  return [...totals].map(([agent, total]) => {
    const counts = { opened: 0, closed: 0, asked: 0 };
    for (const { label, opens, closes } of repair.contexts) {
      if (label.agent !== agent) continue;
      const isOwn = agent === asked.agent;
      if (unasked(opens, asked, isOwn && !asked.isKept).length > 0) counts.opened += 1;
      else if (unasked(closes, asked, isOwn && asked.isKept).length > 0) counts.closed += 1;
      else counts.asked += 1;
    }
    const count = Math.min(limit, total);
    const share = (part: number) => (part === 0 ? 0 : Math.max(1, Math.round((part * count) / total)));
    const opened = Math.min(count, share(counts.opened));
    const closed = Math.min(count - opened, share(counts.closed));
    const wished = Math.min(count - opened - closed, share(counts.asked));
    const row = (size: number, kind: AgentSquares["squares"][number]) =>
      Array.from({ length: size }, () => kind);
    return {
      agent,
      squares: [
        ...row(wished, "asked"),
        ...row(opened, "opened"),
        ...row(closed, "closed"),
        ...row(count - wished - opened - closed, "same"),
      ],
    };
  });
}
