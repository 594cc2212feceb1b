/** One pass over a page before anything reads it: hidden and unreadable parts go, only structure and text stay. */

import { Parser } from "htmlparser2";
import { droppedTags, isHiddenElement } from "./hiddenRules.ts";

export interface CleanPage {
  /** Well-formed HTML of what a reader would see. */
  html: string;
  /** Text of the first `<title>`, null when there is none. */
  title: string | null;
  /** `href` of `<base>`, null when there is none. */
  baseHref: string | null;
  /** Deepest nesting of elements. */
  maxDepth: number;
  /** Nested beyond all use: what follows that place was left out. */
  isTooDeep: boolean;
  /** Characters of visible text, white space not counted. */
  textChars: number;
  /** `<script>` elements that could build the page. */
  scripts: number;
  /** An empty element in which scripts build the page, or a note that asks for scripts. */
  wantsScripts: boolean;
}

/** Pictures and the like: nothing of them reaches a model, and they only cost time. */
const pictureTags: ReadonlySet<string> = new Set([
  "img",
  "picture",
  "source",
  "video",
  "audio",
  "track",
  "map",
]);
const voidTags: ReadonlySet<string> = new Set(["area", "base", "br", "col", "hr", "input", "param", "wbr"]);
/** What article extraction and links need. */
const keptAttributes: ReadonlySet<string> = new Set([
  "href",
  "id",
  "class",
  "role",
  "rel",
  "itemprop",
  "dir",
  "lang",
]);
const mountIds = /^(?:root|app|__next|__nuxt|gatsby|svelte|main-app|react-root|app-root)$/i;
/** Many pages leave them out or repeat them; the clean page has each once. */
const frameTags: ReadonlySet<string> = new Set(["html", "head", "body", "title"]);
const maxTitleChars = 500;
const maxParsedDepth = 5000;
const pieceChars = 16_384;

/** @param html as decoded from the bytes; hostile */
export function cleanHtml(html: string): CleanPage {
  const out: string[] = [];
  const facts = { maxDepth: 0, textChars: 0, scripts: 0, wantsScripts: false };
  let title: string | null = null;
  let baseHref: string | null = null;
  let depth = 0;
  /** Open elements inside a dropped one, itself included; 0: visible. */
  let dropped = 0;
  let isInTitle = false;
  let titles = 0;
  let isInNoscript = false;

  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        depth += 1;
        if (depth > facts.maxDepth) facts.maxDepth = depth;
        if (dropped > 0) {
          dropped += 1;
          return;
        }
        if (tag === "script" && !/json|template/i.test(attributes.type ?? "")) facts.scripts += 1;
        if (tag === "noscript") isInNoscript = true;
        if (mountIds.test(attributes.id ?? "") || tag === "app-root") facts.wantsScripts = true;
        if (tag === "base" && baseHref === null) baseHref = attributes.href ?? null;
        if (droppedTags.has(tag) || pictureTags.has(tag) || isHiddenElement(tag, attributes)) {
          dropped = 1;
          return;
        }
        if (tag === "title") {
          isInTitle = true;
          title ??= "";
        }
        if (frameTags.has(tag)) return;
        out.push("<", tag);
        for (const name of Object.keys(attributes)) {
          if (keptAttributes.has(name))
            out.push(" ", name, '="', escapeAttribute(attributes[name] ?? ""), '"');
        }
        // Well-formed as XML, so that the light parser behind article extraction reads it.
        out.push(voidTags.has(tag) ? "/>" : ">");
      },
      ontext(text) {
        if (
          isInNoscript &&
          /\b(?:enable|turn on|requires?|needs?)\b.{0,40}\bjava-?script\b|\bjavascript\b.{0,60}\b(?:enabled?|required|disabled|off)\b/i.test(
            text,
          )
        ) {
          facts.wantsScripts = true;
        }
        if (dropped > 0) return;
        if (isInTitle) {
          if (titles < 1) title = `${title ?? ""}${text}`.slice(0, maxTitleChars);
          return;
        }
        facts.textChars += visibleLength(text);
        out.push(escapeText(text));
      },
      onclosetag(tag) {
        depth -= 1;
        if (tag === "noscript") isInNoscript = false;
        if (dropped > 0) {
          dropped -= 1;
          return;
        }
        if (tag === "title") {
          isInTitle = false;
          titles += 1;
        }
        if (frameTags.has(tag)) return;
        if (!voidTags.has(tag)) out.push("</", tag, ">");
      },
    },
    { decodeEntities: true },
  );
  // In pieces: the parser's cost grows with the square of the nesting, so a page that only nests is given up in time.
  let at = 0;
  for (; at < html.length && depth <= maxParsedDepth; at += pieceChars)
    parser.write(html.slice(at, at + pieceChars));
  const isTooDeep = at < html.length;
  parser.end();
  const cleanTitle = (title as string | null)?.replace(/\s+/g, " ").trim();
  return {
    html: `<html><head><title>${escapeText(cleanTitle ?? "")}</title></head><body>${out.join("")}</body></html>`,
    title: cleanTitle === undefined || cleanTitle === "" ? null : cleanTitle,
    baseHref,
    isTooDeep,
    ...facts,
  };
}

function visibleLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x20) length += 1;
  return length;
}

function escapeText(text: string): string {
  return /[&<>]/.test(text)
    ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    : text;
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}
