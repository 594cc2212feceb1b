/** The read-aloud service of Microsoft Edge: online, without a key. */

import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import {
  audioFacts,
  defaultMicrosoftLang,
  defaultMicrosoftVoice,
  microsoftVoiceFor,
  textIn,
} from "../../../../shared/speech/index.ts";
import type { Logger } from "../../logging/logger.ts";
import { openTunnel } from "../proxyTunnel.ts";
import { type ReadAloudRequest, readAloud, readAloudUrl } from "../readAloudSocket.ts";
import type { SpeechProvider } from "../speechTypes.ts";

const defaultReadAloudFormat = "audio-24khz-48kbitrate-mono-mp3";
const namePattern = /^[\w-]{1,100}$/;
const measurePattern = /^(?:default|[+-]?[\w.%]{1,20})$/;

export function createMicrosoftSpeech(deps: {
  nowMs(): number;
  logger: Logger;
  /** For tests; absent: the real service. */
  baseUrl?: string;
}): SpeechProvider {
  const baseUrl = deps.baseUrl ?? readAloudUrl;
  return {
    id: "microsoft",
    isOnline: true,
    hasTelephony: false,
    models: [],
    voices: [defaultMicrosoftVoice, "zh-CN-XiaoxiaoNeural", "ja-JP-NanamiNeural", "ko-KR-SunHiNeural"],
    isConfigured: async (_config, settings) => settings.enabled !== false,
    async speak({ text, settings, hardening, timeoutMs, signal }) {
      const { voice, lang } = microsoftVoiceFor(
        text,
        {
          voice: textIn(settings, "voice") ?? defaultMicrosoftVoice,
          lang: textIn(settings, "lang") ?? defaultMicrosoftLang,
        },
        hardening,
      );
      const wanted = textIn(settings, "outputFormat") ?? defaultReadAloudFormat;
      if (![voice, lang, wanted].every((name) => namePattern.test(name))) {
        throw new AppError(
          "UNAVAILABLE",
          "voice, lang or outputFormat of the Microsoft settings is no name.",
        );
      }
      const measure = (name: string) => {
        const value = textIn(settings, name) ?? "default";
        return measurePattern.test(value) ? value : "default";
      };
      const startedMs = performance.now();
      const proxy = textIn(settings, "proxy");
      const request: ReadAloudRequest = {
        baseUrl,
        text,
        voice,
        lang,
        rate: measure("rate"),
        pitch: measure("pitch"),
        volume: measure("volume"),
        outputFormat: wanted,
        wantsSubtitles: settings.saveSubtitles === true,
        nowMs: deps.nowMs(),
        timeoutMs,
        signal,
      };
      const attempt = async (outputFormat: string) => {
        const leftMs = () => Math.max(1, timeoutMs - (performance.now() - startedMs));
        const socket =
          proxy === undefined
            ? undefined
            : await openTunnel(proxy, new URL(baseUrl), { timeoutMs: leftMs(), signal });
        const answer = await readAloud({
          ...request,
          outputFormat,
          timeoutMs: leftMs(),
          ...(socket === undefined ? {} : { socket }),
        });
        if (audioFacts(answer.bytes) === null) {
          throw new AppError("TOOL_FAILED", "The read-aloud service sent no audio.");
        }
        return answer;
      };
      const { bytes, subtitles } = await attempt(wanted).catch((error: unknown) => {
        signal.throwIfAborted();
        if (wanted === defaultReadAloudFormat) throw error;
        deps.logger.info("speech.formatFailed", { outputFormat: wanted, reason: messageOf(error) });
        return attempt(defaultReadAloudFormat);
      });
      return { bytes, voice, ...(request.wantsSubtitles ? { subtitles } : {}) };
    },
  };
}
