/** ElevenLabs' speech service. */

import { AppError } from "../../../../shared/errors/index.ts";
import { getIn } from "../../../../shared/policy/configRecord.ts";
import {
  elevenlabsBaseUrl,
  elevenlabsModels,
  isElevenlabsVoice,
  numberIn,
  textIn,
} from "../../../../shared/speech/index.ts";
import type { ApiKeys } from "../../net/apiKeys.ts";
import type { GuardedFetch } from "../../net/guardedFetch.ts";
import { joinUrl } from "../../net/serviceUrl.ts";
import { fetchAudio } from "../speechHttp.ts";
import type { SpeechProvider, SpeechTarget } from "../speechTypes.ts";

/** Where the key of this service is looked for. */
export const elevenlabsKey = {
  paths: [
    ["messages", "tts", "providers", "elevenlabs", "apiKey"],
    ["messages", "tts", "elevenlabs", "apiKey"],
  ],
  env: ["ELEVENLABS_API_KEY", "XI_API_KEY"],
};

const formats: Readonly<Record<SpeechTarget, string>> = {
  "audio-file": "mp3_44100_128",
  "voice-note": "opus_48000_64",
  telephony: "pcm_22050",
};
const pcmSampleRateHz = 22_050;
const defaultVoiceId = "pMsXgVXv3BLzUgSXRplE";

export function createElevenlabsSpeech(deps: { fetch: GuardedFetch; keys: ApiKeys }): SpeechProvider {
  return {
    id: "elevenlabs",
    isOnline: true,
    hasTelephony: true,
    models: elevenlabsModels,
    voices: [],
    isConfigured: async (config, settings) =>
      settings.enabled !== false && deps.keys.find(config, elevenlabsKey).kind === "found",
    async speak({ text, target, overrides, settings, config, timeoutMs, signal }) {
      const key = await deps.keys.resolve(config, elevenlabsKey);
      if (key === null) throw new AppError("UNAVAILABLE", "ElevenLabs needs a key for speech.");
      const asked = overrides.elevenlabs ?? {};
      const voiceId = asked.voiceId ?? textIn(settings, "voiceId") ?? defaultVoiceId;
      if (!isElevenlabsVoice(voiceId)) {
        throw new AppError("UNAVAILABLE", "The ElevenLabs voiceId must be 10 to 40 letters and digits.");
      }
      const seed = asked.seed ?? numberIn(settings, "seed");
      const normalization = asked.applyTextNormalization ?? textIn(settings, "applyTextNormalization");
      const language = asked.languageCode ?? textIn(settings, "languageCode");
      const url = new URL(
        joinUrl(textIn(settings, "baseUrl") ?? elevenlabsBaseUrl, `v1/text-to-speech/${voiceId}`),
      );
      url.searchParams.set("output_format", formats[target]);
      const configured = getIn(settings, "voiceSettings");
      const within = (name: string, fallback: number, min: number, max: number) =>
        Math.min(Math.max(numberIn(configured, name) ?? fallback, min), max);
      const boost = getIn(configured, "useSpeakerBoost");
      const voice = asked.voiceSettings ?? {};
      const bytes = await fetchAudio({
        fetch: deps.fetch,
        label: "ElevenLabs",
        url: url.href,
        headers: { "xi-api-key": key, accept: target === "audio-file" ? "audio/mpeg" : "*/*" },
        body: {
          text,
          model_id: asked.modelId ?? textIn(settings, "modelId") ?? elevenlabsModels[0],
          ...(seed === undefined ? {} : { seed }),
          ...(normalization === undefined ? {} : { apply_text_normalization: normalization }),
          ...(language === undefined ? {} : { language_code: language }),
          voice_settings: {
            stability: voice.stability ?? within("stability", 0.5, 0, 1),
            similarity_boost: voice.similarityBoost ?? within("similarityBoost", 0.75, 0, 1),
            style: voice.style ?? within("style", 0, 0, 1),
            use_speaker_boost: voice.useSpeakerBoost ?? (typeof boost === "boolean" ? boost : true),
            speed: voice.speed ?? within("speed", 1, 0.5, 2),
          },
        },
        timeoutMs,
        signal,
      });
      return { bytes, voice: voiceId, ...(target === "telephony" ? { sampleRateHz: pcmSampleRateHz } : {}) };
    },
  };
}
