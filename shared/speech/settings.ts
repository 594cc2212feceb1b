/** What counts for speech now: the config, the preferences file and the conversation, joined by their precedence. */

import { type ConfigRecord, getIn, getRecord } from "../policy/configRecord.ts";
import { type DirectivePolicy, defaultDirectivePolicy } from "./directiveKeys.ts";
import { normalizeSpeechProvider, type SpeechProviderId } from "./providers.ts";

export const speechModes = ["off", "always", "inbound", "tagged"] as const;
export type SpeechMode = (typeof speechModes)[number];

/** The `tts` part of the preferences file; absent values are not set there. */
export interface SpeechPrefs {
  auto?: SpeechMode;
  provider?: string;
  /** Characters from which on a reply is shortened before it is spoken. */
  maxLength?: number;
  summarize?: boolean;
}

export interface SpeechSettings {
  mode: SpeechMode;
  /** Where `mode` comes from. */
  modeFrom: "session" | "prefs" | "config" | "default";
  /** `final`: only the last text of a turn; `all`: also those in between. */
  replies: "final" | "all";
  /** The provider that was chosen, alias followed; null: the automatic choice. */
  provider: string | null;
  maxTextLength: number;
  timeoutMs: number;
  maxLength: number;
  summarize: boolean;
  overrides: DirectivePolicy;
}

export const speechLimits = {
  maxTextLength: 4096,
  timeoutMs: 30_000,
  minTimeoutMs: 1000,
  maxTimeoutMs: 120_000,
  maxLength: 1500,
  minMaxLength: 100,
  maxMaxLength: 4096,
  /** Shorter texts are not worth the wait. */
  minSpokenChars: 10,
  minSummaryChars: 100,
  maxSummaryChars: 10_000,
} as const;

const noSettings: ConfigRecord = Object.freeze(Object.create(null));

/** @param session the switch of the conversation; undefined: it has none */
export function resolveSpeechSettings(
  config: unknown,
  prefs: SpeechPrefs,
  session: SpeechMode | undefined,
): SpeechSettings {
  const tts = getIn(config, "messages", "tts");
  const configured = modeOf(getIn(tts, "auto")) ?? (getIn(tts, "enabled") === true ? "always" : undefined);
  const [mode, modeFrom] =
    session !== undefined
      ? ([session, "session"] as const)
      : prefs.auto !== undefined
        ? ([prefs.auto, "prefs"] as const)
        : configured !== undefined
          ? ([configured, "config"] as const)
          : (["off", "default"] as const);
  const provider = prefs.provider ?? textIn(tts, "provider");
  const timeoutMs = numberIn(tts, "timeoutMs") ?? speechLimits.timeoutMs;
  return {
    mode,
    modeFrom,
    replies: getIn(tts, "mode") === "all" ? "all" : "final",
    provider: provider === undefined ? null : normalizeSpeechProvider(provider),
    maxTextLength: Math.max(1, Math.trunc(numberIn(tts, "maxTextLength") ?? speechLimits.maxTextLength)),
    timeoutMs: Math.min(Math.max(timeoutMs, speechLimits.minTimeoutMs), speechLimits.maxTimeoutMs),
    maxLength: prefs.maxLength ?? speechLimits.maxLength,
    summarize: prefs.summarize ?? true,
    overrides: policyOf(getIn(tts, "modelOverrides")),
  };
}

/** @returns the mode of that name in any case, or undefined */
export function modeOf(value: unknown): SpeechMode | undefined {
  const name = typeof value === "string" ? value.trim().toLowerCase() : "";
  return speechModes.find((mode) => mode === name);
}

/** Settings of one provider: `messages.tts.providers.<id>`, else the older place `messages.tts.<id>`. */
export function providerSettings(config: unknown, id: SpeechProviderId): ConfigRecord {
  const names = id === "microsoft" ? ["microsoft", "edge"] : [id];
  for (const place of [
    ["messages", "tts", "providers"],
    ["messages", "tts"],
  ]) {
    for (const name of names) {
      const found = getRecord(config, ...place, name);
      if (found !== undefined) return found;
    }
  }
  return noSettings;
}

/** @returns the preferences that a file holds; what is not usable there is left out */
export function readSpeechPrefs(file: unknown): SpeechPrefs {
  const tts = getIn(file, "tts");
  const auto =
    modeOf(getIn(tts, "auto")) ??
    (getIn(tts, "enabled") === true ? "always" : getIn(tts, "enabled") === false ? "off" : undefined);
  const provider = textIn(tts, "provider");
  const maxLength = numberIn(tts, "maxLength");
  const summarize = getIn(tts, "summarize");
  return {
    ...(auto === undefined ? {} : { auto }),
    ...(provider === undefined ? {} : { provider }),
    ...(maxLength === undefined || maxLength < 1 ? {} : { maxLength: Math.trunc(maxLength) }),
    ...(typeof summarize === "boolean" ? { summarize } : {}),
  };
}

function policyOf(given: unknown): DirectivePolicy {
  const policy = { ...defaultDirectivePolicy };
  for (const key of Object.keys(policy) as (keyof DirectivePolicy)[]) {
    const value = getIn(given, key);
    if (typeof value === "boolean") policy[key] = value;
  }
  return policy;
}

export function textIn(value: unknown, key: string): string | undefined {
  const found = getIn(value, key);
  return typeof found === "string" && found.trim() !== "" ? found.trim() : undefined;
}

export function numberIn(value: unknown, key: string): number | undefined {
  const found = getIn(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}
