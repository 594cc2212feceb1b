/** Which tools exist in which contexts: keys, models and sandboxes take tools away before any list is looked at. */

import type { PolicyContext, RegisteredTool } from "../types.ts";

export type ToolList = readonly RegisteredTool[];

/**
 * Why a tool may be missing although the config does not say so: `setup` stands for keys, folders and providers of the
 * machine, `run` for what a single run leaves out.
 */
export type Doubt = "setup" | "run";

/** The lists of tools that contexts may meet. All hold the same tools in the same order; what is missing is marked. */
export interface ToolSupply {
  /** What the words of an assertion are looked up in. */
  readonly all: ToolList;
  /** The list of a context, its doubtful tools included. Equal lists are the same array. */
  listFor(context: PolicyContext): ToolList;
  /** Tools of that list that may as well be missing, each of them independently of the others. */
  doubtsIn(context: PolicyContext): ReadonlyMap<string, Doubt>;
  /** The list of a context without some of its doubtful tools. Equal lists are the same array. */
  without(context: PolicyContext, missing: ReadonlySet<string>): ToolList;
}

type ListOf = (context: PolicyContext) => ToolList;

/** The same list wherever a context is. */
export function fixedSupply(tools: ToolList): ToolSupply {
  return { all: tools, listFor: () => tools, doubtsIn: () => noDoubts, without: () => tools };
}

const noDoubts: ReadonlyMap<string, Doubt> = new Map();

/**
 * @param mostOf the tools of a context when everything that the config leaves open is there
 * @param leastOf the same tools when nothing of it is there; absent: the config leaves nothing open
 * @param runTools tools that single runs leave out
 */
export function createToolSupply(
  mostOf: ListOf,
  leastOf?: ListOf,
  runTools: ReadonlySet<string> = new Set(),
): ToolSupply {
  const lists = new Map<string, ToolList>();
  const doubts = new Map<string, ReadonlyMap<string, Doubt>>();
  const byContext = new Map<string, ToolList>();
  const seen = new WeakMap<ToolList, ToolList>();
  const same = (tools: ToolList): ToolList => {
    const earlier = seen.get(tools);
    if (earlier !== undefined) return earlier;
    const key = tools.flatMap((tool, position) => (tool.unavailable === undefined ? [] : [position])).join();
    const list = lists.get(key) ?? tools;
    lists.set(key, list);
    seen.set(tools, list);
    return list;
  };
  const listFor = (context: PolicyContext): ToolList => {
    const key = placeKey(context);
    const known = byContext.get(key);
    if (known !== undefined) return known;
    const list = same(mostOf(context));
    byContext.set(key, list);
    return list;
  };
  const doubtsIn = (context: PolicyContext): ReadonlyMap<string, Doubt> => {
    if (leastOf === undefined) return noDoubts;
    const key = placeKey(context);
    const known = doubts.get(key);
    if (known !== undefined) return known;
    const least = leastOf(context);
    const found = new Map<string, Doubt>();
    listFor(context).forEach((tool, position) => {
      if (tool.unavailable !== undefined || least[position]?.unavailable === undefined) return;
      found.set(tool.name, runTools.has(tool.name) ? "run" : "setup");
    });
    doubts.set(key, found);
    return found;
  };
  return {
    all: mostOf({}),
    listFor,
    doubtsIn,
    without(context, missing) {
      const list = listFor(context);
      if (missing.size === 0 || leastOf === undefined) return list;
      const least = leastOf(context);
      return same(list.map((tool, position) => (missing.has(tool.name) ? (least[position] ?? tool) : tool)));
    },
  };
}

/** What availability depends on (policy §12). */
function placeKey({ agentId, provider, model, sandboxed, surface }: PolicyContext): string {
  return JSON.stringify([agentId, provider, model, sandboxed === true, surface === "http"]);
}
