/** One text through the providers in their order, until one has spoken; every attempt is on record. */

import type { SpeechAttempt } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import {
  type AudioFacts,
  audioFacts,
  autoSelectOrder,
  providerSettings,
  type SpeechOverrides,
  type SpeechSettings,
  speechProviderLabels,
} from "../../../shared/speech/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { SpeechProvider, SpeechTarget, Synthesis } from "./speechTypes.ts";

export interface ChainInput {
  text: string;
  target: SpeechTarget;
  /** Wins over the chosen one of the settings. */
  provider: string | null;
  overrides: SpeechOverrides;
  settings: SpeechSettings;
  config: unknown;
  hardening: Hardening;
  signal: AbortSignal;
  /** Told which provider is asked now. */
  onAsking?: (label: string) => void;
}

export type ChainOutcome =
  | { ok: true; provider: SpeechProvider; synthesis: Synthesis; facts: AudioFacts; attempts: SpeechAttempt[] }
  | { ok: false; error: string; attempts: SpeechAttempt[] };

export interface ProviderChoice {
  /** Names that a person chose, the one to begin with first; they need not exist. */
  chosen: readonly string[];
  config: unknown;
  hardening: Hardening;
}

/** @returns ids to try, first to last; the first may be one that does not exist */
export async function providerOrder(
  providers: readonly SpeechProvider[],
  choice: ProviderChoice,
): Promise<string[]> {
  const order = autoSelectOrder(choice.hardening);
  const first = choice.chosen[0] ?? (await firstUsable(providers, order, choice)) ?? order[0] ?? "";
  // Who wants this computer to speak does not want the text anywhere else.
  const isKeptHere = choice.chosen[0] === "system" && choice.hardening.has("speech.onlineByConsent");
  return isKeptHere ? ["system"] : [first, ...order.filter((id) => id !== first)];
}

/** Whether a provider is set up and may get a text under this choice. */
export async function isUsable(provider: SpeechProvider, choice: ProviderChoice): Promise<boolean> {
  const own = providerSettings(choice.config, provider.id);
  const needsConsent = provider.id === "microsoft" && choice.hardening.has("speech.onlineByConsent");
  if (needsConsent && own.enabled !== true && !choice.chosen.includes(provider.id)) return false;
  return provider.isConfigured(choice.config, own);
}

async function firstUsable(
  providers: readonly SpeechProvider[],
  order: readonly string[],
  choice: ProviderChoice,
): Promise<string | null> {
  for (const id of order) {
    const provider = providers.find((candidate) => candidate.id === id);
    if (provider !== undefined && (await isUsable(provider, choice))) return id;
  }
  return null;
}

/** @throws the signal's reason when the caller cancelled */
export async function speakWithFallback(
  providers: readonly SpeechProvider[],
  input: ChainInput,
  logger: Logger,
): Promise<ChainOutcome> {
  const { config, settings, hardening, signal } = input;
  const chosen = [input.provider, settings.provider].filter((name) => name !== null);
  const choice: ProviderChoice = { chosen, config, hardening };
  const order = await providerOrder(providers, choice);
  const attempts: SpeechAttempt[] = [];
  for (const id of order) {
    signal.throwIfAborted();
    const provider = providers.find((candidate) => candidate.id === id);
    if (provider === undefined) {
      attempts.push({ provider: id, outcome: "skipped", reasonCode: "no_provider_registered" });
      continue;
    }
    if (!(await isUsable(provider, choice))) {
      attempts.push({ provider: id, outcome: "skipped", reasonCode: "not_configured" });
      continue;
    }
    if (input.target === "telephony" && !provider.hasTelephony) {
      attempts.push({ provider: id, outcome: "skipped", reasonCode: "unsupported_for_telephony" });
      continue;
    }
    input.onAsking?.(speechProviderLabels.get(provider.id) ?? id);
    const startedMs = performance.now();
    const latencyMs = () => Math.round(performance.now() - startedMs);
    try {
      const { text, target, overrides } = input;
      const synthesis = await provider.speak({
        text,
        target,
        overrides,
        settings: providerSettings(config, provider.id),
        config,
        hardening,
        timeoutMs: settings.timeoutMs,
        signal,
      });
      const facts = factsOf(synthesis);
      attempts.push({ provider: id, outcome: "success", reasonCode: "success", latencyMs: latencyMs() });
      return { ok: true, provider, synthesis, facts, attempts };
    } catch (error) {
      signal.throwIfAborted();
      const isTimeout = error instanceof AppError && error.code === "TIMEOUT";
      logger.warn("speech.providerFailed", { provider: id, error });
      attempts.push({
        provider: id,
        outcome: "failed",
        reasonCode: isTimeout ? "timeout" : "provider_error",
        latencyMs: latencyMs(),
        // What is no AppError may hold paths and addresses: it is in the log.
        error: error instanceof AppError ? messageOf(error) : "It failed; the log has the details.",
      });
    }
  }
  return { ok: false, error: failureText(attempts), attempts };
}

function factsOf(synthesis: Synthesis): AudioFacts {
  const { bytes, sampleRateHz } = synthesis;
  if (sampleRateHz !== undefined && bytes.length > 0) {
    const durationMs = Math.round((bytes.length / 2 / sampleRateHz) * 1000);
    return { format: "wav", mimeType: `audio/L16;rate=${sampleRateHz}`, extension: ".pcm", durationMs };
  }
  const facts = audioFacts(bytes);
  if (facts !== null) return facts;
  throw new AppError("TOOL_FAILED", "The answer is no audio.");
}

function failureText(attempts: readonly SpeechAttempt[]): string {
  const failed = attempts.filter(({ outcome }) => outcome === "failed");
  if (failed.length === 0) {
    return "No speech provider is set up. Install espeak-ng, give OpenAI or ElevenLabs a key in the settings, or choose microsoft, which sends texts to its online service.";
  }
  return `The text could not be spoken. ${failed.map(({ provider, error }) => `${provider}: ${error ?? "failed."}`).join(" ")}`;
}
