/** A flood through one terminal and twenty talkers at once: memory stays bounded, the window answers, the end is kept. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "@playwright/test";
import type { Agent } from "./fixtures/agent.ts";
import type { Desktop } from "./fixtures/desktop.ts";
import { expect, test } from "./fixtures/test.ts";

const floodBytes = 200_000_000;
const talkers = 20;
const linesEach = 40_000;

/** Bounds, for two cores and a display without a graphics card. */
const bounds = {
  /** Growth of the main process over its size before, MB. */
  mainMb: 250,
  /** Growth of the panel's JavaScript heap, MB. */
  rendererMb: 200,
  /** From a key press to a frame with the dialog that it opens, at worst. */
  keyMs: 1_000,
  /** Until the panel has drawn a frame and run what was due: half of the time, and at worst. */
  frameMedianMs: 150,
  frameWorstMs: 1_000,
  /** A question to the Gateway, at worst. */
  answerWorstMs: 1_000,
};

const floodScript = `#!/bin/sh
stty -opost
yes ${"x".repeat(1023)} | head -c ${floodBytes}
echo
echo THE-END
`;
/** Numbered lines in spurts, so that all talk during the whole flood. */
const talkScript = `#!/bin/sh
i=0
while [ $i -lt ${linesEach} ]; do
  echo "talker $1 line $i"
  i=$((i+1))
  [ $((i % 400)) -ne 0 ] || sleep 0.05
done
echo "talker $1 has ended"
`;

interface Sample {
  mainMb: number;
  heapMb: number;
  frameMs: number;
  answerMs: number;
}

const mainMemory = async ({ app }: Desktop) => (await app.evaluate(() => process.memoryUsage().rss)) / 1e6;

/** Chromium's own measure of the JavaScript heap; other engines have none. */
const heap = async (panel: Page) =>
  (await panel.evaluate(() => {
    const { memory } = performance as Performance & { memory?: { usedJSHeapSize: number } };
    return memory?.usedJSHeapSize ?? Number.NaN;
  })) / 1e6;

const frame = (panel: Page) =>
  panel.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const askedAtMs = performance.now();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - askedAtMs)));
      }),
  );

async function sample(desktop: Desktop): Promise<Sample> {
  const askedAtMs = performance.now();
  await desktop.operator.rpc.call("app.status", {});
  const answerMs = performance.now() - askedAtMs;
  const frameMs = await frame(desktop.panel);
  return { mainMb: await mainMemory(desktop), heapMb: await heap(desktop.panel), frameMs, answerMs };
}

/**
 * Opens the find dialog by its key and closes it again.
 * @returns milliseconds from the press, as the browser stamped it, until a frame with the dialog was due
 */
async function keyRoundTrip(panel: Page): Promise<number> {
  // In place before the key is pressed: input overtakes whatever else the page is asked.
  const watch = await panel.evaluateHandle(() => ({
    opened: new Promise<number>((resolve) => {
      const onKey = (event: KeyboardEvent) => {
        const look = () => {
          const isOpen = document.querySelector("dialog[open]") !== null;
          requestAnimationFrame(isOpen ? () => resolve(performance.now() - event.timeStamp) : look);
        };
        look();
      };
      window.addEventListener("keydown", onKey, { once: true, capture: true });
    }),
  }));
  await panel.keyboard.press("Control+k");
  const tookMs = await watch.evaluate(({ opened }) => opened);
  await watch.dispose();
  await panel.keyboard.press("Escape");
  await panel.getByRole("dialog").waitFor({ state: "hidden" });
  return tookMs;
}

async function startInBackground(agent: Agent, command: string, pty: boolean): Promise<string> {
  const { details, text } = await agent.exec(command, { background: true, pty });
  expect(details, text).toMatchObject({ status: "running" });
  return String(details.sessionId);
}

/** The whole text that is kept of a session, without carriage returns and the notice after it. */
async function keptLines(agent: Agent, sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  let offset: number | null = 0;
  for (let page = 0; offset !== null && page < 20; page += 1) {
    const { text } = await agent.call("process", { action: "log", sessionId, offset, limit: 1_000_000 });
    // Notes about what was cut stand behind an empty line.
    const notes = text.lastIndexOf("\n\n[");
    const shown = (notes < 0 ? text : text.slice(0, notes)).replaceAll("\r", "").trimEnd();
    lines.push(...shown.split("\n"));
    const next = notes < 0 ? undefined : /Go on with offset (\d+)/.exec(text.slice(notes))?.[1];
    offset = next === undefined ? null : Number(next);
  }
  return lines;
}

test("200 MB through one terminal and 20 talkers: bounded memory, a window that answers, nothing kept is lost", async ({
  newPlace,
  launch,
  connect,
}, testInfo) => {
  // The bounds below are on memory and on answers; a busy machine may take its time for the flood itself.
  test.setTimeout(180_000);
  const place = await newPlace();
  const [flood, talk] = [path.join(place.workDir, "flood.sh"), path.join(place.workDir, "talk.sh")];
  await writeFile(flood, floodScript, { mode: 0o755 });
  await writeFile(talk, talkScript, { mode: 0o755 });
  const agents = { main: { allowlist: [{ pattern: flood }, { pattern: talk }] } };
  await place.writeApprovals(JSON.stringify({ version: 1, agents }));
  const desktop = await launch(place, { width: 1280, height: 800 });
  const { panel, operator } = desktop;
  const agent = await connect(operator);
  await desktop.open("/processes");
  const before = await sample(desktop);

  const talking = await Promise.all(
    Array.from({ length: talkers }, (_unused, index) =>
      startInBackground(agent, `${talk} ${index}`, index % 2 === 0),
    ),
  );
  const startedAtMs = performance.now();
  const flooding = await startInBackground(agent, flood, true);
  // The flood is on screen as well, not only in the list.
  await desktop.open(`/processes/${encodeURIComponent(flooding)}`);
  await panel.locator(`[data-tile="${flooding}"] .xterm-rows`).waitFor();

  const samples: Sample[] = [];
  const keys: number[] = [];
  let floodMs = 0;
  const allEnded = async () => {
    samples.push(await sample(desktop));
    if (samples.length % 4 === 1) keys.push(await keyRoundTrip(panel));
    const { processes } = await operator.rpc.call("processes.list", {});
    const running = new Set(processes.filter(({ state }) => state.kind !== "exited").map(({ id }) => id));
    if (!running.has(flooding)) floodMs ||= performance.now() - startedAtMs;
    return running.size === 0;
  };
  await expect.poll(allEnded, { timeout: 120_000, intervals: [0] }).toBe(true);
  const tookMs = performance.now() - startedAtMs;

  const { processes } = await operator.rpc.call("processes.list", {});
  expect(processes).toHaveLength(talkers + 1);
  const ofFlood = processes.find(({ id }) => id === flooding);
  expect(ofFlood?.bytesTotal).toBe(floodBytes + "\n".length + "THE-END\n".length);
  const floodLines = await keptLines(agent, flooding);
  expect(floodLines.at(-1)).toBe("THE-END");
  // The first line kept may have lost its beginning, the last one of the flood its end.
  const broken = floodLines.slice(1, -2).filter((line) => line !== "x".repeat(1023));
  expect(broken.map((line) => `${line.length}: ${line.slice(0, 80)}`)).toEqual([]);
  expect(floodLines.length).toBeGreaterThan(100);
  for (const [index, id] of talking.entries()) {
    const lines = await keptLines(agent, id);
    expect(lines.at(-1)).toBe(`talker ${index} has ended`);
    const numbers = lines.slice(1, -1).map((line) => Number(/^talker \d+ line (\d+)$/.exec(line)?.[1]));
    expect(numbers.length).toBeGreaterThan(1_000);
    expect(numbers, `kept lines of talker ${index} follow each other`).toEqual(
      Array.from({ length: numbers.length }, (_unused, at) => linesEach - numbers.length + at),
    );
    const info = processes.find((process) => process.id === id);
    expect(info?.linesTotal).toBe(linesEach + 1);
  }
  await expect(panel.locator(`[data-tile="${flooding}"] .xterm-rows`)).toContainText("THE-END");
  const worst = (of: (one: Sample) => number) => Math.max(...samples.map(of));
  const frames = samples.map(({ frameMs }) => frameMs).sort((a, b) => a - b);
  const measured = {
    seconds: round(tookMs / 1000),
    floodMbPerSecond: round(floodBytes / 1000 / floodMs),
    samples: samples.length,
    mainGrowthMb: round(worst(({ mainMb }) => mainMb) - before.mainMb),
    heapGrowthMb: round(worst(({ heapMb }) => heapMb) - before.heapMb),
    frameMedianMs: round(frames[Math.floor(frames.length / 2)] ?? Number.NaN),
    frameWorstMs: round(frames.at(-1) ?? Number.NaN),
    answerWorstMs: round(worst(({ answerMs }) => answerMs)),
    keyWorstMs: round(Math.max(...keys)),
  };
  console.log(`load: ${JSON.stringify(measured)}`);
  testInfo.annotations.push({ type: "load", description: JSON.stringify(measured) });
  expect(samples.length).toBeGreaterThanOrEqual(5);
  expect(measured.mainGrowthMb).toBeLessThan(bounds.mainMb);
  expect(measured.heapGrowthMb).toBeLessThan(bounds.rendererMb);
  expect(measured.frameMedianMs).toBeLessThan(bounds.frameMedianMs);
  expect(measured.frameWorstMs).toBeLessThan(bounds.frameWorstMs);
  expect(measured.answerWorstMs).toBeLessThan(bounds.answerWorstMs);
  expect(measured.keyWorstMs).toBeLessThan(bounds.keyMs);
});

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
