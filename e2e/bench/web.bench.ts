/** Pages to text: against Readability with Turndown on the same document, at three sizes, and the lag meanwhile. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { silentLogger } from "../../electron/runtime/logging/logger.ts";
import { builtPageWorker, createPageReader } from "../../electron/runtime/net/pageReader.ts";
import { type PageRequest, readPage } from "../../electron/runtime/net/readPage.ts";
import { type Benchmark, median, timeOnce } from "./measure.ts";

const sentence =
  "潮水 rises and falls with the moon, and the harbour office prints <em>tables</em> for every <a href='/port'>port</a> of the coast. ";

/** An article in the clothes of a real site: navigation, class names, data attributes, lists, a table, code. */
function pageOf(chars: number): string {
  const section = (index: number) => `
    <section class="mt-8 px-4 md:px-8 text-base leading-7" data-track='{"i":${index}}'>
      <h2 id="s${index}" class="font-semibold tracking-tight">Section ${index}</h2>
      <p class="prose prose-slate">${sentence.repeat(4)}</p>
      <ul class="list-disc">${`<li class="mb-2"><span>${sentence}</span></li>`.repeat(3)}</ul>
      <pre><code class="language-ts">const tide${index} = high - low;</code></pre>
      <table><tr><th>Port</th><th>High</th></tr><tr><td>Port ${index}</td><td>${index}.4 m</td></tr></table>
    </section>`;
  const nav = Array.from(
    { length: 60 },
    (_, index) => `<li class="nav-item"><a class="nav-link" href="/n/${index}">Item ${index}</a></li>`,
  ).join("");
  let body = "";
  for (let index = 1; body.length < chars; index += 1) body += section(index);
  return `<!doctype html><html lang="en"><head><title>Tides of the coast</title></head><body>
    <nav class="sticky top-0"><ul>${nav}</ul></nav><main><article><h1>Tides of the coast</h1>${body}</article></main>
    <footer class="text-sm">All tides reserved</footer></body></html>`;
}

const requestFor = (html: string): PageRequest => ({
  html,
  mode: "markdown",
  useArticle: true,
  maxArticleChars: 12_000_000,
  isRich: true,
  url: "https://tides.example/",
});

/** What many programs do: a DOM, the article's HTML, then Markdown from that. */
function peer(html: string): string {
  const { document } = parseHTML(html) as unknown as {
    document: ConstructorParameters<typeof Readability>[0];
  };
  const article = new Readability(document, { charThreshold: 0 }).parse();
  return new TurndownService().turndown(article?.content ?? "");
}

function requireArticle(text: string, sections: number): void {
  const isWhole = text.includes("## Section 1") && text.includes(`Section ${sections}`);
  if (!isWhole || text.includes("All tides reserved"))
    throw new Error("The article was not extracted whole.");
}

const againstPeer = (label: string, chars: number, samples: number): Benchmark => ({
  name: `HTML to Markdown, ${label}, against Readability with Turndown`,
  run: async () => {
    const html = pageOf(chars);
    const sections = html.split("<section").length - 1;
    requireArticle(readPage(requestFor(html)).text, sections);
    if (!peer(html).includes("Section 1")) throw new Error("The peer found no article.");
    const floors: number[] = [];
    const values: number[] = [];
    for (let round = 0; round < samples; round += 1) {
      floors.push(await timeOnce(async () => peer(html)));
      values.push(await timeOnce(async () => readPage(requestFor(html))));
    }
    const floorNs = median(floors);
    const measuredNs = median(values);
    return { ratio: measuredNs / floorNs, goal: 0.5, unit: "× peer", floorNs, measuredNs };
  },
});

export const benchmarks: Benchmark[] = [
  againstPeer("50 kB", 50_000, 31),
  againstPeer("500 kB", 500_000, 9),
  {
    name: "HTML to Markdown, 5 MB: the article is found, and the main thread lags at most (p99)",
    run: async () => {
      const html = pageOf(5_000_000);
      const sections = html.split("<section").length - 1;
      // The built worker, as the app uses it.
      const workerUrl = builtPageWorker(pathToFileURL(`${process.cwd()}/out/main/index.js`).href);
      if (workerUrl === null) throw new Error("The page worker is not built: run npm run build.");
      const reader = createPageReader({ logger: silentLogger, workerUrl, timeLimitMs: 120_000 });
      const lag = monitorEventLoopDelay({ resolution: 5 });
      try {
        lag.enable();
        const before = performance.now();
        const page = await reader.read(requestFor(html), new AbortController().signal);
        const tookMs = performance.now() - before;
        lag.disable();
        requireArticle(page.text, sections);
        const p99Ms = lag.percentile(99) / 1e6;
        return {
          ratio: p99Ms,
          goal: 50,
          unit: "ms p99",
          floorNs: 5e6,
          measuredNs: tookMs * 1e6,
          note: `read in ${Math.round(tookMs)} ms`,
        };
      } finally {
        await reader.dispose();
      }
    },
  },
];
