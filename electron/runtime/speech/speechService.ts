/** Speech as the rest of the product uses it: speak a text, prepare a reply, obey `/tts`, say what counts. */

import type { SpeechOutcome, SpeechSettingsView } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import {
  finishSpoken,
  isVoiceNoteChannel,
  planReply,
  providerSettings,
  type Reply,
  type SkipReason,
  type SpeechOverrides,
  type SpeechSettings,
  speechProviderLabels,
} from "../../../shared/speech/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { AudioStore } from "./audioStore.ts";
import { openaiBaseOf } from "./providers/openai.ts";
import { isUsable, type ProviderChoice, providerOrder, speakWithFallback } from "./speakChain.ts";
import type { SpeechPreferences } from "./speechPreferences.ts";
import type { SpeechProvider, SpeechTarget } from "./speechTypes.ts";

export interface SpeakInput {
  text: string;
  /** Picks the format. */
  channel?: string | undefined;
  /** A provider to begin with; absent: the chosen one. */
  provider?: string | null | undefined;
  overrides?: SpeechOverrides;
  /** Absent: by the channel. */
  target?: SpeechTarget;
  /** For the ledger: who asked. */
  by: string;
  signal: AbortSignal;
  onAsking?: (label: string) => void;
}

export type PreparedSpeech =
  | { kind: "skipped"; reason: SkipReason }
  | {
      kind: "spoken";
      shortened: "no" | "summary" | "cut";
      outcome: Extract<SpeechOutcome, { kind: "spoken" }>;
    }
  | { kind: "failed"; error: string; attempts: SpeechOutcome["attempts"] };

export interface PreparedReply {
  /** What people see: without tags. */
  visible: string;
  warnings: string[];
  speech: PreparedSpeech;
}

export interface SpeechService {
  /** Speaks a text as it is: nothing is shortened, stripped or parsed. Failure is a value. */
  speak(input: SpeakInput): Promise<SpeechOutcome>;
  /** The automatic path for one reply of an agent; the reply goes out as text whatever happens to its speech. */
  prepareReply(
    reply: Reply,
    context: {
      sessionKey?: string | undefined;
      channel?: string | undefined;
      by: string;
      signal: AbortSignal;
    },
  ): Promise<PreparedReply>;
  view(sessionKey?: string): Promise<SpeechSettingsView>;
}

export interface SpeechServiceDeps {
  providers: readonly SpeechProvider[];
  preferences: SpeechPreferences;
  store: AudioStore;
  config(): unknown;
  hardening(): Hardening;
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
  /** For the ledger: which provider got how many characters; never the text. */
  record(kind: string, by: string, data: Record<string, unknown>): void;
  /** Asks a model for a summary; absent: no model can be asked, and long replies are cut. */
  summarize?: (
    text: string,
    options: { targetChars: number; timeoutMs: number; signal: AbortSignal },
  ) => Promise<string>;
}

export function createSpeechService(deps: SpeechServiceDeps): SpeechService {
  const { providers, preferences, store, logger } = deps;

  const speakWith = async (settings: SpeechSettings, input: SpeakInput): Promise<SpeechOutcome> => {
    const { text, signal } = input;
    if (text.trim() === "") return { kind: "failed", error: "There is no text to speak.", attempts: [] };
    if (text.length > settings.maxTextLength) {
      const error = `The text has ${text.length} characters; ${settings.maxTextLength} can be spoken at once. Speak it in parts.`;
      return { kind: "failed", error, attempts: [] };
    }
    const isVoiceNote = isVoiceNoteChannel(input.channel);
    const outcome = await speakWithFallback(
      providers,
      {
        text,
        target: input.target ?? (isVoiceNote ? "voice-note" : "audio-file"),
        provider: input.provider ?? null,
        overrides: input.overrides ?? {},
        settings,
        config: deps.config(),
        hardening: deps.hardening(),
        signal,
        ...(input.onAsking === undefined ? {} : { onAsking: input.onAsking }),
      },
      logger,
    );
    if (!outcome.ok) return { kind: "failed", error: outcome.error, attempts: outcome.attempts };
    const { provider, synthesis, facts, attempts } = outcome;
    const { audio, audioPath } = await store.save(synthesis.bytes, facts, synthesis.subtitles);
    deps.record("speech.spoken", input.by, {
      provider: provider.id,
      isOnline: provider.isOnline,
      chars: text.length,
      sizeBytes: audio.sizeBytes,
      asked: attempts.filter((attempt) => attempt.outcome !== "skipped").map((attempt) => attempt.provider),
    });
    return {
      kind: "spoken",
      audio,
      audioPath,
      provider: provider.id,
      voice: synthesis.voice,
      audioAsVoice: isVoiceNote && facts.format === "ogg",
      chars: text.length,
      attempts,
    };
  };

  return {
    async speak(input) {
      const { settings, problem } = await preferences.current();
      const outcome = await speakWith(settings, input);
      // A provider may have been passed over because nobody knows what was chosen.
      if (outcome.kind === "spoken" || problem === null) return outcome;
      return { ...outcome, error: `${outcome.error} ${problem}` };
    },
    async prepareReply(reply, { sessionKey, channel, by, signal }) {
      const { settings } = await preferences.current(sessionKey);
      const config = deps.config();
      const hardening = deps.hardening();
      const openaiBaseUrl = openaiBaseOf(providerSettings(config, "openai"), deps.env);
      const plan = planReply(reply, settings, { hardening, openaiBaseUrl });
      const { visible, warnings } = plan;
      if (plan.kind === "skip") {
        return { visible, warnings, speech: { kind: "skipped", reason: plan.reason } };
      }
      try {
        const { summarize } = deps;
        const { timeoutMs } = settings;
        const finished = await finishSpoken(plan.spoken, settings, {
          hardening,
          summarize:
            summarize === undefined
              ? null
              : (text, targetChars) => summarize(text, { targetChars, timeoutMs, signal }),
          onSummaryFailed: (error) => logger.warn("speech.summaryFailed", { error }),
        });
        signal.throwIfAborted();
        if (finished === null) return { visible, warnings, speech: { kind: "skipped", reason: "too-short" } };
        const { provider, overrides } = plan;
        const outcome = await speakWith(settings, {
          text: finished.text,
          channel,
          provider,
          overrides,
          by,
          signal,
        });
        const speech: PreparedSpeech =
          outcome.kind === "spoken"
            ? { kind: "spoken", shortened: finished.shortened, outcome }
            : { kind: "failed", error: outcome.error, attempts: outcome.attempts };
        return { visible, warnings, speech };
      } catch (error) {
        if (signal.aborted) throw error;
        logger.error("speech.replyFailed", { error });
        const shown = error instanceof AppError ? messageOf(error) : "The reply could not be spoken.";
        return { visible, warnings, speech: { kind: "failed", error: shown, attempts: [] } };
      }
    },
    async view(sessionKey) {
      const { settings, prefsPath, problem } = await preferences.current(sessionKey);
      const config = deps.config();
      const choice: ProviderChoice = {
        chosen: settings.provider === null ? [] : [settings.provider],
        config,
        hardening: deps.hardening(),
      };
      const order = await providerOrder(providers, choice);
      const ids = new Set([...order, ...providers.map(({ id }) => id)]);
      const states = await Promise.all(
        [...ids].flatMap((id) => {
          const known = providers.find((candidate) => candidate.id === id);
          return known === undefined ? [] : [stateOf(known, order.includes(id), choice)];
        }),
      );
      const { mode, modeFrom, provider, maxLength, maxTextLength, summarize } = settings;
      return {
        mode,
        modeFrom,
        provider,
        maxLength,
        maxTextLength,
        summarize,
        canSummarize: deps.summarize !== undefined,
        providers: states,
        prefsPath,
        problem,
      };
    },
  };
}

async function stateOf(provider: SpeechProvider, isInOrder: boolean, choice: ProviderChoice) {
  const { id, isOnline } = provider;
  const own = providerSettings(choice.config, id);
  return {
    id,
    label: speechProviderLabels.get(id) ?? id,
    configured: await provider.isConfigured(choice.config, own),
    isOnline,
    isAsked: isInOrder && (await isUsable(provider, choice)),
  };
}
