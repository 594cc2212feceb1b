/** The services that media models run at: where they are, how they are spoken to, where their keys stand. */

import { type ConfigRecord, getIn, getRecord, getString } from "../../../../shared/policy/configRecord.ts";
import type { ApiKeys, KeyPlaces } from "../../net/apiKeys.ts";
import { mediaProblem } from "../problems.ts";

/** How a service is spoken to, in OpenClaw's words. */
export const modelApis = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
] as const;
export type ModelApi = (typeof modelApis)[number] | "minimax-vision";

interface KnownService {
  label: string;
  api: ModelApi;
  baseUrl: string;
  /** Names of variables that hold the key, the first that is set counts. */
  env: readonly string[];
}

const completions = (label: string, baseUrl: string, ...env: string[]): KnownService => ({
  label,
  api: "openai-completions",
  baseUrl,
  env,
});

const known: ReadonlyMap<string, KnownService> = new Map([
  ["openai", completions("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY")],
  [
    "anthropic",
    {
      label: "Anthropic",
      api: "anthropic-messages",
      baseUrl: "https://api.anthropic.com",
      env: ["ANTHROPIC_API_KEY"],
    },
  ],
  [
    "google",
    {
      label: "Google",
      api: "google-generative-ai",
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      env: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    },
  ],
  [
    "minimax",
    { label: "MiniMax", api: "minimax-vision", baseUrl: "https://api.minimax.io", env: ["MINIMAX_API_KEY"] },
  ],
  ["fal", completions("fal", "https://fal.run", "FAL_KEY")],
  ["zai", completions("Z.AI", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "Z_AI_API_KEY")],
  ["xai", completions("xAI", "https://api.x.ai/v1", "XAI_API_KEY")],
  ["openrouter", completions("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")],
  ["mistral", completions("Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY")],
  ["groq", completions("Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY")],
  ["moonshot", completions("Moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "KIMI_API_KEY")],
  ["ollama", completions("Ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY")],
]);

export interface ModelService {
  id: string;
  /** Its key below `models.providers`, as written there. */
  entryName: string;
  label: string;
  api: ModelApi;
  baseUrl: string;
  keyPlaces: KeyPlaces;
  /** From the config, not resolved. */
  headers: ConfigRecord;
  /** The operator gave the address: it may be a server that asks for no key. */
  hasOwnAddress: boolean;
}

/**
 * @param id lower case
 * @returns null for a provider that is neither known here nor has a baseUrl in the config
 */
export function serviceOf(config: unknown, id: string): ModelService | null {
  const service = known.get(id);
  const entryName = entryNameOf(config, id);
  const entry = getRecord(config, "models", "providers", entryName);
  const own = getString(entry, "baseUrl")?.trim() ?? "";
  if (service === undefined && own === "") return null;
  const api = modelApis.find((name) => name === entry?.api);
  return {
    id,
    entryName,
    label: service?.label ?? id,
    api: api ?? service?.api ?? "openai-completions",
    baseUrl: own === "" ? (service?.baseUrl ?? "") : own,
    keyPlaces: keyPlacesOf(config, id),
    headers: getRecord(entry, "headers") ?? noHeaders,
    hasOwnAddress: own !== "",
  };
}

/** An entry is found by its id without regard to case, as references to it are written. */
function entryNameOf(config: unknown, id: string): string {
  const names = Object.keys(getRecord(config, "models", "providers") ?? {});
  return names.find((name) => name.trim().toLowerCase() === id) ?? id;
}

const noHeaders: ConfigRecord = Object.freeze(Object.create(null));

/** Names of the variables that hold a provider's key. */
export function keyVariablesOf(id: string): readonly string[] {
  return known.get(id)?.env ?? [];
}

export function keyPlacesOf(config: unknown, id: string): KeyPlaces {
  return { paths: [["models", "providers", entryNameOf(config, id), "apiKey"]], env: keyVariablesOf(id) };
}

/** Whether requests to the provider can work: it has a key, or an address of the operator's own. */
export function isReachable(config: unknown, keys: ApiKeys, id: string): boolean {
  const service = serviceOf(config, id);
  return service !== null && (service.hasOwnAddress || keys.find(config, service.keyPlaces).kind === "found");
}

export interface ReadyService extends ModelService {
  /** null: the service is asked without one. */
  key: string | null;
  /** Resolved, names in lower case. */
  extraHeaders: Readonly<Record<string, string>>;
}

/** @throws AppError kind unknown_provider or no_key; UNAVAILABLE when a reference cannot be resolved */
export async function readyService(config: unknown, keys: ApiKeys, id: string): Promise<ReadyService> {
  const service = serviceOf(config, id);
  if (service === null) {
    throw mediaProblem(
      "unknown_provider",
      `The provider ${id.slice(0, 60)} is not known here. Give its address under models.providers.${id.slice(0, 60)}.baseUrl.`,
    );
  }
  const key = await keys.resolve(config, service.keyPlaces);
  if (key === null && !service.hasOwnAddress) {
    const [name] = service.keyPlaces.env;
    const orSet = name === undefined ? "" : ` or set ${name}`;
    throw mediaProblem(
      "no_key",
      `${service.label} needs a key: put it under models.providers.${id}.apiKey${orSet}.`,
    );
  }
  const extraHeaders: Record<string, string> = Object.create(null);
  for (const name of Object.keys(service.headers)) {
    const value = await headerValue(config, keys, service.entryName, name);
    if (value !== null && /^[\w-]{1,80}$/.test(name)) extraHeaders[name.toLowerCase()] = value;
  }
  return { ...service, key, extraHeaders };
}

async function headerValue(
  config: unknown,
  keys: ApiKeys,
  entryName: string,
  name: string,
): Promise<string | null> {
  const value = getIn(config, "models", "providers", entryName, "headers", name);
  const isPlain = typeof value === "string" && !/^\s*\$\{.*\}\s*$/s.test(value);
  if (isPlain) return /^[\x20-\x7e]+$/.test(value) ? value.trim() : null;
  return keys.resolve(config, { paths: [["models", "providers", entryName, "headers", name]], env: [] });
}
