/** The `/tts` command as data: what was typed in, what is meant out. Nothing is done here. */

import type { Hardening } from "../hardening/rules.ts";
import { isSpeechProvider, normalizeSpeechProvider, type SpeechProviderId } from "./providers.ts";
import { modeOf, type SpeechMode, speechLimits } from "./settings.ts";

export type TtsCommand =
  | { kind: "status" }
  | { kind: "help" }
  | { kind: "mode"; mode: SpeechMode }
  | { kind: "showProvider" }
  | { kind: "provider"; provider: SpeechProviderId }
  | { kind: "showLimit" }
  | { kind: "limit"; maxLength: number }
  | { kind: "showSummary" }
  | { kind: "summary"; summarize: boolean }
  | { kind: "audio"; text: string }
  | { kind: "invalid"; problem: TtsCommandProblem };

export type TtsCommandProblem = "unknown-word" | "unknown-provider" | "bad-limit" | "bad-switch" | "no-text";

/**
 * @param text with or without `/tts` in front
 * @returns null when it is another command
 */
export function parseTtsCommand(text: string, hardening: Hardening): TtsCommand | null {
  const given = text.trim();
  const match = /^\/tts(?:@\w+)?(?:\s+|:\s*|$)/i.exec(given);
  if (match === null && given.startsWith("/")) return null;
  const rest = given.slice(match?.[0].length ?? 0).trim();
  const word = /^\S*/.exec(rest)?.[0] ?? "";
  const argument = rest.slice(word.length).trim();
  const name = word.toLowerCase();
  switch (name) {
    case "":
    case "status":
      return { kind: "status" };
    case "help":
      return { kind: "help" };
    case "on":
      return { kind: "mode", mode: "always" };
    case "off":
      return { kind: "mode", mode: "off" };
    case "provider":
      return argument === "" ? { kind: "showProvider" } : providerCommand(argument);
    case "limit":
      return argument === "" ? { kind: "showLimit" } : limitCommand(argument);
    case "summary":
      return argument === "" ? { kind: "showSummary" } : summaryCommand(argument);
    case "audio":
      return argument === "" ? invalid("no-text") : { kind: "audio", text: argument };
    default: {
      const mode = modeOf(name);
      if (mode === undefined || !hardening.has("speech.moreModes")) return invalid("unknown-word");
      return { kind: "mode", mode };
    }
  }
}

function providerCommand(argument: string): TtsCommand {
  const provider = normalizeSpeechProvider(argument) ?? "";
  return isSpeechProvider(provider) ? { kind: "provider", provider } : invalid("unknown-provider");
}

function limitCommand(argument: string): TtsCommand {
  const maxLength = /^\d{1,6}$/.test(argument) ? Number(argument) : Number.NaN;
  const { minMaxLength, maxMaxLength } = speechLimits;
  return maxLength >= minMaxLength && maxLength <= maxMaxLength
    ? { kind: "limit", maxLength }
    : invalid("bad-limit");
}

function summaryCommand(argument: string): TtsCommand {
  const lower = argument.toLowerCase();
  if (lower === "on") return { kind: "summary", summarize: true };
  if (lower === "off") return { kind: "summary", summarize: false };
  return invalid("bad-switch");
}

function invalid(problem: TtsCommandProblem): TtsCommand {
  return { kind: "invalid", problem };
}
