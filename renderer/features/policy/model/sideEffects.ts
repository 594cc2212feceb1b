/** What a verified repair changes besides the tool it was made for, told by agent. Pure. */

import type { z } from "zod";
import type { ContextClass } from "../../../../shared/policy/debug/index.ts";
import type { repairSchema } from "../../../../shared/policy/debug/schema.ts";

export type Repair = z.infer<typeof repairSchema>;
type Effect = Repair["contexts"][number];

export interface SideEffects {
  /** Other tools that change in the asked context. */
  alsoHere: string[];
  /** Contexts of other agents in which something opens. */
  elsewhere: { agent: string; contexts: number; tools: string[] }[];
  /** Other tools that open in further contexts of the asked agent. */
  sameAgent: string[];
}

/** @param agentId the asked agent: the tool itself in its other sessions is what was wished for */
export function sideEffects(repair: Repair, tool: string, agentId: string): SideEffects {
  const elsewhere = new Map<string, { contexts: number; tools: Set<string> }>();
  const sameAgent = new Set<string>();
  for (const { label, opens } of repair.contexts) {
    if (label.agent === agentId) {
      for (const name of opens) if (name !== tool) sameAgent.add(name);
    } else if (opens.length > 0) {
      const known = elsewhere.get(label.agent) ?? { contexts: 0, tools: new Set<string>() };
      known.contexts += 1;
      for (const name of opens) known.tools.add(name);
      elsewhere.set(label.agent, known);
    }
  }
  return {
    alsoHere: [...repair.opensHere],
    elsewhere: [...elsewhere].map(([agent, { contexts, tools }]) => ({ agent, contexts, tools: [...tools] })),
    sameAgent: [...sameAgent].filter((name) => !repair.opensHere.includes(name)),
  };
}

export interface AgentSquares {
  agent: string;
  /** One per context, at most `limit`: what was asked for, something else opened, or nothing. */
  squares: ("asked" | "opened" | "same")[];
}

/**
 * A square per context, grouped by agent.
 * @param limit squares per agent; more contexts than that share squares, and an effect is never rounded away
 */
export function contextSquares(
  classes: readonly ContextClass[],
  repair: Repair,
  asked: { tool: string; agentId: string },
  limit: number,
): AgentSquares[] {
  const totals = new Map<string, number>();
  for (const { label } of classes) totals.set(label.agent, (totals.get(label.agent) ?? 0) + 1);
  return [...totals].map(([agent, total]) => {
    const own = repair.contexts.filter(({ label }) => label.agent === agent);
    const isOpened = (effect: Effect) =>
      agent === asked.agentId ? effect.opens.some((name) => name !== asked.tool) : effect.opens.length > 0;
    const opened = own.filter(isOpened).length;
    const wished = own.length - opened;
    const count = Math.min(limit, total);
    const share = (part: number) => (part === 0 ? 0 : Math.max(1, Math.round((part * count) / total)));
    const openedCount = Math.min(count, share(opened));
    const wishedCount = Math.min(count - openedCount, share(wished));
    return {
      agent,
      squares: [
        ...Array.from({ length: wishedCount }, () => "asked" as const),
        ...Array.from({ length: openedCount }, () => "opened" as const),
        ...Array.from({ length: count - wishedCount - openedCount }, () => "same" as const),
      ],
    };
  });
}
