/** What the media tools share. */

import type { Hardening } from "../../../shared/hardening/rules.ts";
import {
  defaultProviderOf,
  generationModels,
  type HasKey,
  imageModels,
  type ModelChoice,
  type ModelRef,
  parseModelRef,
  pdfModels,
} from "../../../shared/media/index.ts";
import type { AddressPolicy } from "../../../shared/web/index.ts";
import type { Clock } from "../clock.ts";
import type { ApiKeys } from "../net/apiKeys.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { isReachable, keyPlacesOf } from "./models/services.ts";
import type { PdfReader } from "./pdf/pdfReader.ts";
import { mediaProblem } from "./problems.ts";
import type { Sources } from "./sources.ts";

export interface MediaDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  keys: ApiKeys;
  fetch: GuardedFetch;
  sources: Sources;
  pdf: PdfReader;
  clock: Clock;
  stateDir: string;
  /** For addresses that services name; tests on loopback servers only give other ones. */
  addresses: AddressPolicy;
}

export function hasKeyIn(config: unknown, keys: ApiKeys): HasKey {
  return (provider) => keys.find(config, keyPlacesOf(config, provider)).kind === "found";
}

const choosers = { image: imageModels, pdf: pdfModels, image_generate: generationModels } as const;

/** The models of a tool; those that cannot be reached stay in, so that their attempt says why. */
export function modelsFor(tool: keyof typeof choosers, config: unknown, keys: ApiKeys): ModelChoice {
  return choosers[tool](config, hasKeyIn(config, keys));
}

/** Whether the tool is there at all. */
export function hasModelFor(
  tool: keyof typeof choosers,
  config: unknown,
  keys: ApiKeys,
  hardening: Hardening,
): boolean {
  const { candidates } = modelsFor(tool, config, keys);
  if (!hardening.has("media.modelNeedsKey")) return candidates.length > 0;
  return candidates.some(({ provider }) => isReachable(config, keys, provider));
}

/** @throws AppError kind no_model when the text names no provider */
export function overrideOf(config: unknown, model: string | undefined): ModelRef | null {
  if (model === undefined) return null;
  const ref = parseModelRef(model, defaultProviderOf(config));
  if (ref !== null) return ref;
  throw mediaProblem("no_model", `Name the model with its provider, openai/gpt-5-mini for instance.`);
}
