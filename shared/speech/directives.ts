/** The tags by which a model says how its reply is spoken: found, taken out of the visible text, and checked. */

import type { Hardening } from "../hardening/rules.ts";
import { type DirectivePolicy, readToken, type SpeechOverrides } from "./directiveKeys.ts";
import { normalizeSpeechProvider } from "./providers.ts";

export interface Directives {
  /** The text that people see. */
  cleaned: string;
  hasDirective: boolean;
  /** What is spoken instead of the visible text; null: the visible text. */
  spoken: string | null;
  /** A provider that the model asks for; it need not exist. */
  provider: string | null;
  overrides: SpeechOverrides;
  /** Values that were ignored, in words for a log. */
  warnings: string[];
}

export interface DirectiveOptions {
  policy: DirectivePolicy;
  /** With a server of one's own any model and voice may be right. */
  openaiBaseUrl?: string | undefined;
  hardening: Hardening;
}

const blockOpen = "[[tts:text]]";
const blockClose = "[[/tts:text]]";
const tagOpen = "[[tts:";

/**
 * @see tts_directives in the vectors; with overrides disabled nothing is parsed and nothing removed
 */
export function parseDirectives(text: string, options: DirectiveOptions): Directives {
  const { policy, hardening } = options;
  const result: Directives = {
    cleaned: text,
    hasDirective: false,
    spoken: null,
    provider: null,
    overrides: {},
    warnings: [],
  };
  if (!policy.enabled) return result;
  takeBlocks(result, policy);
  takeTags(result, options);
  if (hardening.has("speech.bareTag")) {
    const without = result.cleaned.replace(/\[\[\/?tts\]\]/gi, "");
    if (without !== result.cleaned) Object.assign(result, { cleaned: without, hasDirective: true });
  }
  return result;
}

/** Search by index, not by pattern: many openings without an end must not cost the square of the text. */
function takeBlocks(result: Directives, policy: DirectivePolicy): void {
  const text = result.cleaned;
  const lower = asciiLower(text);
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const open = lower.indexOf(blockOpen, from);
    const close = open < 0 ? -1 : lower.indexOf(blockClose, open + blockOpen.length);
    if (close < 0) break;
    kept.push(text.slice(from, open));
    result.hasDirective = true;
    if (policy.allowText && result.spoken === null) {
      result.spoken = text.slice(open + blockOpen.length, close).trim();
    }
    from = close + blockClose.length;
  }
  result.cleaned = kept.join("") + text.slice(from);
}

/** Lower case of the letters that tags are made of, so that every index stays the same. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** As in `takeBlocks`: an opening whose first bracket is no end of a tag makes all openings before that bracket fail. */
function takeTags(result: Directives, options: DirectiveOptions): void {
  const text = result.cleaned;
  const lower = asciiLower(text);
  const kept: string[] = [];
  let from = 0;
  let at = 0;
  for (;;) {
    const open = lower.indexOf(tagOpen, at);
    const close = open < 0 ? -1 : text.indexOf("]", open + tagOpen.length);
    if (close < 0) break;
    at = close + 1;
    const body = text.slice(open + tagOpen.length, close);
    if (body === "" || text[close + 1] !== "]") continue;
    kept.push(text.slice(from, open));
    at = close + 2;
    from = at;
    readTag(body, result, options);
  }
  result.cleaned = kept.join("") + text.slice(from);
}

function readTag(body: string, result: Directives, options: DirectiveOptions): void {
  result.hasDirective = true;
  for (const token of body.split(/\s+/)) {
    const equals = token.indexOf("=");
    const key = token.slice(0, Math.max(0, equals)).toLowerCase();
    const value = token.slice(equals + 1);
    if (key === "" || value === "") continue;
    if (key === "provider") {
      if (options.policy.allowProvider) result.provider = normalizeSpeechProvider(value);
      continue;
    }
    readToken(result.overrides, result.warnings, { key, value, ...options });
  }
}
