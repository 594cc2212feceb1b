/** Which language a text is most likely in, as far as its characters say it: enough to choose a voice. */

import type { Hardening } from "../hardening/rules.ts";

/** Two-letter codes; null: the letters are Latin or say nothing. */
export type ScriptLanguage = "zh" | "ja" | "ko" | "ru" | "el" | "ar" | "he" | "hi" | "th" | null;

const ideographs = /[\u3400-\u9fff\u3000-\u303f\uff00-\uffef]/u;
const kana = /[\u3040-\u30ff]/u;
const hangul = /[\uac00-\ud7a3\u1100-\u11ff]/u;
const others: readonly [ScriptLanguage, RegExp][] = [
  ["ru", /\p{Script=Cyrillic}/u],
  ["el", /\p{Script=Greek}/u],
  ["ar", /\p{Script=Arabic}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["hi", /\p{Script=Devanagari}/u],
  ["th", /\p{Script=Thai}/u],
];

/** A text counts as written in a script from this share of its visible characters on. */
const dominantShare = 0.3;
/** Japanese mixes kanji and kana; Chinese has no kana. */
const kanaShare = 0.1;

/** @returns whether more than 30 per cent of the visible characters are Chinese ones, as the reference counts */
export function isMostlyCjk(text: string): boolean {
  const visible = visibleOf(text);
  return visible.length > 0 && count(visible, ideographs) / visible.length > dominantShare;
}

export function languageOfScript(text: string): ScriptLanguage {
  const visible = visibleOf(text);
  if (visible.length === 0) return null;
  const kanaCount = count(visible, kana);
  const cjkCount = count(visible, ideographs) + kanaCount;
  if (cjkCount / visible.length > dominantShare) return kanaCount / cjkCount > kanaShare ? "ja" : "zh";
  if (count(visible, hangul) / visible.length > dominantShare) return "ko";
  const found = others.find(([, pattern]) => count(visible, pattern) / visible.length > dominantShare);
  return found?.[0] ?? null;
}

export const defaultMicrosoftVoice = "en-US-MichelleNeural";
export const defaultMicrosoftLang = "en-US";

const scriptVoices: ReadonlyMap<ScriptLanguage, { voice: string; lang: string }> = new Map([
  ["zh", { voice: "zh-CN-XiaoxiaoNeural", lang: "zh-CN" }],
  ["ja", { voice: "ja-JP-NanamiNeural", lang: "ja-JP" }],
  ["ko", { voice: "ko-KR-SunHiNeural", lang: "ko-KR" }],
]);
const chinese = { voice: "zh-CN-XiaoxiaoNeural", lang: "zh-CN" };

/** A voice that a person chose stays; the default one gives way to one that can read the text. */
export function microsoftVoiceFor(
  text: string,
  chosen: { voice: string; lang: string },
  hardening: Hardening,
): { voice: string; lang: string } {
  if (chosen.voice !== defaultMicrosoftVoice) return chosen;
  if (hardening.has("speech.voiceByScript")) return scriptVoices.get(languageOfScript(text)) ?? chosen;
  return isMostlyCjk(text) ? chinese : chosen;
}

function visibleOf(text: string): string[] {
  return [...text].filter((character) => !/\s/u.test(character));
}

function count(characters: readonly string[], pattern: RegExp): number {
  return characters.reduce((sum, character) => sum + (pattern.test(character) ? 1 : 0), 0);
}
