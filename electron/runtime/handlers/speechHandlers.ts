/** Speech over the contract: OpenClaw's methods, settings, prepared replies, and recordings in parts. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import {
  isSpeechProvider,
  normalizeSpeechProvider,
  speechProviderIds,
  speechProviderLabels,
} from "../../../shared/speech/index.ts";
import type { AudioStore } from "../speech/audioStore.ts";
import type { SpeechPreferences } from "../speech/speechPreferences.ts";
import type { SpeechService } from "../speech/speechService.ts";
import type { SpeechProvider } from "../speech/speechTypes.ts";
import type { CommandDesk } from "../speech/ttsCommandDesk.ts";

export type SpeechMethods = Extract<keyof SallyportContract["methods"], `tts.${string}` | `speech.${string}`>;

export function createSpeechHandlers(deps: {
  service: SpeechService;
  preferences: SpeechPreferences;
  commands: CommandDesk;
  store: AudioStore;
  providers: readonly SpeechProvider[];
  record(kind: string, by: string, data: Record<string, unknown>): void;
}): Pick<Handlers<SallyportContract>, SpeechMethods> {
  const { service, preferences, commands, store } = deps;

  /** Which texts leave the computer, and when, is on the record. */
  const change = async (by: string, values: Parameters<SpeechPreferences["set"]>[0]) => {
    await preferences.set(values);
    deps.record("speech.changed", by, { ...values });
  };

  return {
    "tts.status": async () => {
      const view = await service.view();
      const [first, ...others] = view.providers.map(({ id }) => id);
      return {
        enabled: view.mode !== "off",
        auto: view.mode,
        provider: view.provider ?? first ?? "",
        fallbackProvider: others[0] ?? null,
        fallbackProviders: others,
        prefsPath: view.prefsPath,
        providerStates: view.providers.map(({ id, label, configured }) => ({ id, label, configured })),
      };
    },
    "tts.providers": async () => {
      const { providers, provider } = await service.view();
      return {
        providers: providers.map(({ id, configured }) => {
          const known = deps.providers.find((candidate) => candidate.id === id);
          return {
            id,
            name: speechProviderLabels.get(id) ?? id,
            configured,
            models: [...(known?.models ?? [])],
            voices: [...(known?.voices ?? [])],
          };
        }),
        active: provider ?? providers[0]?.id ?? "",
      };
    },
    "tts.enable": async (_input, { principal }) => {
      await change(principal.id, { auto: "always" });
      return { enabled: true };
    },
    "tts.disable": async (_input, { principal }) => {
      await change(principal.id, { auto: "off" });
      return { enabled: false };
    },
    "tts.setProvider": async ({ provider }, { principal }) => {
      const id = normalizeSpeechProvider(provider) ?? "";
      if (!isSpeechProvider(id)) {
        throw new AppError(
          "INVALID_INPUT",
          `There is no such speech provider. Known are: ${speechProviderIds.join(", ")}.`,
        );
      }
      await change(principal.id, { provider: id });
      return { provider: id };
    },
    "tts.convert": async ({ text, channel }, { principal, signal }) => {
      const outcome = await service.speak({ text, channel, by: principal.id, signal });
      if (outcome.kind === "failed") {
        throw new AppError("UNAVAILABLE", outcome.error, { data: { attempts: outcome.attempts } });
      }
      const { audioPath, provider, audio, audioAsVoice } = outcome;
      return {
        audioPath,
        provider,
        outputFormat: audio.mimeType,
        voiceCompatible: audioAsVoice || audio.mimeType === "audio/ogg",
      };
    },
    "speech.settings": ({ sessionKey }) => service.view(sessionKey),
    "speech.set": async (values, { principal }) => {
      await change(principal.id, values);
      return service.view();
    },
    "speech.setSession": async ({ sessionKey, mode }, { principal }) => {
      await preferences.setSession(sessionKey, mode);
      deps.record("speech.changed", principal.id, { sessionKey, mode });
      return service.view(sessionKey);
    },
    "speech.say": ({ text, channel, provider }, { principal, signal }) =>
      service.speak({ text, channel, provider, by: principal.id, signal }),
    "speech.prepareReply": async ({ sessionKey, channel, ...reply }, { principal, signal }) =>
      service.prepareReply(reply, { sessionKey, channel, by: principal.id, signal }),
    "speech.command": ({ text, sessionKey }, { principal, signal }) =>
      commands.run(text, { sessionKey, by: principal.id, signal }),
    "speech.audio": ({ id, offset }) => store.part(id, offset),
  };
}
