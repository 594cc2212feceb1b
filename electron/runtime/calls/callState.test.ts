import { describe, expect, it } from "vitest";
import type { ToolCallState } from "../../../shared/contract/index.ts";
import { advance, isFinal } from "./callState.ts";

const states: ToolCallState[] = [
  { kind: "proposed" },
  { kind: "hidden", reason: { code: "unknownTool", params: {} } },
  { kind: "invalid", issues: [] },
  { kind: "awaitingApproval", approvalId: "a" },
  { kind: "running", startedAtMs: 1 },
  { kind: "succeeded", durationMs: 1 },
  { kind: "failed", durationMs: 1, message: "x" },
  { kind: "denied", by: { kind: "expiry" }, reason: { code: "x", params: {} }, note: null },
  { kind: "expired", approvalId: "a" },
  { kind: "cancelled" },
];

describe("the life of a call", () => {
  it("lets nothing follow an end", () => {
    for (const from of states.filter(isFinal))
      for (const to of states) expect(() => advance(from, to)).toThrow();
  });

  it("never goes from waiting to succeeded without running", () => {
    const waiting: ToolCallState = { kind: "awaitingApproval", approvalId: "a" };
    expect(() => advance(waiting, { kind: "succeeded", durationMs: 1 })).toThrow();
    expect(advance(waiting, { kind: "running", startedAtMs: 2 }).kind).toBe("running");
  });

  it("never goes back to proposed", () => {
    for (const from of states) expect(() => advance(from, { kind: "proposed" })).toThrow();
  });

  it("does not run a hidden or invalid call", () => {
    for (const kind of ["hidden", "invalid"] as const) {
      const from = states.find((state) => state.kind === kind);
      expect(from).toBeDefined();
      if (from !== undefined) expect(() => advance(from, { kind: "running", startedAtMs: 1 })).toThrow();
    }
  });
});
