/** Size and speed of page snapshots, in real Chromium, on the corpus and on generated pages. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { createSnapshotEngine } from "../../electron/runtime/browser/snapshot/createSnapshotEngine.ts";
import { allHardening } from "../../shared/hardening/index.ts";

interface BenchmarkResult {
  ratio: number;
  goal: number;
  unit: string;
  floorNs: number;
  measuredNs: number;
  notMeasured?: string;
}

interface Benchmark {
  name: string;
  run: () => Promise<BenchmarkResult>;
}

const corpusDir = path.resolve("e2e/corpus");
const executablePath = process.env.SALLYPORT_CHROMIUM ?? "/usr/bin/chromium";
const sandboxFlags = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const pages = readdirSync(corpusDir).filter((file) => file.endsWith(".html"));
const whole = { viewer: "bench", maxChars: 1_000_000_000 } as const;

async function withPage<Value>(work: (page: Page, browser: Browser) => Promise<Value>): Promise<Value> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...sandboxFlags,
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
    ],
  });
  try {
    return await work(await browser.newPage(), browser);
  } finally {
    await browser.close();
  }
}

const newEngine = () => createSnapshotEngine({ hardening: () => allHardening });

/** The worst of all corpus pages counts. */
function worst(
  name: string,
  goal: number,
  unit: string,
  measure: (page: Page, file: string) => Promise<{ size: number; floor: number }>,
): Benchmark {
  return {
    name,
    run: async () => {
      let ratio = 0;
      for (const file of pages) {
        const one = await withPage(async (page) => {
          await page.goto(pathToFileURL(path.join(corpusDir, file)).href);
          return measure(page, file);
        });
        ratio = Math.max(ratio, one.size / one.floor);
      }
      return { ratio, goal, unit, floorNs: 0, measuredNs: 0 };
    },
  };
}

async function visibleChars(page: Page): Promise<number> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is rendered is meant
  return page.evaluate(() => document.body.innerText.replace(/\s+/g, " ").trim().length);
}

/** A page of so many elements, half of it texts, a third links and buttons, some tables and forms. */
function generatedPage(elements: number): string {
  const blocks: string[] = [];
  for (let count = 0, i = 0; count < elements; i += 1) {
    if (i % 4 === 0) {
      blocks.push(
        `<div class="card"><h3>Card ${i}</h3><p>Text of card <b>${i}</b></p><a href="/c/${i}">Open ${i}</a></div>`,
      );
      count += 5;
    } else if (i % 4 === 1) {
      blocks.push(
        `<div><label for="f${i}">Field ${i}</label><input id="f${i}" value="v${i}"><button id="b${i}">Save ${i}</button></div>`,
      );
      count += 4;
    } else if (i % 4 === 2) {
      blocks.push(`<ul><li><a href="/l/${i}">Link ${i}</a></li><li><span>Item</span> ${i}</li></ul>`);
      count += 5;
    } else {
      blocks.push(
        `<table><tbody><tr><td>${i}</td><td>Name ${i}</td><td><button>Edit ${i}</button></td></tr></tbody></table>`,
      );
      count += 7;
    }
  }
  return `<!doctype html><title>Generated</title><style>.card{padding:2px}</style>${blocks.join("")}`;
}

/** One visit of every element with its tag and whether it shows: the least that a snapshot can do. */
async function bareWalkMs(page: Page): Promise<number> {
  return page.evaluate(() => {
    const before = performance.now();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
    let seen = 0;
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node as Element;
      const style = getComputedStyle(element);
      if (element.tagName !== "" && style.display !== "none" && style.visibility === "visible") seen += 1;
    }
    return seen > 0 ? performance.now() - before : Number.NaN;
  });
}

function lowest(samples: readonly number[]): number {
  return Math.min(...samples);
}

/** The first look at a page, with everything that has to be set up for it, in a page that is laid out already. */
function firstLook(elements: number): Benchmark {
  return {
    name: `snapshot: dense, first look at ${elements} elements, against one bare walk in the page`,
    run: () =>
      withPage(async (page) => {
        const floors: number[] = [];
        const samples: number[] = [];
        for (let i = 0; i < 8; i += 1) {
          await page.setContent(generatedPage(elements));
          await page.evaluate(() => document.body.getBoundingClientRect());
          floors.push(await bareWalkMs(page));
          const before = performance.now();
          await newEngine().take(page, { format: "dense", ...whole });
          samples.push(performance.now() - before);
        }
        const [floorMs, measuredMs] = [lowest(floors), lowest(samples)];
        return {
          ratio: measuredMs / floorMs,
          goal: 3,
          unit: "× bare walk",
          floorNs: floorMs * 1e6,
          measuredNs: measuredMs * 1e6,
        };
      }),
  };
}

function speed(elements: number): Benchmark {
  return {
    name: `snapshot: dense, ${elements} elements, against one bare walk in the page`,
    run: () =>
      withPage(async (page) => {
        await page.setContent(generatedPage(elements));
        const engine = newEngine();
        await engine.take(page, { format: "dense", ...whole });
        const floors: number[] = [];
        const samples: number[] = [];
        for (let i = 0; i < 15; i += 1) {
          floors.push(await bareWalkMs(page));
          const before = performance.now();
          // Another viewer each time: nothing is taken over from the last one.
          await engine.take(page, { ...whole, format: "dense", viewer: `bench ${i}` });
          samples.push(performance.now() - before);
        }
        const [floorMs, measuredMs] = [lowest(floors), lowest(samples)];
        return {
          ratio: measuredMs / floorMs,
          goal: 3,
          unit: "× bare walk",
          floorNs: floorMs * 1e6,
          measuredNs: measuredMs * 1e6,
        };
      }),
  };
}

/** Changes one text and clicks nothing: the page as it is between two looks. */
async function timeOneChange(page: Page, tries: number): Promise<{ ms: number; ratio: number }> {
  const engine = newEngine();
  const full = await engine.take(page, { format: "dense", ...whole });
  const samples: number[] = [];
  let ratio = 0;
  for (let i = 0; i < tries; i += 1) {
    const text = `Changed ${i} by the bench`;
    await page.evaluate((changed) => {
      const button = [...document.querySelectorAll("button, a")].findLast((one) => one.checkVisibility());
      if (button !== undefined) button.textContent = changed;
    }, text);
    const before = performance.now();
    const delta = await engine.take(page, { format: "dense", ...whole, incremental: true });
    samples.push(performance.now() - before);
    if (!delta.text.includes(text)) throw new Error(`The change is missing: ${delta.text.slice(0, 200)}`);
    ratio = Math.max(ratio, delta.text.length / full.text.length);
  }
  return { ms: lowest(samples), ratio };
}

export const benchmarks: Benchmark[] = [
  worst("snapshot: dense against the HTML, worst of the corpus", 1, "× HTML", async (page, file) => {
    const { text } = await newEngine().take(page, { format: "dense", ...whole });
    return { size: text.length, floor: readFileSync(path.join(corpusDir, file), "utf8").length };
  }),
  worst(
    "snapshot: dense against Playwright's own, worst of the corpus",
    0.65,
    "× Playwright's",
    async (page) => {
      const { text } = await newEngine().take(page, { format: "dense", ...whole });
      return { size: text.length, floor: (await page.ariaSnapshot({ mode: "ai" })).length };
    },
  ),
  worst(
    "snapshot: dense against 1.3 × the visible text and 4 tokens a printed ref",
    1,
    "× budget",
    async (page) => {
      const { text } = await newEngine().take(page, { format: "dense", ...whole });
      const printed = text.match(/(?:^|[[\s])e\d+(?=[:\s\]])/gm)?.length ?? 0;
      return { size: text.length, floor: 1.3 * (await visibleChars(page)) + 16 * printed };
    },
  ),
  worst("snapshot: interactive against the reference's interactive", 0.7, "× reference", async (page) => {
    const { text } = await newEngine().take(page, { format: "dense", interactive: true, ...whole });
    const reference = createSnapshotEngine({ hardening: () => new Set<string>() });
    const recorded = await reference.take(page, { format: "role", interactive: true, ...whole });
    return { size: text.length, floor: recorded.text.length };
  }),
  worst("snapshot: incremental after one change against the full one", 1 / 50, "× full", async (page) => {
    const { ratio } = await timeOneChange(page, 1);
    return { size: ratio, floor: 1 };
  }),
  speed(1_000),
  speed(10_000),
  firstLook(1_000),
  firstLook(10_000),
  {
    name: "snapshot: incremental after one small change, 10000 elements",
    run: () =>
      withPage(async (page) => {
        await page.setContent(generatedPage(10_000));
        const { ms } = await timeOneChange(page, 15);
        return { ratio: ms, goal: 10, unit: "ms", floorNs: 0, measuredNs: ms * 1e6 };
      }),
  },
  {
    name: "snapshot: click by ref, 5000 elements",
    run: () =>
      withPage(async (page) => {
        await page.setContent(generatedPage(5_000));
        const engine = newEngine();
        const { refs } = await engine.take(page, { format: "dense", ...whole });
        const buttons = [...refs].filter(([, { role }]) => role === "button").map(([ref]) => ref);
        const samples: number[] = [];
        const resolves: number[] = [];
        for (const ref of buttons.filter((_, index) => index % 40 === 0).slice(0, 15)) {
          const before = performance.now();
          const { handle } = await engine.resolve(page, ref);
          resolves.push(performance.now() - before);
          await handle.click();
          samples.push(performance.now() - before);
        }
        const ms = lowest(samples);
        return { ratio: ms, goal: 15, unit: "ms", floorNs: lowest(resolves) * 1e6, measuredNs: ms * 1e6 };
      }),
  },
];
