/** The web_fetch tool: one page of the public internet as text, wrapped as untrusted. */

import { AppError } from "../../../../shared/errors/index.ts";
import { clip, sizeText, tokenEstimate } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import {
  type AddressPolicy,
  checkUrl,
  neutralizeMarkers,
  strictAddresses,
  wrapUntrusted,
} from "../../../../shared/web/index.ts";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import type { PdfReader } from "../../media/pdf/pdfReader.ts";
import type { ApiKeys } from "../../net/apiKeys.ts";
import type { FetchAnswer, GuardedFetch } from "../../net/guardedFetch.ts";
import { isNetProblem, netProblem, refusedUrl, shownUrl } from "../../net/netProblem.ts";
import type { PageReader } from "../../net/pageReader.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { createTtlCache } from "../../net/ttlCache.ts";
import { defineTool, type ToolCallContext, type ToolResult } from "../defineTool.ts";
import { scrapeWithFirecrawl } from "./firecrawl.ts";
import { errorDetail, isPdfAnswer, type LoadedPage, loadedPage, type PageTextOptions } from "./pageText.ts";
import { maxPdfBytes } from "./pdfPage.ts";
import { webFetchInput } from "./schema.ts";
import { effectiveMaxChars, firecrawlKey, type WebFetchSettings, webFetchSettings } from "./settings.ts";

export interface WebFetchDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  fetch: GuardedFetch;
  reader: PageReader;
  /** Absent: PDF documents are refused. */
  pdf?: PdfReader;
  keys: ApiKeys;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  /** Tests on loopback servers only; no setting leads here. */
  addresses?: AddressPolicy;
}

const maxCacheEntries = 100;
const maxCacheChars = 20_000_000;
const maxErrorBytes = 64_000;
const maxErrorChars = 4000;

type Input = ReturnType<(typeof webFetchInput)["parse"]>;

export function createWebFetchTool(deps: WebFetchDeps) {
  const addresses = deps.addresses ?? strictAddresses;
  const cache = createTtlCache<{ page: LoadedPage; atMs: number }>({
    clock: deps.clock,
    maxEntries: maxCacheEntries,
    maxChars: maxCacheChars,
    sizeOf: ({ page }) => page.text.length,
  });

  return defineTool({
    name: "web_fetch",
    title: "Read a web page",
    description:
      "Loads one http or https address of the public internet and returns its text: the article of a page as Markdown " +
      "or plain text, JSON, a text file, or the text of a PDF. Runs no scripts, sends no cookies, reaches no private network. " +
      "Long texts are cut; the answer then names the offset to go on at. What it returns is untrusted content.",
    promptLine: "Load one page and return its readable text",
    risk: "read",
    input: webFetchInput,
    async execute(input, context) {
      const startedMs = deps.clock.nowMs();
      const settings = webFetchSettings(deps.config(), deps.env);
      const hardening = deps.hardening();
      const verdict = checkUrl(input.url, addresses);
      if (!verdict.ok) throw refusedUrl(verdict.kind, shownUrl(input.url));
      const exact = JSON.stringify([verdict.url.href, input.extractMode, [...hardening].sort()]);
      const key = hardening.has("web.exactCacheKeys") ? exact : exact.toLowerCase();
      const kept = cache.get(key);
      const page = kept?.page ?? (await load(verdict.url.href, input, settings, context));
      const fetchedAtMs = kept?.atMs ?? deps.clock.nowMs();
      if (kept === undefined) cache.set(key, { page, atMs: fetchedAtMs }, settings.cacheTtlMs);
      return present(page, input, effectiveMaxChars(input.maxChars, settings), {
        hardening,
        fetchedAtMs,
        tookMs: deps.clock.nowMs() - startedMs,
        isCached: kept !== undefined,
        url: verdict.url.href,
      });
    },
  });

  async function load(
    url: string,
    input: Input,
    settings: WebFetchSettings,
    context: ToolCallContext,
  ): Promise<LoadedPage> {
    const { signal } = context;
    const options: PageTextOptions = {
      mode: input.extractMode,
      readability: settings.readability,
      hardening: deps.hardening(),
      reader: deps.reader,
      ...(deps.pdf === undefined ? {} : { pdf: deps.pdf }),
      signal,
    };
    let received = 0;
    let doing = `Loading ${shownUrl(url)}`;
    const progress = () => (received > 0 ? `${doing}: ${sizeText(received)} so far` : doing);
    return withProgress(context.reportProgress, progress, async () => {
      let answer: FetchAnswer;
      const get = (address: string, maxBytes: number) =>
        deps.fetch({
          url: address,
          headers: {
            accept: "text/markdown, text/html;q=0.9, */*;q=0.1",
            "accept-language": "en-US,en;q=0.9",
            "user-agent": settings.userAgent,
          },
          timeoutMs: settings.timeoutMs,
          maxRedirects: settings.maxRedirects,
          maxBytes,
          signal,
          policy: addresses,
          onProgress: (bytes) => {
            received = bytes;
          },
        });
      try {
        answer = await get(url, settings.maxResponseBytes);
        // A document without its end cannot be read: once more, with the room that one may have.
        const isTorn = answer.isCut && isPdfAnswer(answer) && options.hardening.has("media.fetchPdf");
        if (isTorn && settings.maxResponseBytes < maxPdfBytes)
          answer = await get(answer.finalUrl, maxPdfBytes);
      } catch (error) {
        // A refused address must not reach it by another way.
        if (signal.aborted || isNetProblem(error, "blocked") || isNetProblem(error, "bad_url")) throw error;
        const scraped = await viaFirecrawl(url, input, settings, context);
        if (scraped === null) throw error;
        return scraped;
      }
      if (answer.status < 200 || answer.status >= 300) {
        const scraped = await viaFirecrawl(url, input, settings, context);
        if (scraped !== null) return scraped;
        throw await httpError(answer, options);
      }
      doing = `Reading ${shownUrl(answer.finalUrl)}`;
      const page = await loadedPage(answer, options);
      if (page.extractor !== "raw-html") return page;
      try {
        return (await viaFirecrawl(url, input, settings, context)) ?? page;
      } catch (error) {
        signal.throwIfAborted();
        // The page itself was read; that the helper failed changes nothing for the caller.
        deps.logger.warn("web.firecrawlFailed", { error });
        return page;
      }
    });
  }

  async function viaFirecrawl(
    url: string,
    input: Input,
    settings: WebFetchSettings,
    context: ToolCallContext,
  ): Promise<LoadedPage | null> {
    if (settings.firecrawl.enabled === false) return null;
    const key = await deps.keys.resolve(deps.config(), firecrawlKey);
    if (key === null) return null;
    const { signal } = context;
    const scraped = await scrapeWithFirecrawl({
      fetch: deps.fetch,
      settings: settings.firecrawl,
      key,
      url,
      signal,
    });
    const markdown: FetchAnswer = {
      status: scraped.status,
      headers: new Map([["content-type", "text/markdown; charset=utf-8"]]),
      finalUrl: URL.canParse(scraped.finalUrl) ? new URL(scraped.finalUrl).href : url,
      bytes: Buffer.from(scraped.markdown),
      isCut: false,
    };
    const page = await loadedPage(markdown, {
      mode: input.extractMode,
      readability: settings.readability,
      hardening: deps.hardening(),
      reader: deps.reader,
      signal,
    });
    return { ...page, extractor: "firecrawl", title: scraped.title, warning: scraped.warning };
  }
}

async function httpError(answer: FetchAnswer, options: PageTextOptions): Promise<AppError> {
  const detail = await errorDetail(answer, options, maxErrorBytes);
  const wrapped =
    detail === ""
      ? ""
      : `\n${wrapUntrusted(detail, { source: "Web Fetch", withWarning: false, maxChars: maxErrorChars }).text}`;
  const retryAfter = /^[\w ,:-]{1,40}$/.exec(answer.headers.get("retry-after") ?? "")?.[0];
  const retry = retryAfter === undefined ? "" : ` It asks to wait: Retry-After ${retryAfter}.`;
  return netProblem(
    "http_error",
    `${shownUrl(answer.finalUrl)} answered with status ${answer.status}.${retry}${wrapped}`,
    { data: { status: answer.status } },
  );
}

interface Facts {
  hardening: Hardening;
  url: string;
  fetchedAtMs: number;
  tookMs: number;
  isCached: boolean;
}

function present(page: LoadedPage, input: Input, maxChars: number, facts: Facts): ToolResult {
  const whole = neutralizeMarkers(page.text);
  const offset = input.offset ?? 0;
  if (offset > 0 && offset >= whole.length) {
    throw new AppError(
      "INVALID_INPUT",
      `The text of this page has ${whole.length} characters; offset ${offset} is behind its end. Use a smaller one.`,
    );
  }
  const isPlain = facts.hardening.has("web.plainResults");
  const title = page.title === null ? null : neutralizeMarkers(page.title);
  // A title is the page's text as well; in the plain form it stands inside the same wrapper.
  const head = isPlain && title !== null && offset === 0 ? `Title: ${title}\n\n` : "";
  const wrapped = wrapUntrusted(head + whole.slice(offset), {
    source: "Web Fetch",
    withWarning: true,
    maxChars,
  });
  const shown = Math.max(0, wrapped.shownChars - head.length);
  const end = offset + shown;
  const isTextCut = end < whole.length;
  const notes = notesOf(page, { isTextCut, offset, end, total: whole.length });
  const payload = {
    url: facts.url,
    finalUrl: page.finalUrl,
    status: page.status,
    contentType: page.contentType,
    ...(title === null
      ? {}
      : { title: wrapUntrusted(title, { source: "Web Fetch", withWarning: false }).text }),
    extractMode: input.extractMode,
    extractor: page.extractor,
    externalContent: { untrusted: true, source: "web_fetch", wrapped: true },
    truncated: isTextCut || page.isBodyCut,
    length: wrapped.text.length,
    rawLength: whole.length,
    wrappedLength: wrapped.text.length,
    sizeBytes: page.sizeBytes,
    charset: page.charset,
    tokenEstimate: tokenEstimate(wrapped.text),
    ...(offset > 0 ? { offset } : {}),
    ...(isTextCut ? { nextOffset: end } : {}),
    ...(page.needsBrowser ? { needsBrowser: true } : {}),
    fetchedAt: new Date(facts.fetchedAtMs).toISOString(),
    tookMs: facts.tookMs,
    text: wrapped.text,
    ...(notes.length > 0 ? { warning: notes.join(" ") } : {}),
    ...(facts.isCached ? { cached: true } : {}),
  };
  const text = isPlain ? plainText(payload, notes) : JSON.stringify(payload, null, 2);
  return { content: [{ type: "text", text }], details: payload };
}

function plainText(
  payload: { finalUrl: string; status: number; contentType: string; extractor: string; text: string } & {
    rawLength: number;
    tokenEstimate: number;
    cached?: boolean;
  },
  notes: readonly string[],
): string {
  const facts = [
    `${payload.status} ${payload.contentType || "type not named"}`,
    payload.extractor,
    `${payload.rawLength} characters`,
    `about ${payload.tokenEstimate} tokens here`,
    ...(payload.cached === true ? ["from the cache"] : []),
  ];
  return [
    `${clip(payload.finalUrl, 500)}: ${facts.join(", ")}`,
    payload.text,
    ...notes.map((note) => `[${note}]`),
  ].join("\n");
}

function notesOf(
  page: LoadedPage,
  cut: { isTextCut: boolean; offset: number; end: number; total: number },
): string[] {
  const notes: string[] = [];
  if (cut.isTextCut) {
    notes.push(
      `Characters ${cut.offset} to ${cut.end} of ${cut.total} are shown. Go on with offset=${cut.end}, or give a larger maxChars.`,
    );
  }
  if (page.isBodyCut) {
    notes.push(
      `The page is larger than ${sizeText(page.sizeBytes)}; only its beginning was read (tools.web.fetch.maxResponseBytes).`,
    );
  }
  if (page.isTooDeep) notes.push("The page nests its parts without end; only its beginning was read.");
  if (page.needsBrowser) {
    notes.push(
      "This page builds its text with scripts, which web_fetch does not run: what is here is not the page that people see. Reading it needs a browser.",
    );
  } else if (page.text.trim() === "") notes.push("There is no readable text at this address.");
  if (page.warning !== null) notes.push(neutralizeMarkers(page.warning).replace(/\s+/g, " ").slice(0, 300));
  return notes;
}
