/** The keys of a speech tag, provider by provider, with what counts as a value. */

import {
  isElevenlabsVoice,
  isOpenaiCustomBase,
  openaiBaseUrl,
  openaiModels,
  openaiVoices,
} from "./providers.ts";

/** What a model may choose (`messages.tts.modelOverrides`). */
export interface DirectivePolicy {
  enabled: boolean;
  allowText: boolean;
  allowProvider: boolean;
  allowVoice: boolean;
  allowModelId: boolean;
  allowVoiceSettings: boolean;
  allowNormalization: boolean;
  allowSeed: boolean;
}

export const defaultDirectivePolicy: DirectivePolicy = {
  enabled: true,
  allowText: true,
  allowProvider: false,
  allowVoice: true,
  allowModelId: true,
  allowVoiceSettings: true,
  allowNormalization: true,
  allowSeed: true,
};

export interface VoiceSettings {
  stability?: number;
  similarityBoost?: number;
  style?: number;
  useSpeakerBoost?: boolean;
  speed?: number;
}

/** What a reply asks of a provider, on top of the config. */
export interface SpeechOverrides {
  openai?: { voice?: string; model?: string };
  elevenlabs?: {
    voiceId?: string;
    modelId?: string;
    languageCode?: string;
    applyTextNormalization?: "auto" | "on" | "off";
    seed?: number;
    voiceSettings?: VoiceSettings;
  };
}

interface Token {
  /** Lower case. */
  key: string;
  value: string;
  policy: DirectivePolicy;
  openaiBaseUrl?: string | undefined;
}

type Answer =
  /** Not a key of this provider. */
  | { kind: "foreign" }
  /** Known, but not allowed or not usable. */
  | { kind: "ignored"; warning?: string }
  | { kind: "set"; apply: (overrides: SpeechOverrides) => void };

const foreign: Answer = { kind: "foreign" };
const ignored: Answer = { kind: "ignored" };

/** Asks the providers in their order; the first that knows the key has it. Unknown keys are passed over. */
export function readToken(overrides: SpeechOverrides, warnings: string[], token: Token): void {
  for (const ask of [openaiToken, elevenlabsToken]) {
    const answer = ask(token);
    if (answer.kind === "foreign") continue;
    if (answer.kind === "set") answer.apply(overrides);
    else if (answer.warning !== undefined) warnings.push(answer.warning);
    return;
  }
}

function openaiToken({ key, value, policy, openaiBaseUrl: base = openaiBaseUrl }: Token): Answer {
  const isCustom = isOpenaiCustomBase(base);
  switch (key) {
    case "voice":
    case "openai_voice":
    case "openaivoice":
      if (!policy.allowVoice) return ignored;
      if (!isCustom && !(openaiVoices as readonly string[]).includes(value)) return refused("voice", value);
      return set((overrides) => {
        overrides.openai = { ...overrides.openai, voice: value };
      });
    case "model":
    case "openai_model":
    case "openaimodel":
      // A model of somebody else's is theirs to judge.
      if (!isCustom && !(openaiModels as readonly string[]).includes(value)) return foreign;
      if (!policy.allowModelId) return ignored;
      return set((overrides) => {
        overrides.openai = { ...overrides.openai, model: value };
      });
    default:
      return foreign;
  }
}

function elevenlabsToken({ key, value, policy }: Token): Answer {
  switch (key) {
    case "voiceid":
    case "voice_id":
    case "elevenlabs_voice":
    case "elevenlabsvoice":
      if (!policy.allowVoice) return ignored;
      if (!isElevenlabsVoice(value)) return refused("voiceId", value);
      return setElevenlabs({ voiceId: value });
    case "model":
    case "modelid":
    case "model_id":
    case "elevenlabs_model":
    case "elevenlabsmodel":
      return policy.allowModelId ? setElevenlabs({ modelId: value }) : ignored;
    case "stability":
      return numberSetting("stability", value, 0, 1, policy);
    case "similarity":
    case "similarityboost":
    case "similarity_boost":
      return numberSetting("similarityBoost", value, 0, 1, policy);
    case "style":
      return numberSetting("style", value, 0, 1, policy);
    case "speed":
      return numberSetting("speed", value, 0.5, 2, policy);
    case "speakerboost":
    case "speaker_boost":
    case "usespeakerboost":
    case "use_speaker_boost":
      return boostSetting(value, policy);
    case "normalize":
    case "applytextnormalization":
    case "apply_text_normalization": {
      if (!policy.allowNormalization) return ignored;
      const mode = (["auto", "on", "off"] as const).find((known) => known === value.toLowerCase());
      return mode === undefined ? refused(key, value) : setElevenlabs({ applyTextNormalization: mode });
    }
    case "language":
    case "languagecode":
    case "language_code":
      if (!policy.allowNormalization) return ignored;
      return /^[a-z]{2}$/i.test(value)
        ? setElevenlabs({ languageCode: value.toLowerCase() })
        : refused(key, value);
    case "seed": {
      if (!policy.allowSeed) return ignored;
      const seed = Number.parseInt(value, 10);
      return seed >= 0 && seed <= 4_294_967_295 ? setElevenlabs({ seed }) : refused(key, value);
    }
    default:
      return foreign;
  }
}

function numberSetting(
  name: "stability" | "similarityBoost" | "style" | "speed",
  value: string,
  min: number,
  max: number,
  policy: DirectivePolicy,
): Answer {
  if (!policy.allowVoiceSettings) return ignored;
  const number = Number.parseFloat(value);
  return number >= min && number <= max ? setVoice({ [name]: number }) : refused(name, value);
}

function boostSetting(value: string, policy: DirectivePolicy): Answer {
  if (!policy.allowVoiceSettings) return ignored;
  const lower = value.toLowerCase();
  if (["true", "1", "yes", "on"].includes(lower)) return setVoice({ useSpeakerBoost: true });
  if (["false", "0", "no", "off"].includes(lower)) return setVoice({ useSpeakerBoost: false });
  return refused("useSpeakerBoost", value);
}

function set(apply: (overrides: SpeechOverrides) => void): Answer {
  return { kind: "set", apply };
}

function setElevenlabs(part: NonNullable<SpeechOverrides["elevenlabs"]>): Answer {
  return set((overrides) => {
    overrides.elevenlabs = { ...overrides.elevenlabs, ...part };
  });
}

function setVoice(part: VoiceSettings): Answer {
  return set((overrides) => {
    const { voiceSettings } = overrides.elevenlabs ?? {};
    overrides.elevenlabs = { ...overrides.elevenlabs, voiceSettings: { ...voiceSettings, ...part } };
  });
}

function refused(name: string, value: string): Answer {
  return { kind: "ignored", warning: `${name} cannot be ${JSON.stringify(value.slice(0, 40))}` };
}
