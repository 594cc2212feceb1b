/** Text and pictures of the chosen pages, as parts of a question. Done once, used for every model that is tried. */

import { clip } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { pagesText } from "../../../../shared/media/index.ts";
import { stripControls, stripInvisible, wrapUntrusted } from "../../../../shared/web/index.ts";
import type { AskPart } from "../../media/models/ask.ts";
import type { PdfReader, PdfText } from "../../media/pdf/pdfReader.ts";
import { mediaProblem } from "../../media/problems.ts";
import type { Loaded } from "../../media/sources.ts";

export interface Extracted {
  text: AskPart[];
  pictures: AskPart[];
  /** Nothing but white space was found. */
  isTextEmpty: boolean;
  documents: ExtractedDocument[];
  notes: string[];
}

export interface ExtractedDocument {
  pdf: string;
  pageCount: number;
  pages: number[];
  textChars: number;
  pictures: number;
}

export interface ExtractOptions {
  reader: PdfReader;
  /** null: none was chosen. */
  pages: readonly number[] | null;
  maxPages: number;
  hardening: Hardening;
  signal: AbortSignal;
  report(text: string): void;
}

/** Over all documents of a call: some 100 000 tokens. */
const maxTextChars = 400_000;
/** A page with less text is taken for a picture of one (tools-files-web-media.md 9.4). */
const fewChars = 200;

export async function extractDocuments(
  loaded: readonly Loaded[],
  options: ExtractOptions,
): Promise<Extracted> {
  const { hardening, pages } = options;
  const result: Extracted = { text: [], pictures: [], isTextEmpty: true, documents: [], notes: [] };
  let room = maxTextChars;
  for (const [index, { bytes, name }] of loaded.entries()) {
    const read = await options.reader.read(bytes, {
      pages,
      maxPages: options.maxPages,
      maxTextChars: room,
      drawBelowChars: fewChars,
      isByLine: hardening.has("media.pdfLines"),
      isSharp: hardening.has("media.sharpPages"),
      name,
      signal: options.signal,
      onPage: (page) => options.report(`Reading page ${page} of ${name}`),
    });
    if (read.missing.length > 0 && hardening.has("media.pagesInReach")) throw noSuchPages(name, read);
    const label = loaded.length > 1 ? `Document ${index + 1}` : "Document";
    const text = documentText(read, hardening);
    room -= text.length;
    if (text.trim() !== "") {
      result.isTextEmpty = false;
      const isWrapped = hardening.has("media.wrapDocuments");
      const shown = isWrapped ? wrapUntrusted(text, { source: "External", withWarning: true }).text : text;
      result.text.push({ kind: "text", text: `${label} (${clip(name, 200)}):\n${shown}` });
    }
    for (const picture of read.pictures) {
      result.pictures.push(
        { kind: "text", text: `${label}, page ${picture.page}:` },
        {
          kind: "image",
          mimeType: picture.mimeType,
          base64: Buffer.from(picture.bytes).toString("base64"),
        },
      );
    }
    result.documents.push({
      pdf: name,
      pageCount: read.pageCount,
      pages: read.pages.map(({ page }) => page),
      textChars: text.length,
      pictures: read.pictures.length,
    });
    result.notes.push(...notesOf(name, read, options));
  }
  return result;
}

function documentText(read: PdfText, hardening: Hardening): string {
  const clean = read.pages.map(({ page, text }) => ({
    page,
    text: stripControls(stripInvisible(text)).trim(),
  }));
  if (!hardening.has("media.pdfLines")) {
    return clean.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n");
  }
  return clean.flatMap(({ page, text }) => (text === "" ? [] : [`[Page ${page}]\n${text}`])).join("\n\n");
}

function notesOf(name: string, read: PdfText, options: ExtractOptions): string[] {
  const notes: string[] = [];
  const shown = read.pages.map(({ page }) => page);
  if (options.pages === null && read.pageCount > options.maxPages) {
    notes.push(
      `${name} has ${read.pageCount} pages; the first ${options.maxPages} were looked at (agents.defaults.pdfMaxPages).`,
    );
  }
  if (read.cuts.includes("text")) {
    notes.push(
      `The text of ${name} is longer than ${maxTextChars} characters and was cut at page ${shown.at(-1) ?? 1}. Choose fewer pages.`,
    );
  }
  if (read.cuts.includes("time")) {
    notes.push(`Reading ${name} took too long; pages ${pagesText(shown)} were read. Choose fewer pages.`);
  }
  if (read.cuts.includes("pictures")) {
    notes.push(`Only ${read.pictures.length} pages of ${name} fit as pictures. Choose fewer pages.`);
  }
  if (read.cuts.includes("drawing")) {
    notes.push(`${name} has hardly any text, and its pages cannot be drawn here.`);
  }
  return notes;
}

function noSuchPages(name: string, read: PdfText) {
  const pages = read.pageCount === 1 ? "one page" : `${read.pageCount} pages`;
  return mediaProblem(
    "bad_pages",
    `${name} has ${pages}; there is no page ${pagesText(read.missing)}. Choose others.`,
    { data: { pageCount: read.pageCount, missing: read.missing } },
  );
}
