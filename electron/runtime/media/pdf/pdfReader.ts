/** Reads PDFs beside the main thread: a worker of its own for each, with limits on time and memory. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../../../shared/errors/index.ts";
import type { Logger } from "../../logging/logger.ts";
import { createGate } from "../gate.ts";
import { mediaProblem } from "../problems.ts";
import { type PdfOutcome, type PdfRequest, readPdf } from "./readPdf.ts";

export type PdfText = Extract<PdfOutcome, { kind: "read" }>;

export interface PdfReadOptions {
  pages?: readonly number[] | null;
  maxPages: number;
  maxTextChars: number;
  drawBelowChars: number | null;
  /** Rules media.pdfLines and media.sharpPages. */
  isByLine: boolean;
  isSharp: boolean;
  /** For messages. */
  name: string;
  signal: AbortSignal;
  onPage?: (page: number) => void;
}

export interface PdfReader {
  /** @throws AppError kind not_a_pdf, encrypted_pdf, broken_pdf, slow_pdf, heavy_pdf; the signal's reason on cancel */
  read(bytes: Uint8Array, options: PdfReadOptions): Promise<PdfText>;
}

export interface PdfReaderDeps {
  logger: Logger;
  /** The built `pdfWorker.ts`; null: read on this thread (sources that are not built). */
  workerUrl: URL | null;
  /** No new page is begun after it; what was read till then is the answer. */
  timeLimitMs?: number;
  /** A page that takes longer than the rest of the time ends the document. */
  graceMs?: number;
  /** By how much the whole process may grow meanwhile: unpacked streams lie outside of the worker's heap. */
  maxGrowthBytes?: number;
}

const pageMaxPixels = 4_000_000;
const maxPictureBytes = 20 * 1024 * 1024;
const sharpScale = 150 / 72;
const maxHeapMb = 768;
const defaultGrowthBytes = 1536 * 1024 * 1024;
const memoryCheckMs = 200;

/** @returns the worker beside the built programs: `out/pdfWorker/index.js`; null when there is none */
export function builtPdfWorker(from: string): URL | null {
  const url = new URL("../pdfWorker/index.js", from);
  return url.protocol === "file:" && existsSync(fileURLToPath(url)) ? url : null;
}

/** Whether the bytes begin as a PDF does; some programs put a few bytes in front. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes("%PDF-");
}

export function createPdfReader(deps: PdfReaderDeps): PdfReader {
  const { logger, workerUrl, timeLimitMs = 40_000, graceMs = 20_000 } = deps;
  const maxGrowthBytes = deps.maxGrowthBytes ?? defaultGrowthBytes;
  // One at a time: a document may take hundreds of megabytes.
  const gate = createGate(1);

  const inWorker = (url: URL, request: PdfRequest, options: PdfReadOptions) =>
    new Promise<PdfOutcome>((resolve, reject) => {
      const { signal } = options;
      if (signal.aborted) return reject(signal.reason);
      const sizeBytes = request.bytes.length;
      // No environment: keys of services are none of a document's business.
      const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb }, env: {} });
      let isSettled = false;
      const settle = (finish: () => void) => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        clearInterval(watch);
        signal.removeEventListener("abort", onAbort);
        void worker.terminate().then(finish, finish);
      };
      const onAbort = () => settle(() => reject(signal.reason));
      const timer = setTimeout(() => {
        settle(() => reject(slow(options.name, timeLimitMs + graceMs)));
      }, timeLimitMs + graceMs);
      const mostBytes = process.memoryUsage.rss() + maxGrowthBytes;
      const watch = setInterval(() => {
        if (process.memoryUsage.rss() > mostBytes) settle(() => reject(tooHeavy(options.name)));
      }, memoryCheckMs);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.on("error", (error) => {
        logger.warn("media.pdfWorkerFailed", { error, sizeBytes });
        settle(() => resolve({ kind: "broken", reason: messageOf(error).slice(0, 200) }));
      });
      worker.on("exit", () => settle(() => resolve({ kind: "broken", reason: "its reading ended early" })));
      worker.on(
        "message",
        (message: { kind: "page"; page: number } | { kind: "done"; outcome: PdfOutcome }) => {
          if (message.kind === "page") options.onPage?.(message.page);
          else settle(() => resolve(message.outcome));
        },
      );
      worker.postMessage(request, [request.bytes.buffer as ArrayBuffer]);
    });

  return {
    async read(bytes, options) {
      if (!isPdf(bytes)) {
        throw mediaProblem("not_a_pdf", `${options.name} is no PDF document.`);
      }
      const request: PdfRequest = {
        // A copy: pdf.js takes the memory over, and the caller may send the bytes elsewhere.
        bytes: new Uint8Array(bytes),
        pages: options.pages ?? null,
        maxPages: options.maxPages,
        maxTextChars: options.maxTextChars,
        drawBelowChars: options.drawBelowChars,
        maxPixels: pageMaxPixels,
        maxScale: options.isSharp ? sharpScale : 1,
        format: options.isSharp ? "jpeg" : "png",
        maxPictureBytes,
        isByLine: options.isByLine,
        timeLimitMs,
      };
      const outcome = await gate.run(
        () =>
          workerUrl === null
            ? readPdf(request, (page) => options.onPage?.(page))
            : inWorker(workerUrl, request, options),
        options.signal,
      );
      if (outcome.kind === "read") return outcome;
      if (outcome.kind === "unavailable") {
        throw mediaProblem("no_codec", "PDF documents cannot be read here: pdfjs-dist is not installed.");
      }
      throw outcome.kind === "encrypted" ? encrypted(options.name) : broken(options.name, outcome.reason);
    },
  };
}

function slow(name: string, limitMs: number) {
  return mediaProblem(
    "slow_pdf",
    `${name} takes longer than ${limitMs / 1000} seconds to read. Choose fewer pages, or give a simpler document.`,
  );
}

function tooHeavy(name: string) {
  return mediaProblem(
    "heavy_pdf",
    `${name} takes too much memory when it is unpacked, as documents do that are made to harm. It was given up.`,
  );
}

function encrypted(name: string) {
  return mediaProblem("encrypted_pdf", `${name} needs a password. Give a copy without one.`);
}

function broken(name: string, reason: string) {
  return mediaProblem(
    "broken_pdf",
    `${name} is damaged or no PDF document: it cannot be read. Give another copy.`,
    {
      data: { reason },
    },
  );
}
