/** What a search found, as a result for model and panel: untrusted text wrapped, and cut to a stated length. */

import { clip, tokenEstimate, utf8Length } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { stripControls, stripInvisible, wrapUntrusted } from "../../../../shared/web/index.ts";
import type { ToolResult } from "../defineTool.ts";
import { withoutAbsent } from "./readJson.ts";
import type { Citation, SearchAnswer, SearchHit, SearchProvider } from "./searchTypes.ts";

export interface SearchFacts {
  query: string;
  provider: SearchProvider;
  tookMs: number;
  isCached: boolean;
  hardening: Hardening;
}

type Found = Exclude<SearchAnswer, { kind: "refused" }>;

/** Snippets share this many characters, so that ten hits cost no more than a few. */
const sharedSnippetChars = 900;
const maxTitleChars = 70;
const maxUrlChars = 300;
const maxListChars = 40_000;
const maxAnswerChars = 12_000;
const maxCitations = 20;

export function presentSearch(answer: Found, facts: SearchFacts): ToolResult {
  return facts.hardening.has("web.wrapOnce") ? wrappedOnce(answer, facts) : wrappedEach(answer, facts);
}

function wrappedOnce(answer: Found, facts: SearchFacts): ToolResult {
  const { text, notes, count } = answer.kind === "hits" ? hitList(answer) : answerText(answer);
  const wrapped = wrapUntrusted(text, { source: "Web Search", withWarning: false }).text.trimStart();
  const payload = {
    ...baseOf(facts),
    ...(answer.kind === "hits" ? { count, ...answer.extra } : { model: answer.model }),
    tokenEstimate: tokenEstimate(wrapped),
    sizeBytes: utf8Length(wrapped),
    text: wrapped,
    ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
  };
  const isPlain = facts.hardening.has("web.plainResults");
  const from = `${facts.provider.label}: ${answer.kind === "hits" ? `${count} results` : "an answer"}${facts.isCached ? " from the cache" : ""}, about ${payload.tokenEstimate} tokens`;
  const shown = isPlain
    ? [from, wrapped, ...notes.map((note) => `[${note}]`)].join("\n")
    : JSON.stringify(payload, null, 2);
  return { content: [{ type: "text", text: shown }], details: payload };
}

interface Listed {
  text: string;
  notes: string[];
  count: number;
}

function hitList(answer: Extract<Found, { kind: "hits" }>): Listed {
  const hits = answer.hits.filter((hit) => webUrl(hit.url) !== null);
  if (hits.length === 0) return { text: "Nothing was found.", notes: [], count: 0 };
  const snippetChars =
    answer.snippetChars ?? Math.min(Math.max(Math.floor(sharedSnippetChars / hits.length), 90), 300);
  let isCut = false;
  const entries = hits.map((hit, index) => {
    const snippet = oneLine(hit.snippet);
    const shown = cutText(snippet, snippetChars);
    isCut ||= shown !== snippet;
    const date = hit.published === undefined ? "" : ` (${cutText(oneLine(hit.published), 40)})`;
    const title = cutText(oneLine(hit.title), maxTitleChars) || "(no title)";
    const more = Object.values(hit.texts ?? {}).flatMap((text) =>
      text === undefined ? [] : [cutText(oneLine(text), snippetChars)],
    );
    return [
      `${index + 1}. ${title}${date}`,
      shortUrl(hit.url),
      ...[shown, ...more].filter((line) => line !== ""),
    ].join("\n");
  });
  if (answer.answer !== undefined) entries.unshift(cutText(oneLine(answer.answer), maxAnswerChars / 4));
  const whole = entries.join("\n");
  const text = cutText(whole, maxListChars);
  const notes: string[] = [];
  if (isCut) notes.push(`Snippets are cut to ${snippetChars} characters; web_fetch reads a page.`);
  if (text !== whole) notes.push(`The list is cut to ${maxListChars} characters; ask for fewer results.`);
  return { text, notes, count: hits.length };
}

function answerText(answer: Extract<Found, { kind: "answer" }>): Listed {
  const content = tidy(answer.content);
  const shown = cutText(content, maxAnswerChars);
  const citations = usableCitations(answer.citations);
  const lines = citations
    .slice(0, maxCitations)
    .map(({ url, title }, index) =>
      [
        `${index + 1}.`,
        ...(title === undefined ? [] : [cutText(oneLine(title), maxTitleChars)]),
        shortUrl(url),
      ].join(" "),
    );
  const notes: string[] = [];
  if (shown !== content)
    notes.push(`The answer is cut to ${maxAnswerChars} characters; ask a narrower question.`);
  if (citations.length > maxCitations) {
    notes.push(`${maxCitations} of ${citations.length} citations are listed; ask a narrower question.`);
  }
  const text = [shown || "There is no answer.", ...(lines.length > 0 ? ["Citations:", ...lines] : [])].join(
    "\n",
  );
  return { text, notes, count: citations.length };
}

/** The form of the reference: each text in markers of its own, as JSON. */
function wrappedEach(answer: Found, facts: SearchFacts): ToolResult {
  const wrap = (text: string) => wrapUntrusted(tidy(text), { source: "Web Search", withWarning: false }).text;
  const payload =
    answer.kind === "answer"
      ? {
          ...baseOf(facts),
          model: answer.model,
          content: wrap(answer.content),
          citations: usableCitations(answer.citations).map(({ url, title }) =>
            title === undefined ? url : { url, title: wrap(title) },
          ),
        }
      : {
          ...baseOf(facts),
          ...answer.extra,
          count: answer.hits.length,
          ...(answer.answer === undefined ? {} : { answer: wrap(answer.answer) }),
          results: answer.hits.filter((hit) => webUrl(hit.url) !== null).map((hit) => fieldsOf(hit, wrap)),
        };
  return { content: [{ type: "text", text: JSON.stringify(payload, null, 2) }], details: payload };
}

function fieldsOf(hit: SearchHit, wrap: (text: string) => string): Record<string, unknown> {
  return withoutAbsent({
    title: wrap(hit.title),
    url: webUrl(hit.url) ?? "",
    [hit.snippetField]:
      hit.snippetField === "snippets" ? hit.snippet.split("\n").map(wrap) : wrap(hit.snippet),
    published: hit.published === undefined ? undefined : clip(oneLine(hit.published), 40),
    siteName: hit.siteName,
    ...hit.facts,
    ...Object.fromEntries(
      Object.entries(hit.texts ?? {}).map(([name, text]) => [
        name,
        text === undefined ? undefined : wrap(text),
      ]),
    ),
  });
}

function baseOf(facts: SearchFacts) {
  return {
    query: facts.query,
    provider: facts.provider.id,
    tookMs: facts.tookMs,
    externalContent: { untrusted: true, source: "web_search", provider: facts.provider.id, wrapped: true },
    ...(facts.isCached ? { cached: true } : {}),
  };
}

function usableCitations(citations: readonly Citation[]): Citation[] {
  const byUrl = new Map<string, Citation>();
  for (const { url, title } of citations) {
    const href = webUrl(url);
    if (href !== null && !byUrl.has(href)) byUrl.set(href, { url: href, title });
  }
  return [...byUrl.values()];
}

/** Addresses stand outside of wrappers: only what the parser itself wrote, percent signs and all, is let through. */
function webUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isWeb =
    (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "";
  return isWeb ? url.href : null;
}

/** Addresses that are cut lead nowhere: a very long one loses its query instead. */
function shortUrl(text: string): string {
  const href = webUrl(text) ?? "";
  return href.length <= maxUrlChars ? href : clip(href.replace(/[?#].*$/s, ""), maxUrlChars);
}

/** Services mark the found words and escape characters as HTML does. */
function oneLine(text: string): string {
  const plain = text.includes("<") ? text.replace(/<\/?(?:strong|b|em|i|mark)>/gi, "") : text;
  return tidy(plain).replace(/\s+/g, " ").trim();
}

function tidy(text: string): string {
  return stripControls(stripInvisible(text)).trim();
}

function cutText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${clip(text, maxChars - 1).trimEnd()}…`;
}
