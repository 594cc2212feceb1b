/** What a speech provider is and gives. One file per provider below `providers/`. */

import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { ConfigRecord } from "../../../shared/policy/configRecord.ts";
import type { SpeechOverrides, SpeechProviderId } from "../../../shared/speech/index.ts";

/** What the recording is for: a file, a voice message (Opus), or a telephone line (raw samples). */
export type SpeechTarget = "audio-file" | "voice-note" | "telephony";

export interface SynthesisRequest {
  text: string;
  target: SpeechTarget;
  overrides: SpeechOverrides;
  /** `messages.tts.providers.<id>`; empty when there is none. */
  settings: ConfigRecord;
  config: unknown;
  hardening: Hardening;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Synthesis {
  bytes: Buffer;
  voice: string | null;
  /** Only for telephony, where the bytes are raw samples of 16 bits. */
  sampleRateHz?: number;
  /** Words with their times, when the provider was asked for them. */
  subtitles?: readonly Subtitle[];
}

export interface Subtitle {
  part: string;
  /** Milliseconds from the beginning. */
  start: number;
  end: number;
}

export interface SpeechProvider {
  id: SpeechProviderId;
  isOnline: boolean;
  hasTelephony: boolean;
  models: readonly string[];
  voices: readonly string[];
  /** Whether a call has a chance: its key is there, its program is installed. */
  isConfigured(config: unknown, settings: ConfigRecord): Promise<boolean>;
  /**
   * @throws AppError TIMEOUT when it took too long, TOOL_FAILED or UNAVAILABLE when it cannot speak; the signal's
   * reason when the caller cancelled
   */
  speak(request: SynthesisRequest): Promise<Synthesis>;
}

/** More than the longest text of the slowest voice as plain samples. */
export const maxAudioBytes = 32_000_000;
