/** Speech over the contract: OpenClaw's `tts.*` methods, and our own for settings, prepared replies and playback. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";
import { speechModes, speechProviderIds } from "../speech/index.ts";

export const speechMode = z.enum(speechModes);
export const speechProviderId = z.enum(speechProviderIds);

/** A recording that can be fetched by `speech.audio` until it is removed. */
export const spokenAudio = z.object({
  id: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number().int(),
  /** null: the format does not say it. */
  durationMs: z.number().nullable(),
  expiresAtMs: z.number(),
});
export type SpokenAudio = z.infer<typeof spokenAudio>;

export const speechAttempt = z.object({
  provider: z.string(),
  outcome: z.enum(["success", "skipped", "failed"]),
  reasonCode: z.enum([
    "success",
    "no_provider_registered",
    "not_configured",
    "unsupported_for_telephony",
    "timeout",
    "provider_error",
  ]),
  latencyMs: z.number().optional(),
  error: z.string().optional(),
});
export type SpeechAttempt = z.infer<typeof speechAttempt>;

export const speechOutcome = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("spoken"),
    audio: spokenAudio,
    audioPath: z.string(),
    provider: z.string(),
    voice: z.string().nullable(),
    /** Fit to be sent as a voice message on the channel. */
    audioAsVoice: z.boolean(),
    chars: z.number().int(),
    attempts: z.array(speechAttempt),
  }),
  z.object({ kind: z.literal("failed"), error: z.string(), attempts: z.array(speechAttempt) }),
]);
export type SpeechOutcome = z.infer<typeof speechOutcome>;

const providerState = z.object({
  id: speechProviderId,
  label: z.string(),
  configured: z.boolean(),
  /** Texts leave this computer. */
  isOnline: z.boolean(),
  /** false: under the present choice it never gets a text, whether or not it is set up. */
  isAsked: z.boolean(),
});

export const speechSettingsView = z.object({
  mode: speechMode,
  modeFrom: z.enum(["session", "prefs", "config", "default"]),
  /** null: the automatic choice. */
  provider: z.string().nullable(),
  maxLength: z.number().int(),
  maxTextLength: z.number().int(),
  summarize: z.boolean(),
  /** There is a model that could write summaries. */
  canSummarize: z.boolean(),
  /** In the order in which they are tried. */
  providers: z.array(providerState),
  prefsPath: z.string(),
  /** The preferences file cannot be read: nothing is read aloud by itself until it is mended. */
  problem: z.string().nullable(),
});
export type SpeechSettingsView = z.infer<typeof speechSettingsView>;

const sessionKey = z.string().min(1).max(512);
const spokenText = z.string().max(100_000);

export const speechContract = defineContract({
  methods: {
    "tts.status": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({
        enabled: z.boolean(),
        auto: speechMode,
        provider: z.string(),
        fallbackProvider: z.string().nullable(),
        fallbackProviders: z.array(z.string()),
        prefsPath: z.string(),
        providerStates: z.array(z.object({ id: z.string(), label: z.string(), configured: z.boolean() })),
      }),
    },
    "tts.providers": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({
        providers: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            configured: z.boolean(),
            models: z.array(z.string()),
            voices: z.array(z.string()),
          }),
        ),
        active: z.string(),
      }),
    },
    "tts.enable": {
      scope: "operator.write",
      input: z.object({}),
      output: z.object({ enabled: z.boolean() }),
    },
    "tts.disable": {
      scope: "operator.write",
      input: z.object({}),
      output: z.object({ enabled: z.boolean() }),
    },
    "tts.setProvider": {
      scope: "operator.write",
      input: z.object({ provider: z.string() }),
      output: z.object({ provider: z.string() }),
    },
    "tts.convert": {
      scope: "operator.write",
      input: z.object({ text: z.string(), channel: z.string().optional() }),
      output: z.object({
        audioPath: z.string(),
        provider: z.string(),
        outputFormat: z.string(),
        voiceCompatible: z.boolean(),
      }),
    },
    "speech.settings": {
      scope: "operator.read",
      input: z.object({ sessionKey: sessionKey.optional() }),
      output: speechSettingsView,
    },
    /** Changes the preferences file, which counts for all conversations; null takes a value out of it. */
    "speech.set": {
      scope: "operator.write",
      input: z.object({
        auto: speechMode.nullable().optional(),
        provider: speechProviderId.nullable().optional(),
        maxLength: z.number().int().min(100).max(4096).nullable().optional(),
        summarize: z.boolean().nullable().optional(),
      }),
      output: speechSettingsView,
    },
    /** The switch of one conversation; null: it follows the preferences again. */
    "speech.setSession": {
      scope: "operator.write",
      input: z.object({ sessionKey, mode: speechMode.nullable() }),
      output: speechSettingsView,
    },
    /** Speaks a text as it is. */
    "speech.say": {
      scope: "operator.write",
      input: z.object({
        text: spokenText,
        channel: z.string().max(64).optional(),
        provider: speechProviderId.optional(),
      }),
      output: speechOutcome,
    },
    /** The automatic path: what of a reply people see, and the recording when it is to be spoken. */
    "speech.prepareReply": {
      scope: "operator.write",
      input: z.object({
        text: z.string().max(1_000_000),
        sessionKey: sessionKey.optional(),
        channel: z.string().max(64).optional(),
        kind: z.enum(["final", "block", "tool"]).default("final"),
        hasInboundAudio: z.boolean().default(false),
        hasMedia: z.boolean().default(false),
        isCompactionNotice: z.boolean().default(false),
      }),
      output: z.object({
        visible: z.string(),
        warnings: z.array(z.string()),
        speech: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("skipped"), reason: z.string() }),
          z.object({
            kind: z.literal("spoken"),
            shortened: z.enum(["no", "summary", "cut"]),
            outcome: speechOutcome.options[0],
          }),
          /** The reply goes out as text. */
          z.object({
            kind: z.literal("failed"),
            error: z.string(),
            attempts: z.array(speechAttempt),
          }),
        ]),
      }),
    },
    /** The `/tts` command. */
    "speech.command": {
      scope: "operator.write",
      input: z.object({ text: spokenText, sessionKey: sessionKey.optional() }),
      output: z.object({
        ok: z.boolean(),
        /** For a person to read, in English, as commands of a chat are. */
        text: z.string(),
        audio: spokenAudio.nullable(),
      }),
    },
    /** A part of a recording, so that no message grows large. */
    "speech.audio": {
      scope: "operator.read",
      input: z.object({ id: z.string().max(64), offset: z.number().int().min(0).default(0) }),
      output: z.object({
        /** base64 */
        data: z.string(),
        mimeType: z.string(),
        sizeBytes: z.number().int(),
        nextOffset: z.number().int().nullable(),
      }),
    },
  },
  events: {},
});
