/** The speech providers by name and order, and the facts about them that need no network. */

import type { Hardening } from "../hardening/rules.ts";

export const speechProviderIds = ["openai", "elevenlabs", "microsoft", "system"] as const;
export type SpeechProviderId = (typeof speechProviderIds)[number];

export const speechProviderLabels: ReadonlyMap<SpeechProviderId, string> = new Map([
  ["openai", "OpenAI"],
  ["elevenlabs", "ElevenLabs"],
  ["microsoft", "Microsoft"],
  ["system", "This computer"],
]);

/** Names that mean another provider. */
const aliases: ReadonlyMap<string, SpeechProviderId> = new Map([
  ["edge", "microsoft"],
  ["offline", "system"],
  ["local", "system"],
]);

export const openaiModels = ["gpt-4o-mini-tts", "tts-1", "tts-1-hd"] as const;
export const openaiVoices = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "juniper",
  "marin",
  "onyx",
  "nova",
  "sage",
  "shimmer",
  "verse",
] as const;
export const elevenlabsModels = [
  "eleven_multilingual_v2",
  "eleven_turbo_v2_5",
  "eleven_monolingual_v1",
] as const;

export const openaiBaseUrl = "https://api.openai.com/v1";
export const elevenlabsBaseUrl = "https://api.elevenlabs.io";

/** Channels whose clients show a voice message for Opus audio. */
const voiceNoteChannels: ReadonlySet<string> = new Set(["telegram", "feishu", "whatsapp", "matrix"]);

export function isVoiceNoteChannel(channel: string | undefined): boolean {
  return channel !== undefined && voiceNoteChannels.has(channel.trim().toLowerCase());
}

/** @returns the name in lower case, aliases followed; null for an empty one. Unknown names stay as they are */
export function normalizeSpeechProvider(name: string): string | null {
  const lower = name.trim().toLowerCase();
  return lower === "" ? null : (aliases.get(lower) ?? lower);
}

export function isSpeechProvider(name: string): name is SpeechProviderId {
  return (speechProviderIds as readonly string[]).includes(name);
}

/** Position of each provider in the automatic choice, first to last. */
export function autoSelectOrder(hardening: Hardening): readonly SpeechProviderId[] {
  return hardening.has("speech.offlineFirst")
    ? ["openai", "elevenlabs", "system", "microsoft"]
    : ["openai", "elevenlabs", "microsoft", "system"];
}

/** @returns whether an identifier of an ElevenLabs voice has the published form */
export function isElevenlabsVoice(id: string): boolean {
  return /^[A-Za-z0-9]{10,40}$/.test(id);
}

/** OpenAI's own service knows a list; a server of somebody else may have any model and voice. */
export function isOpenaiCustomBase(baseUrl: string): boolean {
  return baseUrl.trim().replace(/\/+$/, "") !== openaiBaseUrl;
}
