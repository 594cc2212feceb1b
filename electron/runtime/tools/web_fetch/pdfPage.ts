/** A PDF that a web server gave, as the text of its pages. */

import { sizeText } from "../../../../shared/files/index.ts";
import { stripControls, stripInvisible } from "../../../../shared/web/index.ts";
import type { PdfReader } from "../../media/pdf/pdfReader.ts";
import type { FetchAnswer } from "../../net/guardedFetch.ts";
import { netProblem, shownUrl } from "../../net/netProblem.ts";
import type { LoadedPage, PageTextOptions } from "./pageText.ts";

/** Of one answer; the offset goes through all of it. */
const maxTextChars = 2_000_000;
const maxPages = 500;

/** A document needs its end: more is loaded for it than for a page. */
export const maxPdfBytes = 10_000_000;

/**
 * @throws AppError kind too_large when the document was cut, not_text when there is no text in it; of the reader when
 * it is damaged, encrypted or too slow
 */
export async function pdfPage(
  answer: FetchAnswer,
  contentType: string,
  reader: PdfReader,
  options: PageTextOptions,
): Promise<LoadedPage> {
  const where = shownUrl(answer.finalUrl);
  if (answer.isCut) {
    throw netProblem(
      "too_large",
      `${where} is a PDF document of more than ${sizeText(answer.bytes.length)}, which web_fetch does not read. Give the address to the pdf tool if you have it.`,
      { data: { sizeBytes: answer.bytes.length } },
    );
  }
  const read = await reader.read(answer.bytes, {
    maxPages,
    maxTextChars,
    drawBelowChars: null,
    isByLine: options.hardening.has("media.pdfLines"),
    isSharp: false,
    name: where,
    signal: options.signal,
  });
  const text = read.pages
    .map(({ page, text: written }) => ({ page, written: stripControls(stripInvisible(written)).trim() }))
    .flatMap(({ page, written }) => (written === "" ? [] : [`[Page ${page}]\n${written}`]))
    .join("\n\n");
  if (text === "") {
    const pages = read.pageCount === 1 ? "its page holds" : `its ${read.pageCount} pages hold`;
    throw netProblem(
      "not_text",
      `${where} is a PDF document without text: ${pages} pictures only. Give the address to the pdf tool if you have it.`,
      { data: { contentType, pageCount: read.pageCount, sizeBytes: answer.bytes.length } },
    );
  }
  const isShort = read.cuts.length > 0 || read.pages.length < read.pageCount;
  return {
    finalUrl: answer.finalUrl,
    status: answer.status,
    contentType: contentType === "" ? "application/pdf" : contentType,
    title: read.title === null ? null : stripControls(stripInvisible(read.title)),
    extractor: "pdf",
    text,
    charset: "utf-8",
    sizeBytes: answer.bytes.length,
    isBodyCut: false,
    needsBrowser: false,
    isTooDeep: false,
    warning: isShort
      ? `The document has ${read.pageCount} pages; the first ${read.pages.length} were read. The pdf tool reads chosen pages.`
      : null,
  };
}
