/** The life of a tool call as a state machine: which state may follow which. */

import type { ToolCallState } from "../../../shared/contract/index.ts";

type Kind = ToolCallState["kind"];

/** Ends have no successors. A call may wait for a person more than once (an edited command asks again). */
const successors: Record<Kind, readonly Kind[]> = {
  proposed: ["hidden", "invalid", "awaitingApproval", "running", "denied", "failed", "cancelled"],
  awaitingApproval: ["running", "denied", "expired", "failed", "cancelled"],
  running: ["awaitingApproval", "succeeded", "failed", "denied", "expired", "cancelled"],
  hidden: [],
  invalid: [],
  succeeded: [],
  failed: [],
  denied: [],
  expired: [],
  cancelled: [],
};

/** @returns whether nothing can follow */
export function isFinal(state: ToolCallState): boolean {
  return successors[state.kind].length === 0;
}

/**
 * @returns the next state
 * @throws Error when the step is not part of the machine: a programming error, never an outcome
 */
export function advance(from: ToolCallState, to: ToolCallState): ToolCallState {
  if (!successors[from.kind].includes(to.kind))
    throw new Error(`A call cannot go from ${from.kind} to ${to.kind}`);
  return to;
}
