/** Answers of xAI as results: as JSON, or as text with the payload in the details. */

import { clip, tokenEstimate } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import {
  stripControls,
  stripInvisible,
  type UntrustedSource,
  wrapUntrusted,
} from "../../../../shared/web/index.ts";
import type { ToolResult } from "../defineTool.ts";

const maxContentChars = 50_000;

/** @param source null: the content is not wrapped */
export function xaiResult(
  found: { content: string; citations: readonly string[] },
  options: {
    source: UntrustedSource | null;
    /** One line for the plain form. */
    about: string;
    payload: Readonly<Record<string, unknown>>;
    hardening: Hardening;
  },
): ToolResult {
  const clean = stripControls(stripInvisible(found.content));
  const shown = clip(clean, maxContentChars);
  const { source } = options;
  const content = source === null ? shown : wrapUntrusted(shown, { source, withWarning: false }).text;
  const isCut = shown.length < clean.length;
  const note = isCut
    ? `The answer has ${clean.length} characters; the first ${shown.length} are shown. Ask for a part of it.`
    : null;
  const payload = {
    ...options.payload,
    content,
    citations: found.citations,
    chars: clean.length,
    tokenEstimate: tokenEstimate(content),
    ...(isCut ? { truncated: true, warning: note } : {}),
  };
  if (!options.hardening.has("web.plainResults")) {
    return { content: [{ type: "text", text: JSON.stringify(payload, null, 2) }], details: payload };
  }
  const text = [
    `${options.about}, ${shown.length} characters, about ${tokenEstimate(content)} tokens`,
    content.trimStart(),
    ...(found.citations.length > 0 ? ["Sources:", ...found.citations.map((url) => `- ${url}`)] : []),
    ...(note === null ? [] : [`[${note}]`]),
  ].join("\n");
  return { content: [{ type: "text", text }], details: payload };
}

export function missingXaiKey(docs: string): ToolResult {
  const payload = {
    error: "missing_xai_api_key",
    message: "xAI needs a key: set it under plugins.entries.xai.config.webSearch.apiKey or in XAI_API_KEY.",
    docs,
  };
  return {
    content: [{ type: "text", text: JSON.stringify(payload, null, 2) }],
    details: payload,
    isError: true,
  };
}
