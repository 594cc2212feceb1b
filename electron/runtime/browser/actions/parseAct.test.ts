/** What an agent may write as an act, and what it is told otherwise. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../shared/errors/index.ts";
import { budgetOf } from "./actTypes.ts";
import { parseAct } from "./parseAct.ts";

describe("an act", () => {
  it.each([
    [undefined, /request required/],
    [{}, /kind is required/],
    [{ kind: "constructor" }, /must be one of/],
    [{ kind: "click" }, /ref or selector is required/],
    [{ kind: "click", ref: "e1", button: "side" }, /left\|right\|middle/],
    [{ kind: "click", ref: "e1", modifiers: ["Hyper"] }, /modifiers must be/],
    [{ kind: "click", ref: "e1", delayMs: 6000 }, /exceeds maximum of 5000ms/],
    [{ kind: "type", ref: "e1" }, /text is required/],
    [{ kind: "press", key: " " }, /key is required/],
    [{ kind: "press", key: "a", selector: "#x" }, /selector is not supported for press/],
    [{ kind: "fill", fields: [{ value: "x" }] }, /fields are required/],
    [{ kind: "select", ref: "e1", values: [""] }, /values are required/],
    [{ kind: "resize", width: 0, height: 10 }, /width and height/],
    [{ kind: "wait", loadState: "done" }, /wait requires one of/],
    [{ kind: "evaluate", fn: " " }, /fn is required/],
    [{ kind: "batch", actions: [] }, /actions are required/],
    [
      { kind: "batch", targetId: "A", actions: [{ kind: "close", targetId: "B" }] },
      /must match request targetId/,
    ],
    [{ kind: "batch", actions: Array.from({ length: 101 }, () => ({ kind: "close" })) }, /at most 100/],
  ])("refuses %j by name", (request, message) => {
    expect(() => parseAct(request)).toThrow(message);
  });

  it("takes loose numbers, booleans and lists, and keeps typed text as it is", () => {
    expect(parseAct({ kind: "type", ref: " e4 ", text: "  a  ", submit: "yes" })).toMatchObject({
      element: { by: "ref", ref: "e4" },
      text: "  a  ",
      submit: true,
    });
    expect(parseAct({ kind: "resize", width: "800.7", height: 600 })).toMatchObject({
      width: 800,
      height: 600,
    });
    expect(parseAct({ kind: "select", ref: "e1", values: "one" })).toMatchObject({ values: ["one"] });
  });

  it("keeps time limits within their bounds", () => {
    expect(parseAct({ kind: "click", ref: "e1" })).toMatchObject({ timeoutMs: 8000 });
    expect(parseAct({ kind: "click", ref: "e1", timeoutMs: 1 })).toMatchObject({ timeoutMs: 500 });
    expect(parseAct({ kind: "click", ref: "e1", timeoutMs: 9e9 })).toMatchObject({ timeoutMs: 60_000 });
    expect(parseAct({ kind: "wait", text: "x", timeoutMs: 9e9 })).toMatchObject({ timeoutMs: 120_000 });
    expect(parseAct({ kind: "wait", timeMs: 9e9 })).toMatchObject({ timeMs: 30_000 });
  });

  it("nests batches five deep and counts all their acts", () => {
    const nest = (depth: number): Record<string, unknown> =>
      depth === 0 ? { kind: "close" } : { kind: "batch", actions: [nest(depth - 1)] };
    expect(parseAct(nest(5)).kind).toBe("batch");
    expect(() => parseAct(nest(6))).toThrow(/5 deep/);
  });

  it("has an outer limit that holds everything inside it", () => {
    const slow = parseAct({ kind: "type", ref: "e1", text: "x".repeat(400), slowly: true });
    expect(budgetOf(slow)).toBeGreaterThan(400 * 75);
    const batch = parseAct({
      kind: "batch",
      actions: [
        { kind: "wait", text: "a" },
        { kind: "click", ref: "e1" },
      ],
    });
    expect(budgetOf(batch)).toBe(28_000);
  });

  it("answers any value with an act or a named refusal", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          parseAct(value);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
