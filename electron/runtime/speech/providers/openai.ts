/** OpenAI's speech service, or a server that speaks the same. */

import { AppError } from "../../../../shared/errors/index.ts";
import type { ConfigRecord } from "../../../../shared/policy/configRecord.ts";
import {
  isOpenaiCustomBase,
  numberIn,
  openaiBaseUrl,
  openaiModels,
  openaiVoices,
  textIn,
} from "../../../../shared/speech/index.ts";
import type { ApiKeys } from "../../net/apiKeys.ts";
import type { GuardedFetch } from "../../net/guardedFetch.ts";
import { joinUrl } from "../../net/serviceUrl.ts";
import { fetchAudio } from "../speechHttp.ts";
import type { SpeechProvider, SpeechTarget } from "../speechTypes.ts";

const keyPlaces = {
  paths: [
    ["messages", "tts", "providers", "openai", "apiKey"],
    ["messages", "tts", "openai", "apiKey"],
  ],
  env: ["OPENAI_API_KEY"],
};

const formats: Readonly<Record<SpeechTarget, string>> = {
  "audio-file": "mp3",
  "voice-note": "opus",
  telephony: "pcm",
};
/** The service sends raw samples at this rate. */
const pcmSampleRateHz = 24_000;

export function openaiBaseOf(
  settings: ConfigRecord,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return textIn(settings, "baseUrl") ?? (env.OPENAI_TTS_BASE_URL?.trim() || openaiBaseUrl);
}

export function createOpenaiSpeech(deps: {
  fetch: GuardedFetch;
  keys: ApiKeys;
  env: Readonly<Record<string, string | undefined>>;
}): SpeechProvider {
  return {
    id: "openai",
    isOnline: true,
    hasTelephony: true,
    models: openaiModels,
    voices: openaiVoices,
    isConfigured: async (config, settings) =>
      settings.enabled !== false && deps.keys.find(config, keyPlaces).kind === "found",
    async speak({ text, target, overrides, settings, config, timeoutMs, signal }) {
      const key = await deps.keys.resolve(config, keyPlaces);
      if (key === null) throw new AppError("UNAVAILABLE", "OpenAI needs a key for speech.");
      const base = openaiBaseOf(settings, deps.env);
      const model = overrides.openai?.model ?? textIn(settings, "model") ?? openaiModels[0];
      const voice = overrides.openai?.voice ?? textIn(settings, "voice") ?? "coral";
      if (!isOpenaiCustomBase(base)) {
        checkKnown("model", model, openaiModels);
        checkKnown("voice", voice, openaiVoices);
      }
      const speed = numberIn(settings, "speed");
      const instructions = textIn(settings, "instructions");
      const bytes = await fetchAudio({
        fetch: deps.fetch,
        label: "OpenAI",
        url: joinUrl(base, "audio/speech"),
        headers: { authorization: `Bearer ${key}` },
        body: {
          model,
          input: text,
          voice,
          response_format: formats[target],
          ...(speed === undefined ? {} : { speed: Math.min(Math.max(speed, 0.25), 4) }),
          // The older models refuse it.
          ...(instructions !== undefined && model.includes("gpt-4o-mini-tts") ? { instructions } : {}),
        },
        timeoutMs,
        signal,
      });
      return { bytes, voice, ...(target === "telephony" ? { sampleRateHz: pcmSampleRateHz } : {}) };
    },
  };
}

function checkKnown(what: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new AppError(
    "UNAVAILABLE",
    `OpenAI has no speech ${what} of the configured name. Known are: ${known.join(", ")}.`,
  );
}
