import { describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { defineTool } from "../tools/defineTool.ts";
import { createCalls } from "./createCalls.ts";
import { maxDetailsBytes, withinDetailsBudget } from "./detailsBudget.ts";

describe("the details of a result", () => {
  it("stay as they are within the limit, and are absent when there are none", () => {
    const details = { a: [1, null, "ü"], b: { c: true } };
    expect(withinDetailsBudget(details)).toEqual(details);
    expect(withinDetailsBudget(null)).toBeNull();
    expect(withinDetailsBudget(undefined)).toBeUndefined();
  });

  it("are counted in bytes, and replaced with the sizes above the limit", () => {
    const fits = { text: "x".repeat(maxDetailsBytes - '{"text":""}'.length) };
    expect(withinDetailsBudget(fits)).toEqual(fits);
    expect(withinDetailsBudget({ text: `${fits.text}x` })).toEqual({
      detailsOmitted: { reason: "too-large", sizeBytes: maxDetailsBytes + 1, maxBytes: maxDetailsBytes },
    });
    expect(withinDetailsBudget({ text: "ü" }, 12)).toMatchObject({ detailsOmitted: { sizeBytes: 13 } });
  });

  it("never throw for what is no JSON", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const throwing = {
      toJSON() {
        throw new Error("no");
      },
    };
    for (const details of [circle, deep, { big: 1n }, throwing, () => 1, Symbol("x")])
      expect(withinDetailsBudget(details)).toEqual({
        detailsOmitted: { reason: "not-json", maxBytes: maxDetailsBytes },
      });
  });
});

it("a call whose tool tells too much, or what is no JSON, keeps its text and can be sent", async () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const told: Record<string, unknown> = { large: { log: "x".repeat(2 * maxDetailsBytes) }, circle };
  const tell = defineTool({
    name: "tell",
    title: "Tell",
    description: "Tells.",
    promptLine: "Tell",
    risk: "read",
    input: z.object({ what: z.string() }),
    execute: async ({ what }) => ({
      content: [{ type: "text", text: `about ${what}` }],
      details: told[what],
    }),
  });
  const calls = createCalls({
    clock: systemClock,
    logger: silentLogger,
    loopGuard: { ask: () => ({ kind: "passed", ended: () => {} }) },
    decide: () => ({ kind: "visible", tool: tell, canBackground: false }),
  });
  const caller = {
    id: "mcp:a",
    label: "a",
    agentId: "main",
    sessionKey: "agent:main:mcp:a",
    isOwner: false,
    provider: null,
    model: null,
    surface: "mcp" as const,
  };
  for (const [what, reason] of [
    ["large", "too-large"],
    ["circle", "not-json"],
  ]) {
    const outcome = await calls.start(caller, "tell", { what }).outcome;
    expect(outcome).toMatchObject({
      kind: "result",
      content: [{ type: "text", text: `about ${what}` }],
      details: { detailsOmitted: { reason } },
    });
    expect(JSON.stringify(outcome).length).toBeLessThan(1000);
  }
  calls.dispose();
});
