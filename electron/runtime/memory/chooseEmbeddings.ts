/** Which embeddings service counts for an agent, with its key; or why there is none. */

import { messageOf } from "../../../shared/errors/index.ts";
import type { EmbeddingProviderId, MemorySettings, ProviderChoice } from "../../../shared/memory/index.ts";
import { getIn } from "../../../shared/policy/configRecord.ts";
import type { ApiKeys, KeyPlaces } from "../net/apiKeys.ts";
import { embeddingServices } from "./embeddings/services.ts";
import type { EmbeddingSetup } from "./memoryTypes.ts";

export interface ChosenEmbeddings {
  setup: EmbeddingSetup | null;
  /** The service that was wanted, when the fallback took its place. */
  fallbackFrom: string | null;
  /** Why there are none although the config names a service; null: nothing to say. */
  notice: string | null;
}

/** Tried without being named; Ollama is used only when it is. */
const autoOrder: readonly EmbeddingProviderId[] = ["openai", "gemini", "voyage", "mistral"];

interface ChooseDeps {
  config: unknown;
  settings: MemorySettings;
  keys: ApiKeys;
  /** The same object for the same config: references to secrets are resolved once per object. */
  keyConfig: object;
  /** The first choice failed while it was in use. */
  skipsFirst: boolean;
}

/** Never throws: whatever is wrong with a service or its key, notes are searched by keywords. */
export async function chooseEmbeddings(deps: ChooseDeps): Promise<ChosenEmbeddings> {
  const { settings } = deps;
  if (!settings.usesVectors) return { setup: null, fallbackFrom: null, notice: null };
  const first: Tried = deps.skipsFirst
    ? {
        setup: null,
        notice: "The chosen embeddings service failed; its fallback is used until the settings change.",
      }
    : await tryChoice(settings.provider, deps);
  if (first.setup !== null || settings.fallback.kind === "none") {
    return { setup: first.setup, fallbackFrom: null, notice: first.notice };
  }
  const second = await tryChoice(settings.fallback, deps);
  const from = settings.provider.kind === "named" ? settings.provider.id : "auto";
  return {
    setup: second.setup,
    fallbackFrom: second.setup === null ? null : from,
    notice: [first.notice, second.notice].filter((text) => text !== null).join(" ") || null,
  };
}

type Tried = Pick<ChosenEmbeddings, "setup" | "notice">;

async function tryChoice(choice: ProviderChoice, deps: ChooseDeps): Promise<Tried> {
  switch (choice.kind) {
    case "none":
      return { setup: null, notice: null };
    case "unknown":
      return {
        setup: null,
        notice: `Embeddings from "${choice.name}" are not built here: notes are searched by keywords.`,
      };
    case "named":
      return tryService(choice.id, deps, true);
    case "auto":
      for (const id of autoOrder) {
        const tried = await tryService(id, deps, false);
        // A key that is there and cannot be used is a mistake to mend, not a reason to ask somebody else.
        if (tried.setup !== null || tried.notice !== null) return tried;
      }
      return { setup: null, notice: null };
  }
}

async function tryService(id: EmbeddingProviderId, deps: ChooseDeps, isNamed: boolean): Promise<Tried> {
  const service = embeddingServices[id];
  const { settings } = deps;
  const places: KeyPlaces = {
    paths: [
      ["memorySearch", "remote", "apiKey"],
      ...service.configNames.map((name) => ["models", "providers", name, "apiKey"]),
    ],
    env: service.env,
  };
  try {
    const key = await deps.keys.resolve(deps.keyConfig, places);
    if (key === null && service.needsKey) {
      const where = `agents.defaults.memorySearch.remote.apiKey or ${service.env[0]}`;
      return {
        setup: null,
        notice: isNamed
          ? `${service.label} has no key (set ${where}): notes are searched by keywords.`
          : null,
      };
    }
    const own = service.configNames
      .map((name) => getIn(deps.config, "models", "providers", name, "baseUrl"))
      .find((url) => typeof url === "string" && url.trim() !== "");
    const baseUrl = settings.remote.baseUrl ?? (typeof own === "string" ? own.trim() : service.baseUrl);
    if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
      return {
        setup: null,
        notice: `The baseUrl of ${service.label} is no http address: notes are searched by keywords.`,
      };
    }
    return {
      setup: {
        id,
        model: settings.model ?? service.model,
        baseUrl,
        key: key ?? "",
        headers: settings.remote.headers,
        dimensions: settings.outputDimensionality,
      },
      notice: null,
    };
  } catch (error) {
    // The message of a key that cannot be resolved never holds its value.
    return { setup: null, notice: `${messageOf(error)} Notes are searched by keywords.` };
  }
}
