/** Whether and how a reply is read aloud: the rules of the automatic path, one after the other. */

import type { Hardening } from "../hardening/rules.ts";
import type { SpeechOverrides } from "./directiveKeys.ts";
import { parseDirectives } from "./directives.ts";
import { type SpeechSettings, speechLimits } from "./settings.ts";
import { stripMarkdownForSpeech } from "./stripMarkdown.ts";

export interface Reply {
  text: string;
  /** `final` ends a turn; `block` and `tool` come in between. */
  kind: "final" | "block" | "tool";
  /** The message that it answers was spoken. */
  hasInboundAudio: boolean;
  /** It carries pictures or files already. */
  hasMedia: boolean;
  /** A notice that the conversation was shortened, not a reply. */
  isCompactionNotice: boolean;
}

export type SkipReason =
  | "compaction-notice"
  | "off"
  | "no-tag"
  | "no-inbound-audio"
  | "not-final"
  | "empty"
  | "has-media"
  | "too-short";

export type ReplyPlan =
  | { kind: "skip"; reason: SkipReason; visible: string; warnings: string[] }
  | {
      kind: "speak";
      /** What people see: the reply without its tags. */
      visible: string;
      /** What is spoken, before it is shortened and stripped. */
      spoken: string;
      provider: string | null;
      overrides: SpeechOverrides;
      warnings: string[];
    };

/** @see tools-files-web-media.md 12, the automatic path */
export function planReply(
  reply: Reply,
  settings: SpeechSettings,
  context: { hardening: Hardening; openaiBaseUrl?: string | undefined },
): ReplyPlan {
  const unread = (reason: SkipReason): ReplyPlan => ({
    kind: "skip",
    reason,
    visible: reply.text,
    warnings: [],
  });
  if (reply.isCompactionNotice) return unread("compaction-notice");
  if (settings.mode === "off") return unread("off");
  const directives = parseDirectives(reply.text, { policy: settings.overrides, ...context });
  const trimmed = directives.cleaned.trim();
  const visible = trimmed === reply.text.trim() ? reply.text : trimmed;
  const { warnings } = directives;
  const skip = (reason: SkipReason): ReplyPlan => ({ kind: "skip", reason, visible, warnings });
  if (settings.mode === "tagged" && !directives.hasDirective) return skip("no-tag");
  if (settings.mode === "inbound" && !reply.hasInboundAudio) return skip("no-inbound-audio");
  if (settings.replies === "final" && reply.kind !== "final") return skip("not-final");
  const spoken = directives.spoken !== null && directives.spoken !== "" ? directives.spoken : trimmed;
  if (spoken === "") return skip("empty");
  if (reply.hasMedia || reply.text.includes("MEDIA:")) return skip("has-media");
  if (spoken.length < speechLimits.minSpokenChars) return skip("too-short");
  const { provider, overrides } = directives;
  return { kind: "speak", visible, spoken, provider, overrides, warnings };
}

/** Writes a summary of about so many characters. */
export type Summarize = (text: string, targetChars: number) => Promise<string>;

/**
 * Shortens and strips what a plan says, so that it can be spoken.
 * @param summarize null: there is no model to ask, so a long text is cut
 * @returns null when nothing worth speaking is left
 */
export async function finishSpoken(
  spoken: string,
  settings: SpeechSettings,
  context: { hardening: Hardening; summarize: Summarize | null; onSummaryFailed: (error: unknown) => void },
): Promise<{ text: string; shortened: "no" | "summary" | "cut" } | null> {
  const { hardening } = context;
  const isWhole = hardening.has("speech.wholeCharacters");
  let text = spoken;
  let shortened: "no" | "summary" | "cut" = "no";
  if (text.length > settings.maxLength) {
    const summary = settings.summarize ? await summaryOf(text, settings, context) : null;
    shortened = summary === null ? "cut" : "summary";
    text =
      summary === null
        ? cutForSpeech(text, settings.maxLength, isWhole)
        : summary.length > settings.maxTextLength
          ? cutForSpeech(summary, settings.maxTextLength, isWhole)
          : summary;
  }
  text = stripMarkdownForSpeech(text, hardening);
  return text.length < speechLimits.minSpokenChars ? null : { text, shortened };
}

async function summaryOf(
  text: string,
  settings: SpeechSettings,
  context: { summarize: Summarize | null; onSummaryFailed: (error: unknown) => void },
): Promise<string | null> {
  const { maxLength } = settings;
  if (context.summarize === null) return null;
  if (maxLength < speechLimits.minSummaryChars || maxLength > speechLimits.maxSummaryChars) return null;
  try {
    const summary = (await context.summarize(text, maxLength)).trim();
    return summary === "" ? null : summary;
  } catch (error) {
    // A reply that cannot be summarised is cut, not dropped.
    context.onSummaryFailed(error);
    return null;
  }
}

/**
 * @param maxChars of the result, the three dots included
 * @param isWhole no character is cut in two, emoji of several parts included
 */
export function cutForSpeech(text: string, maxChars: number, isWhole: boolean): string {
  let end = Math.max(0, maxChars - 3);
  if (isWhole) {
    // Combining marks, joiners and the second half of a pair belong to the character before them.
    while (end > 0 && isInside(text, end)) end -= 1;
  }
  return `${text.slice(0, end)}...`;
}

function isInside(text: string, at: number): boolean {
  const here = text.charCodeAt(at);
  if (here >= 0xdc00 && here <= 0xdfff) return true;
  if (text[at - 1] === "\u200d") return true;
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  return next === "\u200d" || /^[\p{M}\p{Emoji_Modifier}]$/u.test(next);
}
