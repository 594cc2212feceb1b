/** What code_execution and x_search share: where xAI is, which key is taken, how its answers are read. */

import { asRecord, getIn, getRecord, getString } from "../../../../shared/policy/configRecord.ts";
import type { KeyPlaces } from "../../net/apiKeys.ts";
import { joinUrl, serviceUrl } from "../../net/serviceUrl.ts";
import { listAt, textAt, textsAt } from "../web_search/readJson.ts";

const shared: KeyPlaces = {
  paths: [
    ["plugins", "entries", "xai", "config", "webSearch", "apiKey"],
    ["tools", "web", "search", "grok", "apiKey"],
  ],
  env: ["XAI_API_KEY"],
};

/** code_execution borrows the key of the web search. */
export const codeExecutionKey: KeyPlaces = shared;
export const xSearchKey: KeyPlaces = {
  ...shared,
  paths: [["tools", "web", "x_search", "apiKey"], ...shared.paths],
};

export const xaiDocs = "https://docs.x.ai/docs/guides/tools/overview";

/** The operator may put a server of their own in its place. */
export function xaiUrl(config: unknown): string {
  const base = getString(config, "models", "providers", "xai", "baseUrl")?.trim() ?? "";
  return joinUrl(serviceUrl(base === "" ? "https://api.x.ai" : base, "/v1"), "responses");
}

const renamed: ReadonlyMap<string, string> = new Map([
  ["grok-4-fast-reasoning", "grok-4-fast"],
  ["grok-4-1-fast-reasoning", "grok-4-1-fast"],
  ["grok-4.20-reasoning", "grok-4.20-beta-latest-reasoning"],
  ["grok-4.20-non-reasoning", "grok-4.20-beta-latest-non-reasoning"],
  ["grok-4.20-experimental-beta-0304-reasoning", "grok-4.20-beta-latest-reasoning"],
  ["grok-4.20-experimental-beta-0304-non-reasoning", "grok-4.20-beta-latest-non-reasoning"],
]);

export interface XaiSettings {
  model: string;
  /** null: the service decides. */
  maxTurns: number | null;
  timeoutMs: number;
}

const defaultTimeoutSeconds = 30;

/** `plugins.entries.xai.config.codeExecution`; the time is taken as it is. */
export function codeExecutionSettings(config: unknown): XaiSettings {
  const block = getRecord(config, "plugins", "entries", "xai", "config", "codeExecution");
  return {
    model: modelOf(block, "grok-4-1-fast"),
    maxTurns: turnsOf(block),
    timeoutMs: Math.max(1, Math.round(secondsOf(block) * 1000)),
  };
}

/** `tools.web.x_search`; whole seconds, at least one. */
export function xSearchSettings(
  config: unknown,
): XaiSettings & { cacheTtlMs: number; inlineCitations: boolean } {
  const block = getRecord(config, "tools", "web", "x_search");
  const ttlMinutes = getIn(block, "cacheTtlMinutes");
  return {
    model: modelOf(block, "grok-4-1-fast-non-reasoning"),
    maxTurns: turnsOf(block),
    timeoutMs: Math.max(1, Math.floor(secondsOf(block))) * 1000,
    cacheTtlMs: (typeof ttlMinutes === "number" && ttlMinutes >= 0 ? ttlMinutes : 15) * 60_000,
    inlineCitations: getIn(block, "inlineCitations") === true,
  };
}

function modelOf(block: unknown, fallback: string): string {
  const model = textAt(block, "model") ?? fallback;
  return renamed.get(model) ?? model;
}

function turnsOf(block: unknown): number | null {
  const value = getIn(block, "maxTurns");
  const turns = typeof value === "number" && Number.isFinite(value) ? Math.trunc(value) : 0;
  return turns > 0 ? turns : null;
}

function secondsOf(block: unknown): number {
  const value = getIn(block, "timeoutSeconds");
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : defaultTimeoutSeconds;
}

export interface XaiAnswer {
  content: string;
  citations: string[];
  /** Types of the items of the answer, each once, in order. */
  outputTypes: string[];
  inlineCitations: readonly Record<string, unknown>[];
}

const maxCitations = 100;

/** @see docs.x.ai, API reference, POST /v1/responses */
export function readXaiAnswer(answer: unknown): XaiAnswer {
  const output = listAt(answer, "output");
  const texts = output.flatMap((item) => [
    ...(textAt(item, "type") === "output_text" ? [item] : []),
    ...listAt(item, "content").filter((part) => textAt(part, "type") === "output_text"),
  ]);
  const first = texts.find((part) => textAt(part, "text") !== undefined);
  const listed = textsAt(answer, "citations");
  const annotated = listAt(first, "annotations").flatMap((note) =>
    textAt(note, "type") === "url_citation" ? (textAt(note, "url") ?? []) : [],
  );
  const citations = listed.length > 0 ? listed : [...new Set(annotated)];
  return {
    content: textAt(first, "text") ?? textAt(answer, "output_text") ?? "No response",
    citations: citations.filter(isWebAddress).slice(0, maxCitations),
    outputTypes: [...new Set(output.flatMap((item) => textAt(item, "type") ?? []))].slice(0, 50),
    inlineCitations: listAt(answer, "inline_citations").slice(0, maxCitations).map(plainFacts),
  };
}

/** Numbers and addresses of a citation; words of others have no place beside the wrapper. */
function plainFacts(item: unknown): Record<string, unknown> {
  const entries = Object.entries(asRecord(item) ?? {}).filter(
    ([name, value]) =>
      /^[a-z_]{1,40}$/.test(name) &&
      (typeof value === "number" || (typeof value === "string" && isWebAddress(value))),
  );
  return Object.fromEntries(entries);
}

/** A citation is shown as an address; nothing else gets through this way. */
function isWebAddress(url: string): boolean {
  return url.length <= 2000 && /^https?:\/\/[^\s<>"]+$/i.test(url);
}
