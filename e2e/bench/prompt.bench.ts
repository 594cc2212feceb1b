/** What a person feels at a prompt, in the real app: from request to picture, and from click to running program. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { _electron as electron, type Page } from "playwright-core";
import { connectAgent } from "../fixtures/agent.ts";
import { connectOperator } from "../fixtures/operator.ts";
import { createPlace } from "../fixtures/place.ts";
import { type Benchmark, type BenchmarkResult, median } from "./measure.ts";

const samples = 12;
const warmUps = 2;

/** The checkout, from wherever this file was bundled to. */
function rootDir(): string {
  for (let dir = path.dirname(fileURLToPath(import.meta.url)); ; dir = path.dirname(dir)) {
    if (existsSync(path.join(dir, "electron-builder.yml"))) return dir;
    if (dir === path.dirname(dir)) throw new Error("The benchmark is not inside the checkout.");
  }
}

interface Moments {
  /** Milliseconds, per sample. */
  requestToPainted: number[];
  clickToStarted: number[];
}

/** Notes in the page when a card was painted and when Allow was clicked; epoch milliseconds with fractions. */
function watchCards(page: Page): Promise<void> {
  return page.evaluate(() => {
    const now = () => performance.timeOrigin + performance.now();
    const seen = { painted: {} as Record<string, number>, clickedAtMs: 0 };
    Reflect.set(window, "benchSeen", seen);
    new MutationObserver(() => {
      const id = document.querySelector("article[data-approval-id]")?.getAttribute("data-approval-id");
      if (id === null || id === undefined || id in seen.painted) return;
      seen.painted[id] = 0;
      // The frame that holds the card is drawn behind its animation callbacks; the next task comes after that.
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          seen.painted[id] = now();
        };
        channel.port2.postMessage(null);
      });
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
    window.addEventListener(
      "click",
      (event) => {
        seen.clickedAtMs = performance.timeOrigin + event.timeStamp;
      },
      true,
    );
  });
}

function seenBy(page: Page): Promise<{ painted: Record<string, number>; clickedAtMs: number }> {
  return page.evaluate(() => Reflect.get(window, "benchSeen"));
}

async function measure(): Promise<Moments> {
  const executablePath = process.env.SALLYPORT_ELECTRON;
  if (executablePath === undefined) throw new Error("There is no Electron to measure with.");
  const root = rootDir();
  const place = await createPlace();
  const app = await electron.launch({
    executablePath,
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--lang=en-US", root],
    cwd: root,
    env: place.env,
  });
  try {
    const operator = await connectOperator(place);
    const panel = await app.firstWindow();
    await panel.locator("main").first().waitFor();
    const agent = await connectAgent(operator);
    await watchCards(panel);
    const moments: Moments = { requestToPainted: [], clickToStarted: [] };
    for (let round = -warmUps; round < samples; round += 1) {
      // The program says itself when it ran, in nanoseconds.
      const answer = agent.exec(`date +%s%N:${round}`);
      const request = await operator.request();
      const card = panel.locator(`article[data-approval-id="${request.id}"]`);
      const allow = card.locator('button[aria-disabled="false"]').getByText(/^Allow once/);
      await allow.waitFor();
      await allow.click();
      const { text } = await answer;
      const startedAtMs = Number(/^(\d+):/.exec(text)?.[1] ?? Number.NaN) / 1e6;
      const seen = await seenBy(panel);
      await card.waitFor({ state: "detached" });
      if (round < 0) continue;
      moments.requestToPainted.push((seen.painted[request.id] ?? Number.NaN) - request.createdAtMs);
      moments.clickToStarted.push(startedAtMs - seen.clickedAtMs);
    }
    await agent.close();
    operator.close();
    return moments;
  } finally {
    await app.close();
    await place.remove();
  }
}

let measured: Promise<Moments> | null = null;

function result(values: readonly number[], goal: number): BenchmarkResult {
  const sorted = [...values].sort((a, b) => a - b);
  const ratio = median(values);
  return {
    ratio,
    goal,
    unit: "ms",
    floorNs: 0,
    measuredNs: ratio * 1e6,
    note: `${values.length} samples, ${(sorted[0] ?? 0).toFixed(1)} to ${(sorted.at(-1) ?? 0).toFixed(1)} ms`,
  };
}

/** What a shell and the same program take by themselves, from the call to the moment that the program prints. */
async function plainStart(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < samples; round += 1) {
    const beforeMs = performance.timeOrigin + performance.now();
    const { stdout } = await promisify(execFile)("sh", ["-c", "date +%s%N"]);
    times.push(Number(stdout) / 1e6 - beforeMs);
  }
  return median(times);
}

/** Both moments come from one run of the app. */
const moments = (): Promise<Moments> => {
  measured ??= measure();
  return measured;
};

export const benchmarks: Benchmark[] = [
  {
    name: "prompt: from the request to the painted card, in the app",
    needs: "desktop",
    run: async () => result((await moments()).requestToPainted, 100),
  },
  {
    name: "prompt: from the click on Allow to the running program, in the app",
    needs: "desktop",
    run: async () => ({
      ...result((await moments()).clickToStarted, 20),
      floorNs: (await plainStart()) * 1e6,
    }),
  },
];
