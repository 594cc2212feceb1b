/** Shapes and words for the states of a tool call. */

import type { ToolCallSnapshot, ToolCallState } from "../../../shared/contract/index.ts";
import type { VerdictKind } from "../../ui/index.ts";

export function callShape(state: ToolCallState): VerdictKind {
  switch (state.kind) {
    case "proposed":
    case "running":
      return "running";
    case "awaitingApproval":
      return "asks";
    case "succeeded":
      return "done";
    case "hidden":
      return "removed";
    case "cancelled":
      return "skipped";
    case "expired":
      return "expired";
    case "invalid":
    case "failed":
    case "denied":
      return "denied";
  }
}

export function hasEnded(state: ToolCallState): boolean {
  return state.kind !== "proposed" && state.kind !== "running" && state.kind !== "awaitingApproval";
}

/** @returns `82 ms`, `4.1 s`, `3 min` */
export function durationText(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1_000).toFixed(1)} s`;
  return `${Math.round(durationMs / 60_000)} min`;
}

/** Newest first. */
export function sortedCalls(calls: ReadonlyMap<string, ToolCallSnapshot>): ToolCallSnapshot[] {
  return [...calls.values()].sort((a, b) => b.createdAtMs - a.createdAtMs);
}
