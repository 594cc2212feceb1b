/** The page reader with a real worker, built as in the product. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../logging/logger.ts";
import { createPageReader } from "./pageReader.ts";
import type { PageRequest } from "./readPage.ts";

let outDir: string;
let workerUrl: URL;

beforeAll(async () => {
  const { build } = await import("vite");
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = path.resolve(here, "../../..");
  outDir = await mkdtemp(path.join(root, "node_modules", ".sallyport-page-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: path.join(here, "pageWorker.ts"),
      outDir,
      emptyOutDir: false,
      target: "node20",
      rolldownOptions: { output: { format: "es", entryFileNames: "pageWorker.mjs" } },
    },
  });
  workerUrl = pathToFileURL(path.join(outDir, "pageWorker.mjs"));
}, 60_000);
afterAll(() => rm(outDir, { recursive: true, force: true }));

const never = new AbortController().signal;
const request = (html: string, more: Partial<PageRequest> = {}): PageRequest => ({
  html,
  mode: "markdown",
  useArticle: true,
  maxArticleChars: 12_000_000,
  isRich: true,
  url: "https://example.com/",
  ...more,
});

function article(chars: number): string {
  const parts = ["<html><head><title>Lanterns</title></head><body><nav><a href=/x>Menu</a></nav><article>"];
  let size = 0;
  for (let index = 0; size < chars; index += 1) {
    const part = `<h2>Part ${index}</h2><p>The lantern keeper ${index} walks along <a href="/p${index}">the shore</a>, counts boats, and writes 潮汐 down in a long book.</p>`;
    parts.push(part);
    size += part.length;
  }
  return `${parts.join("")}</article><footer>Imprint</footer></body></html>`;
}

describe("reading pages beside the main thread", () => {
  it("finds the article of a long page and does not hold the main thread up", async () => {
    const reader = createPageReader({ logger: silentLogger, workerUrl, timeLimitMs: 60_000 });
    await reader.read(request(article(20_000)), never);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const html = article(1_500_000);
    delay.enable();
    const page = await reader.read(request(html), never);
    delay.disable();
    expect(page).toMatchObject({ extractor: "readability", title: "Lanterns" });
    expect(page.text).toContain("潮汐");
    expect(page.text).not.toContain("Imprint");
    expect(delay.percentile(99) / 1e6).toBeLessThan(100);
    await reader.dispose();
  }, 60_000);

  it("takes all visible text when the article takes too long, and stays usable", async () => {
    const reader = createPageReader({ logger: silentLogger, workerUrl, timeLimitMs: 900 });
    const page = await reader.read(request(article(6_000_000)), never).catch((error: unknown) => error);
    // A slow machine may not even read the plain text in that time: then it says so.
    if (page instanceof Error) expect(page).toMatchObject({ data: { kind: "timeout" } });
    else expect(page).toMatchObject({ extractor: "raw-html" });
    await reader.dispose();
    const next = createPageReader({ logger: silentLogger, workerUrl });
    expect((await next.read(request(article(10_000)), never)).extractor).toBe("readability");
    await next.dispose();
  }, 60_000);

  it("stops at once when the call is cancelled, running or waiting", async () => {
    const reader = createPageReader({ logger: silentLogger, workerUrl, timeLimitMs: 60_000 });
    const cancel = new AbortController();
    const running = reader.read(request(article(8_000_000)), cancel.signal);
    const waiting = reader.read(request(article(10_000)), cancel.signal);
    cancel.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow("cancelled");
    await expect(waiting).rejects.toThrow("cancelled");
    expect((await reader.read(request(article(10_000)), never)).extractor).toBe("readability");
    await reader.dispose();
  }, 60_000);

  it("reads on this thread when the worker cannot start, and says so in the log", async () => {
    const broken = path.join(outDir, "broken.mjs");
    await writeFile(broken, "throw new Error('no');");
    const events: string[] = [];
    const logger = { ...silentLogger, warn: (event: string) => void events.push(event) };
    const reader = createPageReader({ logger, workerUrl: pathToFileURL(broken) });
    const page = await reader.read(request(article(10_000)), never);
    expect(page.text).toContain("lantern keeper");
    expect(events).toContain("web.pageWorkerUnusable");
    await reader.dispose();
  });

  it("survives pages made to break it", async () => {
    const reader = createPageReader({ logger: silentLogger, workerUrl, timeLimitMs: 20_000 });
    const deep = await reader.read(request("<div>".repeat(400_000)), never);
    expect(deep.isTooDeep).toBe(true);
    const frame = await reader.read(
      request('<title>App</title><div id="root"></div><script src="/main.js"></script>'.padEnd(6000)),
      never,
    );
    expect(frame).toMatchObject({ needsBrowser: true, title: "App" });
    await reader.dispose();
  }, 60_000);
});
