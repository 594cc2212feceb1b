/** Long questions leave others their turn, and can be withdrawn. */

import { describe, expect, it } from "vitest";
import { fixedSupply, type Steps } from "../../../shared/policy/debug/index.ts";
import type { RegisteredTool } from "../../../shared/policy/index.ts";
import { inSlices } from "./inSlices.ts";
import { createPolicyQuestions } from "./policyQuestions.ts";

/** A step takes 3 ms at least; on a machine with other work it takes longer, and fewer of them fit into a slice. */
function* busy(steps: number): Steps<string> {
  for (let step = 0; step < steps; step += 1) {
    const untilMs = performance.now() + 3;
    while (performance.now() < untilMs);
    yield;
  }
  return "done";
}

async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const tick = () => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work.finally(() => {
    isDone = true;
  });
  return turns;
}

/** Far more contexts than fit into one slice. */
const config = {
  tools: { byProvider: { weakco: { deny: ["exec"] }, "openai/small": { profile: "minimal" } } },
  agents: { list: Array.from({ length: 20 }, (_, i) => ({ id: `a${i}`, tools: { deny: [`t${i}`] } })) },
  channels: {
    telegram: {
      groups: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [
          `${i}`,
          { tools: { deny: [`t${i}`] }, toolsBySender: { [`id:${i}`]: { allow: ["t1", "t2"] } } },
        ]),
      ),
    },
  },
};
const tools = Array.from(
  { length: 200 },
  (_, i): RegisteredTool => ({ name: `t${i}`, owner: { kind: "core" } }),
);
const questions = createPolicyQuestions({
  saved: () => ({ value: config, positionOf: () => null, problems: [] }),
  savedAssertions: () => "never *: t150\nnever a1: t1, t151\nalways *: t160\nnever *: ghost",
  hardeningFor: () => new Set(),
  preset: () => "reference",
  toolsFor: () => tools,
  supplyFor: () => fixedSupply(tools),
  skillsFor: async () => [],
});
const context = { agentId: "a1", senderIsOwner: true, surface: "model" as const };

describe("inSlices", () => {
  it("gives the result of the steps, and turns to others on the way", async () => {
    const work = inSlices(busy(20));
    expect(await turnsDuring(work)).toBeGreaterThan(2);
    expect(await work).toBe("done");
  });

  it("stops when the question is withdrawn", async () => {
    const controller = new AbortController();
    const work = inSlices(busy(20_000), controller.signal);
    setImmediate(() => controller.abort());
    await expect(work).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("passes on what a step throws", async () => {
    // biome-ignore lint/correctness/useYield: it fails before it could pause
    const failing = function* (): Steps<never> {
      throw new Error("broken");
    };
    await expect(inSlices(failing())).rejects.toThrow("broken");
  });
});

describe("questions over all contexts", () => {
  it("leave others their turn and give the whole answer", async () => {
    const check = questions.check({});
    expect(await turnsDuring(check)).toBeGreaterThan(1);
    const { contexts, counts, classes } = await check;
    expect(contexts).toBe(19_866);
    expect(counts).toEqual({ proved: 1, refuted: 3, invalid: 0 });
    expect(classes.find(({ dimension }) => dimension === "agent")?.values).toHaveLength(21);
    const { answer } = await questions.why({ tool: "t1", context });
    expect(answer).toMatchObject({ state: "removed" });
  });

  it("stop when they are withdrawn", async () => {
    const controller = new AbortController();
    const check = questions.check({}, controller.signal);
    controller.abort();
    await expect(check).rejects.toMatchObject({ code: "CANCELLED" });
    const why = questions.why({ tool: "t1", context }, controller.signal);
    await expect(why).rejects.toMatchObject({ code: "CANCELLED" });
  });
});
