/** Which models the media tools ask, in order: from the config, else from the keys that are there. Pure. */

import { asRecord, getIn, getList } from "../policy/configRecord.ts";

export interface ModelRef {
  /** Lower case. */
  provider: string;
  /** As the service names it; may hold slashes. */
  model: string;
}

export interface ModelChoice {
  /** `config`: named there, keys not looked at. `keys`: found by the keys that are there. */
  from: "config" | "keys";
  /** Empty: there is none, and the tool is absent. */
  candidates: ModelRef[];
}

/** Whether a provider has a key. */
export type HasKey = (provider: string) => boolean;

export type MediaModelKey = "imageModel" | "pdfModel" | "imageGenerationModel";

/** The providers that make pictures, with their default model. */
export const imageGenerators: ReadonlyMap<string, string> = new Map([
  ["openai", "gpt-image-1"],
  ["google", "gemini-3.1-flash-image-preview"],
  ["fal", "fal-ai/flux/dev"],
  ["minimax", "image-01"],
]);

const openai: ModelRef = { provider: "openai", model: "gpt-5-mini" };
const opus46: ModelRef = { provider: "anthropic", model: "claude-opus-4-6" };
const opus45: ModelRef = { provider: "anthropic", model: "claude-opus-4-5" };
const gemini: ModelRef = { provider: "google", model: "gemini-2.5-pro" };

/** Taken for pictures when the default model is of this provider and no vision model is configured for it. */
const visionPairs: ReadonlyMap<string, string> = new Map([
  ["zai", "glm-4.6v"],
  ["openai", openai.model],
  ["anthropic", opus46.model],
]);

export function refText(ref: ModelRef): string {
  return `${ref.provider}/${ref.model}`;
}

/** @returns null for text that names no provider when there is no default one, or no model */
export function parseModelRef(text: string, defaultProvider: string | null): ModelRef | null {
  const trimmed = text.trim();
  const slash = trimmed.indexOf("/");
  const provider = slash < 0 ? defaultProvider : trimmed.slice(0, slash).trim().toLowerCase();
  const model = slash < 0 ? trimmed : trimmed.slice(slash + 1).trim();
  return provider === null || provider === "" || model === "" ? null : { provider, model };
}

/** Provider of `agents.defaults.model`; null when none is set with its provider. */
export function defaultProviderOf(config: unknown): string | null {
  const value = getIn(config, "agents", "defaults", "model");
  const text = asRecord(value)?.primary ?? value;
  return typeof text === "string" ? (parseModelRef(text, null)?.provider ?? null) : null;
}

/** Models of `agents.defaults.<key>`: text, or `{primary, fallbacks}`. */
export function configuredModels(config: unknown, key: MediaModelKey): ModelRef[] {
  const value = getIn(config, "agents", "defaults", key);
  const record = asRecord(value);
  const texts = [record === undefined ? value : record.primary, ...(getList(record, "fallbacks") ?? [])];
  const provider = defaultProviderOf(config);
  return unique(
    texts.flatMap((text) => {
      const ref = typeof text === "string" ? parseModelRef(text, provider) : null;
      return ref === null ? [] : [ref];
    }),
  );
}

/** @see tools-files-web-media.md 7.1 */
export function imageModels(config: unknown, hasKey: HasKey): ModelChoice {
  const configured = configuredModels(config, "imageModel");
  if (configured.length > 0) return { from: "config", candidates: configured };
  const provider = defaultProviderOf(config);
  const pair = provider === null ? null : visionPair(config, provider);
  return { from: "keys", candidates: withKeys([pair, openai, opus45], hasKey) };
}

/** @see tools-files-web-media.md 9.1 */
export function pdfModels(config: unknown, hasKey: HasKey): ModelChoice {
  for (const key of ["pdfModel", "imageModel"] as const) {
    const configured = configuredModels(config, key);
    if (configured.length > 0) return { from: "config", candidates: configured };
  }
  const provider = defaultProviderOf(config);
  const vision = provider === null ? null : configuredVision(config, provider);
  const own = provider === "anthropic" ? opus46 : vision;
  const [primary] = withKeys([own, opus46, gemini, openai], hasKey);
  if (primary === undefined) return { from: "keys", candidates: [] };
  return { from: "keys", candidates: withKeys([primary, opus46, opus45, openai], hasKey) };
}

/** @see tools-files-web-media.md 8.1 */
export function generationModels(config: unknown, hasKey: HasKey): ModelChoice {
  const configured = configuredModels(config, "imageGenerationModel");
  if (configured.length > 0) return { from: "config", candidates: configured };
  const names = new Set([defaultProviderOf(config) ?? "", ...imageGenerators.keys()]);
  const all = [...names].flatMap((provider) => {
    const model = imageGenerators.get(provider);
    return model === undefined ? [] : [{ provider, model }];
  });
  return { from: "keys", candidates: withKeys(all, hasKey) };
}

/** @returns the candidates with the model that the call names in the place of the first */
export function withOverride(choice: ModelChoice, override: ModelRef | null, isInFront = false): ModelRef[] {
  if (override === null) return choice.candidates;
  return unique([override, ...(isInFront ? choice.candidates : choice.candidates.slice(1))]);
}

/**
 * What the config says a model takes, from `models.providers.<id>.models[].input`.
 * @returns null when the config does not list the model
 */
export function modelInputs(config: unknown, ref: ModelRef): ReadonlySet<string> | null {
  const listed = getList(config, "models", "providers", ref.provider, "models") ?? [];
  const found = listed.map(asRecord).find((model) => model?.id === ref.model);
  const input = getList(found, "input");
  return input === undefined ? null : new Set(input.filter((item) => typeof item === "string"));
}

function visionPair(config: unknown, provider: string): ModelRef | null {
  if (provider === "minimax") return { provider, model: "MiniMax-VL-01" };
  const configured = configuredVision(config, provider);
  if (configured !== null) return configured;
  const model = visionPairs.get(provider);
  return model === undefined ? null : { provider, model };
}

/** The first model of the provider that the config says takes pictures. */
function configuredVision(config: unknown, provider: string): ModelRef | null {
  for (const item of getList(config, "models", "providers", provider, "models") ?? []) {
    const model = asRecord(item);
    if (typeof model?.id !== "string" || model.id.trim() === "") continue;
    if ((getList(model, "input") ?? []).includes("image")) return { provider, model: model.id.trim() };
  }
  return null;
}

function withKeys(refs: readonly (ModelRef | null)[], hasKey: HasKey): ModelRef[] {
  return unique(refs.filter((ref) => ref !== null)).filter((ref) => hasKey(ref.provider));
}

function unique(refs: readonly ModelRef[]): ModelRef[] {
  return [...new Map(refs.map((ref) => [refText(ref), ref])).values()];
}
