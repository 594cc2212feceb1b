/** Carries out the `/tts` command and answers it in words. */

import type { SpeechSettingsView, SpokenAudio } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import {
  parseTtsCommand,
  type SpeechMode,
  speechLimits,
  speechProviderIds,
  type TtsCommandProblem,
} from "../../../shared/speech/index.ts";
import type { SpeechPreferences } from "./speechPreferences.ts";
import type { SpeechService } from "./speechService.ts";

export interface CommandAnswer {
  ok: boolean;
  text: string;
  audio: SpokenAudio | null;
}

const { minMaxLength, maxMaxLength } = speechLimits;

const usage = [
  "/tts on | off | always | inbound | tagged: when replies are read aloud",
  "/tts status: what counts now",
  `/tts provider [${speechProviderIds.join(" | ")}]: who speaks first`,
  `/tts limit [${minMaxLength}-${maxMaxLength}]: longer replies are shortened before they are spoken`,
  "/tts summary [on | off]: shorten by a summary, or cut",
  "/tts audio TEXT: speak a text once",
].join("\n");

const problems: Readonly<Record<TtsCommandProblem, string>> = {
  "unknown-word": `There is no such part of /tts.\n${usage}`,
  "unknown-provider": `There is no such provider. Known are: ${speechProviderIds.join(", ")}.`,
  "bad-limit": `The limit is a number of characters from ${minMaxLength} to ${maxMaxLength}.`,
  "bad-switch": "Say on or off.",
  "no-text": "Say what to speak: /tts audio TEXT.",
};

export interface CommandDesk {
  /** @throws AppError INVALID_INPUT when the text is another command */
  run(
    text: string,
    context: { sessionKey?: string | undefined; by: string; signal: AbortSignal },
  ): Promise<CommandAnswer>;
}

export function createCommandDesk(deps: {
  service: SpeechService;
  preferences: SpeechPreferences;
  hardening(): Hardening;
  /** For the ledger: who changed what. */
  record(kind: string, by: string, data: Record<string, unknown>): void;
}): CommandDesk {
  const { service } = deps;
  const said = (text: string): CommandAnswer => ({ ok: true, text, audio: null });
  const refused = (text: string): CommandAnswer => ({ ok: false, text, audio: null });

  const recorded = (by: string): Pick<SpeechPreferences, "set" | "setSession"> => ({
    async set(change) {
      await deps.preferences.set(change);
      deps.record("speech.changed", by, { ...change });
    },
    async setSession(sessionKey, mode) {
      await deps.preferences.setSession(sessionKey, mode);
      deps.record("speech.changed", by, { sessionKey, mode });
    },
  });

  const switchTo = async (
    preferences: Pick<SpeechPreferences, "set" | "setSession">,
    mode: SpeechMode,
    sessionKey: string | undefined,
  ): Promise<CommandAnswer> => {
    if (sessionKey !== undefined && deps.hardening().has("speech.ownSwitch")) {
      await preferences.setSession(sessionKey, mode);
      return said(`Reading aloud in this conversation: ${mode}.`);
    }
    await preferences.set({ auto: mode });
    return said(`Reading aloud: ${mode}.`);
  };

  return {
    async run(text, { sessionKey, by, signal }) {
      const command = parseTtsCommand(text, deps.hardening());
      const preferences = recorded(by);
      if (command === null) throw new AppError("INVALID_INPUT", "This is not the /tts command.");
      switch (command.kind) {
        case "help":
          return said(usage);
        case "invalid":
          return refused(problems[command.problem]);
        case "mode":
          return switchTo(preferences, command.mode, sessionKey);
        case "status":
          return said(statusText(await service.view(sessionKey)));
        case "showProvider": {
          const { providers } = await service.view(sessionKey);
          return said(`Providers, first to last: ${providersText(providers)}.`);
        }
        case "provider":
          await preferences.set({ provider: command.provider });
          return said(`Provider: ${command.provider}.`);
        case "showLimit": {
          const { maxLength } = await service.view(sessionKey);
          return said(`Replies over ${maxLength} characters are shortened before they are spoken.`);
        }
        case "limit":
          await preferences.set({ maxLength: command.maxLength });
          return said(`Limit: ${command.maxLength} characters.`);
        case "showSummary": {
          const { summarize } = await service.view(sessionKey);
          return said(`Summary: ${summarize ? "on" : "off"}.`);
        }
        case "summary":
          await preferences.set({ summarize: command.summarize });
          return said(`Summary: ${command.summarize ? "on" : "off"}.`);
        case "audio": {
          const outcome = await service.speak({ text: command.text, by, signal });
          if (outcome.kind === "failed") return refused(outcome.error);
          return { ok: true, text: `Spoken by ${outcome.provider}.`, audio: outcome.audio };
        }
      }
    },
  };
}

/** Those that never get a text under the present choice are left out; those that lack something are named. */
function providersText(providers: SpeechSettingsView["providers"]): string {
  const shown = providers.filter(({ configured, isAsked }) => isAsked || !configured);
  return shown.map(({ id, isAsked }) => (isAsked ? id : `${id} (not set up)`)).join(", ");
}

export function statusText(view: SpeechSettingsView): string {
  const { mode, modeFrom, maxLength, summarize, canSummarize, providers, problem } = view;
  return [
    `Reading aloud: ${mode} (from ${modeFrom}).`,
    `Providers, first to last: ${providersText(providers)}.`,
    `Replies over ${maxLength} characters are ${summarize && canSummarize ? "summarised" : "cut"}.`,
    ...(problem === null ? [] : [problem]),
  ].join("\n");
}
