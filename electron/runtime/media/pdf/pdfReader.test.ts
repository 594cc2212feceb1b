/** The PDF reader with a real worker, built as in the product, on real documents. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pictureFacts } from "../../../../shared/media/index.ts";
import { silentLogger } from "../../logging/logger.ts";
import { bombPdf, makePdf } from "../testing/testPdf.ts";
import { createPdfReader, isPdf, type PdfReader, type PdfReadOptions } from "./pdfReader.ts";

let outDir: string;
let workerUrl: URL;
let reader: PdfReader;

beforeAll(async () => {
  const { build } = await import("vite");
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = path.resolve(here, "../../../..");
  outDir = await mkdtemp(path.join(root, "node_modules", ".sallyport-pdf-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: path.join(here, "pdfWorker.ts"),
      outDir,
      emptyOutDir: false,
      target: "node20",
      rolldownOptions: {
        external: [/^pdfjs-dist\//, /^@napi-rs\//],
        output: { format: "es", entryFileNames: "pdfWorker.mjs" },
      },
    },
  });
  workerUrl = pathToFileURL(path.join(outDir, "pdfWorker.mjs"));
  reader = createPdfReader({ logger: silentLogger, workerUrl });
}, 120_000);
afterAll(() => rm(outDir, { recursive: true, force: true }));

const read = (bytes: Uint8Array, more: Partial<PdfReadOptions> = {}, by = reader) =>
  by.read(bytes, {
    maxPages: 20,
    maxTextChars: 100_000,
    drawBelowChars: null,
    isByLine: true,
    isSharp: true,
    name: "a.pdf",
    signal: new AbortController().signal,
    ...more,
  });

describe("reading PDF documents", { timeout: 120_000 }, () => {
  it("gives the text by pages and lines, with Chinese and Japanese, and the title", async () => {
    const told: number[] = [];
    const pages = ["The tide rises\nand falls (twice)", "潮汐表\n日本の港 123", ""];
    const bytes = makePdf({ pages, title: "潮汐 🙂" });
    const found = await read(bytes, { onPage: (page) => told.push(page) });
    expect(found).toMatchObject({ pageCount: 3, missing: [], cuts: [], title: "潮汐 🙂", pictures: [] });
    expect(found.pages.map(({ page, text }) => [page, text.trim()])).toEqual([
      [1, "The tide rises\nand falls (twice)"],
      [2, "潮汐表\n日本の港 123"],
      [3, ""],
    ]);
    expect(told).toEqual([1, 2, 3]);
    const joined = await read(bytes, { isByLine: false, pages: [1] });
    expect(joined.pages[0]?.text.replace(/\s+/g, " ").trim()).toBe("The tide rises and falls (twice)");
  });

  it("reads chosen pages only, and names those that are not there", async () => {
    const pages = Array.from({ length: 40 }, (_, index) => `Text of page ${index + 1}`);
    const bytes = makePdf({ pages });
    expect((await read(bytes)).pages.length).toBe(20);
    const found = await read(bytes, { pages: [2, 39, 41] });
    expect(found.pages.map(({ page, text }) => [page, text.trim()])).toEqual([
      [2, "Text of page 2"],
      [39, "Text of page 39"],
    ]);
    expect(found).toMatchObject({ pageCount: 40, missing: [41] });
  });

  it("draws the pages when there is hardly any text, sharp or as the reference does", async () => {
    const scan = makePdf({ pages: ["", ""], isScan: true });
    const sharp = await read(scan, { drawBelowChars: 200 });
    expect(sharp.pictures).toMatchObject([
      { page: 1, mimeType: "image/jpeg", width: 1275, height: 1650 },
      { page: 2 },
    ]);
    const plain = await read(scan, { drawBelowChars: 200, isSharp: false, pages: [2] });
    expect(plain.pictures).toMatchObject([{ page: 2, mimeType: "image/png", width: 612, height: 792 }]);
    expect(pictureFacts(plain.pictures[0]?.bytes ?? new Uint8Array())?.size).toEqual({
      width: 612,
      height: 792,
    });
    const text = makePdf({ pages: [Array.from({ length: 5 }, () => "word ".repeat(12)).join("\n")] });
    expect((await read(text, { drawBelowChars: 200 })).pictures).toEqual([]);
  });

  it("keeps a page of any size within four million pixels", async () => {
    const huge = makePdf({ pages: [""], isScan: true, size: [14_000, 14_000] });
    const [picture] = (await read(huge, { drawBelowChars: 200 })).pictures;
    expect((picture?.width ?? 0) * (picture?.height ?? 0)).toBeLessThanOrEqual(4_000_000);
    expect(picture?.width ?? 0).toBeGreaterThan(1500);
  });

  it("cuts text at the limit and says so", async () => {
    const bytes = makePdf({ pages: ["a".repeat(80), "b".repeat(80)] });
    const found = await read(bytes, { maxTextChars: 100 });
    expect(found.cuts).toEqual(["text"]);
    expect(found.pages.reduce((sum, { text }) => sum + text.length, 0)).toBe(100);
  });

  it("says that a document is encrypted, damaged or none, each in its own way", async () => {
    await expect(read(makePdf({ pages: ["x"], password: "secret" }))).rejects.toMatchObject({
      data: { kind: "encrypted_pdf" },
    });
    await expect(read(Buffer.from("%PDF-1.7\nnothing of use"))).rejects.toMatchObject({
      data: { kind: "broken_pdf" },
    });
    await expect(read(Buffer.from("plain text"))).rejects.toMatchObject({ data: { kind: "not_a_pdf" } });
    expect(isPdf(Buffer.concat([Buffer.from("\ufeff\n"), makePdf({ pages: ["x"] })]))).toBe(true);
    // A wrong table of contents is made anew from what is there.
    const whole = makePdf({ pages: ["first", "second"] }).toString("latin1");
    const torn = await read(Buffer.from(whole.replace(/startxref\n\d+/, "startxref\n9"), "latin1"));
    expect(torn.pages.map(({ text }) => text.trim())).toEqual(["first", "second"]);
  });

  it("survives a page tree that leads in a circle and one that claims a million pages", async () => {
    const circle = makePdf({ pages: ["x"] })
      .toString("latin1")
      .replace("/Kids[7 0 R]", "/Kids[2 0 R]");
    const outcome = await read(Buffer.from(circle, "latin1")).catch((error: unknown) => error);
    expect(outcome).toBeDefined();
    const many = makePdf({ pages: ["x"] })
      .toString("latin1")
      .replace("/Count 1>>", "/Count 1000000>>");
    const claimed = await read(Buffer.from(many, "latin1")).catch((error: unknown) => error);
    expect(claimed).toBeDefined();
  });

  it("ends a document that takes too long, and a cancelled one at once; the next one reads", async () => {
    const bytes = makePdf({ pages: Array.from({ length: 400 }, () => "word ".repeat(300)) });
    const hasty = createPdfReader({ logger: silentLogger, workerUrl, timeLimitMs: 0, graceMs: 1 });
    await expect(read(bytes, { maxPages: 400 }, hasty)).rejects.toMatchObject({ data: { kind: "slow_pdf" } });
    const cancel = new AbortController();
    const running = read(bytes, { maxPages: 400, signal: cancel.signal });
    const waiting = read(bytes, { maxPages: 400, signal: cancel.signal });
    cancel.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow("cancelled");
    await expect(waiting).rejects.toThrow("cancelled");
    expect((await read(makePdf({ pages: ["after"] }))).pages[0]?.text.trim()).toBe("after");
  });

  it("gives up a document that unpacks without end, and stays usable", async () => {
    const bomb = bombPdf(400_000_000);
    expect(bomb.length).toBeLessThan(50_000);
    const maxGrowthBytes = 150_000_000;
    const careful = createPdfReader({ logger: silentLogger, workerUrl, maxGrowthBytes });
    await expect(read(bomb, {}, careful)).rejects.toMatchObject({ data: { kind: "heavy_pdf" } });
    expect((await read(makePdf({ pages: ["after"] }))).pages.length).toBe(1);
  });

  it("gives what it read when the time is up between two pages", async () => {
    const patient = createPdfReader({ logger: silentLogger, workerUrl, timeLimitMs: 0, graceMs: 60_000 });
    expect(await read(makePdf({ pages: ["x"] }), {}, patient)).toMatchObject({ pages: [], cuts: ["time"] });
  });

  it("reports a worker that cannot start as a document that cannot be read", async () => {
    const broken = path.join(outDir, "broken.mjs");
    await writeFile(broken, "throw new Error('no');");
    const failing = createPdfReader({ logger: silentLogger, workerUrl: pathToFileURL(broken) });
    await expect(read(makePdf({ pages: ["x"] }), {}, failing)).rejects.toMatchObject({
      data: { kind: "broken_pdf" },
    });
  });

  it("keeps the main thread free while it draws", async () => {
    const scan = makePdf({ pages: ["", "", "", ""], isScan: true });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const startedMs = performance.now();
    delay.enable();
    expect((await read(scan, { drawBelowChars: 200 })).pictures.length).toBe(4);
    delay.disable();
    expect(delay.percentile(99) / 1e6).toBeLessThan((performance.now() - startedMs) / 4);
  });
});
