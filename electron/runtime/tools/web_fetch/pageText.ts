/** An answer of a web server to text, by its type. */

import { sizeText, textProblemOf } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import {
  collapseSpace,
  markdownToText,
  stripControls,
  stripInvisible,
} from "../../../../shared/web/index.ts";
import type { PdfReader } from "../../media/pdf/pdfReader.ts";
import { decodeText } from "../../net/decodeText.ts";
import type { FetchAnswer } from "../../net/guardedFetch.ts";
import { netProblem, shownUrl } from "../../net/netProblem.ts";
import type { PageReader } from "../../net/pageReader.ts";
import { pdfPage } from "./pdfPage.ts";

export type Extractor = "readability" | "raw-html" | "firecrawl" | "cf-markdown" | "json" | "raw" | "pdf";

export interface LoadedPage {
  finalUrl: string;
  status: number;
  /** Without parameters, lower case; "" when the server named none. */
  contentType: string;
  title: string | null;
  extractor: Extractor;
  /** Clean, not wrapped, not cut. */
  text: string;
  charset: string;
  /** Decoded bytes that were read. */
  sizeBytes: number;
  /** The body was longer than what is read. */
  isBodyCut: boolean;
  needsBrowser: boolean;
  isTooDeep: boolean;
  warning: string | null;
}

export interface PageTextOptions {
  mode: "markdown" | "text";
  readability: boolean;
  hardening: Hardening;
  reader: PageReader;
  /** Absent: PDF documents are refused. */
  pdf?: PdfReader;
  signal: AbortSignal;
}

const referenceArticleChars = 1_000_000;
const largeArticleChars = 12_000_000;

/** @throws AppError kind `not_text` for pictures, documents, archives */
export async function loadedPage(answer: FetchAnswer, options: PageTextOptions): Promise<LoadedPage> {
  const { hardening, mode } = options;
  const header = answer.headers.get("content-type") ?? "";
  const contentType = typeOf(header);
  if (isPdfAnswer(answer) && options.pdf !== undefined && hardening.has("media.fetchPdf")) {
    return pdfPage(answer, contentType, options.pdf, options);
  }
  if (hardening.has("web.refuseBinary")) requireText(answer, contentType);
  const { text: raw, charset } = decodeText(
    answer.bytes,
    header,
    hardening.has("web.detectCharset"),
    answer.isCut,
  );
  const base = {
    finalUrl: answer.finalUrl,
    status: answer.status,
    contentType,
    charset,
    sizeBytes: answer.bytes.length,
    isBodyCut: answer.isCut,
    title: null,
    needsBrowser: false,
    isTooDeep: false,
    warning: null,
  };
  if (contentType.includes("text/markdown")) {
    return { ...base, extractor: "cf-markdown", text: tidy(mode === "text" ? markdownToText(raw) : raw) };
  }
  if (isHtml(contentType, raw)) return { ...base, ...(await htmlText(raw, answer.finalUrl, options)) };
  if (contentType.includes("application/json") || contentType.endsWith("+json")) {
    const indented = indentJson(raw);
    return { ...base, extractor: indented === null ? "raw" : "json", text: tidy(indented ?? raw) };
  }
  return { ...base, extractor: "raw", text: tidy(raw) };
}

/** By the bytes, whatever the header says. */
export function isPdfAnswer(answer: FetchAnswer): boolean {
  return answer.bytes.subarray(0, 5).toString("latin1") === "%PDF-";
}

async function htmlText(
  html: string,
  url: string,
  options: PageTextOptions,
): Promise<Pick<LoadedPage, "extractor" | "title" | "text" | "needsBrowser" | "isTooDeep">> {
  const { hardening } = options;
  if (!options.readability && !hardening.has("web.basicWithoutReadability")) {
    throw netProblem("not_text", "Reading HTML is off: tools.web.fetch.readability is false.");
  }
  return options.reader.read(
    {
      html,
      mode: options.mode,
      useArticle: options.readability,
      maxArticleChars: hardening.has("web.largeArticles") ? largeArticleChars : referenceArticleChars,
      isRich: hardening.has("web.richMarkdown"),
      url,
    },
    options.signal,
  );
}

/** For the detail of an error: the words of the page, short. */
export async function errorDetail(
  answer: FetchAnswer,
  options: PageTextOptions,
  maxBytes: number,
): Promise<string> {
  const bytes = answer.bytes.subarray(0, maxBytes);
  const header = answer.headers.get("content-type") ?? "";
  if (textProblemOf(bytes) === "binary") return "";
  const { text } = decodeText(bytes, header, true, true);
  if (!isHtml(typeOf(header), text)) return collapseSpace(tidy(text));
  const request = { html: text, mode: "text", useArticle: false, maxArticleChars: 0, isRich: false } as const;
  return (await options.reader.read({ ...request, url: answer.finalUrl }, options.signal)).text;
}

function typeOf(header: string): string {
  const type = header.split(/[;,]/)[0]?.trim().toLowerCase() ?? "";
  // The header is the server's text: only what looks like a type is passed on.
  return /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(type) ? type : "";
}

function isHtml(contentType: string, text: string): boolean {
  if (contentType.includes("text/html") || contentType.includes("application/xhtml+xml")) return true;
  return contentType === "" && /^\s*(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 1000));
}

function requireText(answer: FetchAnswer, contentType: string): void {
  const { bytes } = answer;
  const head = bytes.subarray(0, 5).toString("latin1");
  const isPdf = contentType === "application/pdf" || head === "%PDF-";
  const isBinary = textProblemOf(bytes) === "binary" || /^(?:image|audio|video|font)\//.test(contentType);
  if (!isPdf && (!isBinary || contentType === "image/svg+xml")) return;
  const size = `${answer.isCut ? "more than " : ""}${sizeText(bytes.length)}`;
  const where = shownUrl(answer.finalUrl);
  const message = isPdf
    ? `${where} is a PDF document (${size}). web_fetch reads text only; give the address to the pdf tool if you have it.`
    : `${where} is no text: ${contentType || "unknown type"}, ${size}. web_fetch reads pages and text files only.`;
  throw netProblem("not_text", message, { data: { contentType, sizeBytes: bytes.length } });
}

function indentJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON after all, or cut: it is shown as it came.
    return null;
  }
}

function tidy(text: string): string {
  return stripControls(stripInvisible(text));
}
