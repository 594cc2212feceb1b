/** What every built tool owes: a measured, bounded answer that names its cuts; progress after a second; an end on cancel. */

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallOutcome } from "../runtimeTypes.ts";
import { type Result, startTools, stopTools } from "./testDisciplinePeers.ts";
import { rows } from "./testDisciplineRows.ts";

/** Of details too: structured clients get them. */
const maxDetailsChars = 300_000;

beforeAll(startTools, 120_000);
afterAll(stopTools, 60_000);

const resultOf = (outcome: CallOutcome): Result => {
  if (outcome.kind === "result" && !outcome.isError) return outcome;
  throw new Error(`It did not succeed: ${JSON.stringify(outcome).slice(0, 2000)}`);
};
const textOf = ({ content }: Result) =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

function expectMeasured(result: Result): void {
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const images = result.content.length - texts.length;
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  expect(result.output).toMatchObject({ chars, images, cutChars: 0 });
  expect(result.output?.tokenEstimate).toBeGreaterThanOrEqual(Math.floor(chars / 4) + images);
  expect(JSON.stringify(result.details ?? null).length).toBeLessThan(maxDetailsChars);
}

it("is asked of every tool that is built", () => {
  const folder = new URL(".", import.meta.url);
  const tools = readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(new URL(`${entry.name}/`, folder)).includes("tool.ts"),
    )
    .map(({ name }) => name);
  expect(Object.keys(rows).sort()).toEqual(tools.sort());
});

for (const [name, { run, small, large, slow }] of Object.entries(rows)) {
  describe(name, { timeout: 90_000 }, () => {
    it("measures what it gives", async () => {
      const result = resultOf(await run(await small()));
      expect(textOf(result)).not.toBe("");
      expectMeasured(result);
    });

    if (large !== null) {
      it("keeps to a budget of its own, and says what is missing and how to get it", async () => {
        const result = resultOf(await run(await large.args()));
        expectMeasured(result);
        expect(textOf(result).length).toBeLessThanOrEqual(large.maxChars);
        expect(textOf(result)).toMatch(large.says);
      });
    }

    if (slow !== null) {
      it("is heard of after a second, and ends at once when it is cancelled", async () => {
        const args = await slow();
        const control = new AbortController();
        let hear: (text: string) => void = () => {};
        const heard = new Promise<string>((resolve) => {
          hear = resolve;
        });
        const ended = run(args, { signal: control.signal, onProgress: (text) => hear(text) });
        expect(await Promise.race([heard, ended])).toEqual(expect.any(String));
        const cancelledAtMs = performance.now();
        control.abort();
        expect((await ended).kind).toBe("cancelled");
        // Far below any time limit of a tool; a busy machine may need some of it.
        expect(performance.now() - cancelledAtMs).toBeLessThan(5000);
      });
    }
  });
}
