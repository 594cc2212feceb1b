/** A page's HTML to the text that a model gets. Burns CPU: `pageReader.ts` runs it beside the main thread. */

/// <reference path="./jsdomParser.d.ts" />

import { Readability } from "@mozilla/readability";
import JSDOMParser from "@mozilla/readability/JSDOMParser.js";
import {
  type CleanPage,
  cleanHtml,
  createMarkdownWriter,
  htmlToMarkdown,
  type MarkdownOptions,
  stripControls,
  stripInvisible,
} from "../../../shared/web/index.ts";

export interface PageRequest {
  html: string;
  mode: "markdown" | "text";
  /** Find the article; false: all visible text. */
  useArticle: boolean;
  /** Cleaned pages with more characters are read without looking for the article. */
  maxArticleChars: number;
  /** Keep tables, code, numbered lists, and make links absolute. */
  isRich: boolean;
  /** Where the page came from. */
  url: string;
}

export interface PageText {
  extractor: "readability" | "raw-html";
  title: string | null;
  /** May be empty. */
  text: string;
  /** Hardly any text, and scripts that would make it. */
  needsBrowser: boolean;
  /** The page nests beyond all use, and its rest was left out. */
  isTooDeep: boolean;
}

const maxDepth = 3000;
/** Below this, a page with scripts is taken for a frame that its scripts fill. */
const fewChars = 200;
/** An article is preferred to the whole page only when it is not a mere crumb of it. */
const minArticleShare = 0.02;

export function readPage(request: PageRequest): PageText {
  const page = cleanHtml(request.html);
  const options: MarkdownOptions = {
    mode: request.mode,
    isRich: request.isRich,
    baseUrl: request.isRich ? baseOf(page.baseHref, request.url) : null,
  };
  const needsBrowser =
    page.textChars < fewChars && (page.wantsScripts || (page.scripts > 0 && page.textChars < 50));
  const isArticlePage =
    request.useArticle && page.html.length <= request.maxArticleChars && page.maxDepth <= maxDepth;
  const article = isArticlePage ? readArticle(page, options) : null;
  if (article !== null) {
    return {
      extractor: "readability",
      title: article.title ?? tidyTitle(page.title),
      text: article.text,
      needsBrowser,
      isTooDeep: page.isTooDeep,
    };
  }
  const text = tidy(htmlToMarkdown(page.html, options));
  return {
    extractor: "raw-html",
    title: tidyTitle(page.title),
    text,
    needsBrowser,
    isTooDeep: page.isTooDeep,
  };
}

/** The few members of a DOM node that are read here. */
interface DomNode {
  nodeType: number;
  localName?: string;
  textContent: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  parentNode: DomNode | null;
  getAttribute?(name: string): string | null;
}

const elementNode = 1;
const textNode = 3;

/** @returns null when no article is found, or only a crumb of the page */
function readArticle(
  page: CleanPage,
  options: MarkdownOptions,
): { title: string | null; text: string } | null {
  let found: { title?: string | null; content?: unknown } | null;
  try {
    // Readability's own light DOM: it reads only well-formed pages, which cleaned ones are, in a fifth of the time.
    const parser = new JSDOMParser();
    const document = parser.parse(page.html, options.baseUrl ?? undefined);
    // Half a page must not pass for the whole of it.
    if (parser.errorState !== "") return null;
    // The element itself is wanted, not its HTML: that would have to be parsed again.
    found = new Readability(document, { charThreshold: 0, serializer: (node) => node as unknown }).parse();
  } catch {
    // Pages can break the algorithm; all visible text is then the answer.
    return null;
  }
  const root = found?.content as DomNode | null | undefined;
  if (root === null || root === undefined || typeof root !== "object") return null;
  const text = tidy(domToMarkdown(root, options));
  if (text.length < page.textChars * minArticleShare || text === "") return null;
  return { title: tidyTitle(found?.title ?? null), text };
}

/** Walks without recursion, so that depth costs no stack. */
function domToMarkdown(root: DomNode, options: MarkdownOptions): string {
  const writer = createMarkdownWriter(options);
  let node: DomNode | null = root;
  while (node !== null) {
    if (node.nodeType === textNode) writer.text(node.textContent ?? "");
    if (node.nodeType === elementNode) writer.open(node.localName ?? "", node.getAttribute?.("href") ?? null);
    if (node.nodeType === elementNode && node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    while (node !== null) {
      if (node.nodeType === elementNode) writer.close(node.localName ?? "");
      if (node === root) return writer.result();
      if (node.nextSibling !== null) break;
      node = node.parentNode;
    }
    node = node?.nextSibling ?? null;
  }
  return writer.result();
}

function tidy(text: string): string {
  return stripControls(stripInvisible(text)).trim();
}

function tidyTitle(title: string | null): string | null {
  const clean = tidy(title ?? "").replace(/\s+/g, " ");
  return clean === "" ? null : clean.slice(0, 300);
}

function baseOf(baseHref: string | null, url: string): string | null {
  try {
    return new URL(baseHref ?? "", url).href;
  } catch {
    // A base that is no address is as good as none.
    return url;
  }
}
