/** A PDF's text, and pictures of its pages where there is none. Burns CPU: `pdfReader.ts` runs it in a worker. */

import { createRequire } from "node:module";
import path from "node:path";
import { aliasCjkFonts } from "./cjkFonts.ts";

export interface PdfRequest {
  bytes: Uint8Array;
  /** Ascending; null: from the first page on. */
  pages: readonly number[] | null;
  /** Most pages that are read when none is chosen. */
  maxPages: number;
  /** Text over all pages; what is beyond is cut. */
  maxTextChars: number;
  /** Draw the pages when their text has fewer characters; null: never. */
  drawBelowChars: number | null;
  /** Of each drawn page. */
  maxPixels: number;
  /** Times 72 dots per inch. */
  maxScale: number;
  format: "png" | "jpeg";
  /** Of all drawn pages together; the rest is left out. */
  maxPictureBytes: number;
  /** Lines as on the page; false: all pieces joined by spaces. */
  isByLine: boolean;
  /** No further page is begun after this time. */
  timeLimitMs: number;
}

export interface PdfPage {
  page: number;
  text: string;
}

export interface PdfPicture {
  page: number;
  bytes: Uint8Array;
  mimeType: "image/png" | "image/jpeg";
  width: number;
  height: number;
}

export type PdfOutcome =
  | {
      kind: "read";
      /** Of the document. */
      pageCount: number;
      /** The read ones; those left out for want of time or room are missing. */
      pages: PdfPage[];
      pictures: PdfPicture[];
      /** Chosen pages that the document does not have. */
      missing: number[];
      /** Why something is missing. */
      cuts: PdfCut[];
      title: string | null;
    }
  | { kind: "encrypted" }
  /** pdf.js is not there. */
  | { kind: "unavailable" }
  | { kind: "broken"; reason: string };

export type PdfCut = "text" | "time" | "pictures" | "drawing";

type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");
type Document = Awaited<ReturnType<Pdfjs["getDocument"]>["promise"]>;

const maxPageChars = 2_000_000;
const jpegQuality = 80;

/** @param onPage told before each page, with its number */
export async function readPdf(request: PdfRequest, onPage: (page: number) => void): Promise<PdfOutcome> {
  const untilMs = performance.now() + request.timeLimitMs;
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs").catch(() => null);
  // A package without it still runs; the caller says what is missing.
  if (pdfjs === null) return { kind: "unavailable" };
  const loading = pdfjs.getDocument({
    data: request.bytes,
    ...dataFiles(),
    isEvalSupported: false,
    enableXfa: false,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  try {
    const document = await loading.promise;
    return await readDocument(document, request, untilMs, onPage);
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") return { kind: "encrypted" };
    return { kind: "broken", reason: error instanceof Error ? error.message.slice(0, 200) : "unknown" };
  } finally {
    await loading.destroy();
  }
}

async function readDocument(
  document: Document,
  request: PdfRequest,
  untilMs: number,
  onPage: (page: number) => void,
): Promise<PdfOutcome> {
  const pageCount = document.numPages;
  const wanted =
    request.pages ?? Array.from({ length: Math.min(pageCount, request.maxPages) }, (_, index) => index + 1);
  const there = wanted.filter((page) => Number.isInteger(page) && page <= pageCount);
  const missing = wanted.filter((page) => !there.includes(page));
  const cuts = new Set<PdfCut>();
  const pages: PdfPage[] = [];
  let chars = 0;
  for (const page of there) {
    if (performance.now() > untilMs) {
      cuts.add("time");
      break;
    }
    const room = request.maxTextChars - chars;
    if (room <= 0) {
      cuts.add("text");
      break;
    }
    onPage(page);
    const text = await textOfPage(document, page, request.isByLine);
    if (text.length > room) cuts.add("text");
    const shown = text.slice(0, room);
    chars += shown.length;
    pages.push({ page, text: shown });
  }
  const written = pages
    .map(({ text }) => text)
    .join("")
    .trim().length;
  const isDrawn = request.drawBelowChars !== null && written < request.drawBelowChars;
  const pictures = isDrawn ? await drawPages(document, there, request, untilMs, cuts, onPage) : [];
  const title = await titleOf(document);
  return { kind: "read", pageCount, pages, pictures, missing, cuts: [...cuts], title };
}

async function textOfPage(document: Document, number: number, isByLine: boolean): Promise<string> {
  const page = await document.getPage(number);
  try {
    const { items } = await page.getTextContent();
    const texts: string[] = [];
    let size = 0;
    for (const item of items) {
      if (!("str" in item)) continue;
      size += item.str.length + 1;
      if (size > maxPageChars) break;
      texts.push(isByLine ? `${item.str}${item.hasEOL ? "\n" : ""}` : item.str);
    }
    return isByLine ? texts.join("").replace(/[ \t]+$/gm, "") : texts.join(" ");
  } finally {
    page.cleanup();
  }
}

async function drawPages(
  document: Document,
  numbers: readonly number[],
  request: PdfRequest,
  untilMs: number,
  cuts: Set<PdfCut>,
  onPage: (page: number) => void,
): Promise<PdfPicture[]> {
  const canvas = await loadCanvas();
  if (canvas === null) {
    cuts.add("drawing");
    return [];
  }
  const pictures: PdfPicture[] = [];
  let size = 0;
  for (const number of numbers) {
    if (performance.now() > untilMs) {
      cuts.add("time");
      break;
    }
    onPage(number);
    const page = await document.getPage(number);
    const plain = page.getViewport({ scale: 1 });
    const largest = Math.sqrt(request.maxPixels / Math.max(1, plain.width * plain.height));
    const viewport = page.getViewport({ scale: Math.min(request.maxScale, largest) });
    const width = Math.max(1, Math.floor(viewport.width));
    const height = Math.max(1, Math.floor(viewport.height));
    const surface = canvas.createCanvas(width, height);
    // pdf.js asks for the canvas of a browser; this one has the same methods.
    const drawing = { canvas: surface, viewport, background: "white" };
    await page.render(drawing as unknown as Parameters<typeof page.render>[0]).promise;
    const bytes =
      request.format === "png" ? await surface.encode("png") : await surface.encode("jpeg", jpegQuality);
    page.cleanup();
    size += bytes.length;
    if (size > request.maxPictureBytes) {
      cuts.add("pictures");
      break;
    }
    pictures.push({ page: number, bytes, mimeType: `image/${request.format}`, width, height });
  }
  return pictures;
}

async function titleOf(document: Document): Promise<string | null> {
  try {
    const { info } = await document.getMetadata();
    const title: unknown = Reflect.get(info, "Title");
    return typeof title === "string" && title.trim() !== "" ? title.trim().slice(0, 300) : null;
  } catch {
    // A document without readable metadata has no title; its pages are what was asked for.
    return null;
  }
}

/** @returns null where pages cannot be drawn */
async function loadCanvas(): Promise<typeof import("@napi-rs/canvas") | null> {
  try {
    const canvas = await import("@napi-rs/canvas");
    aliasCjkFonts(canvas.GlobalFonts);
    return canvas;
  } catch {
    // Not shipped for this platform: the text alone is used, and the answer says so.
    return null;
  }
}

/** Tables that pdf.js reads from the disk: character maps of CJK fonts, standard fonts, decoders of pictures. */
function dataFiles() {
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
    const at = (name: string) => `${path.join(folder, name)}/`;
    return {
      cMapUrl: at("cmaps"),
      cMapPacked: true,
      standardFontDataUrl: at("standard_fonts"),
      wasmUrl: at("wasm"),
      iccUrl: at("iccs"),
    };
  } catch {
    // Without them most documents still read; what needs them shows up as missing text.
    return {};
  }
}
