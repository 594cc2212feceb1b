/** The services whose keys the product looks for, and where the key of each stands now. */

import type { KeyService } from "../../../shared/contract/index.ts";
import type { ApiKeys, KeyPlaces } from "../net/apiKeys.ts";
import { elevenlabsKey } from "../speech/providers/elevenlabs.ts";
import { searchProviders } from "../tools/web_search/providers/index.ts";

interface Known {
  id: string;
  label: string;
  pluginId: string | null;
  tools: string[];
  docs: string;
  key: KeyPlaces;
  canTest: boolean;
}

const modelTools = ["image", "pdf"];

/** Services beyond web search, with the places that most of their tools share; one tool may look elsewhere first. */
const others: readonly Known[] = [
  known("openai", "OpenAI", [...modelTools, "image_generate", "tts", "memory_search"], ["OPENAI_API_KEY"], {
    docs: "https://platform.openai.com/api-keys",
  }),
  known("anthropic", "Anthropic", modelTools, ["ANTHROPIC_API_KEY"], {
    docs: "https://console.anthropic.com/settings/keys",
  }),
  known(
    "google",
    "Google",
    [...modelTools, "image_generate", "memory_search"],
    ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    {
      docs: "https://aistudio.google.com/apikey",
    },
  ),
  known("fal", "fal", ["image_generate"], ["FAL_KEY"], { docs: "https://fal.ai/dashboard/keys" }),
  known("minimax", "MiniMax", ["image_generate"], ["MINIMAX_API_KEY"], {
    docs: "https://platform.minimax.io",
  }),
  {
    id: "elevenlabs",
    label: "ElevenLabs",
    pluginId: null,
    tools: ["tts"],
    docs: "https://elevenlabs.io/app/settings/api-keys",
    key: elevenlabsKey,
    canTest: false,
  },
  known("voyage", "Voyage AI", ["memory_search"], ["VOYAGE_API_KEY"], {
    docs: "https://dashboard.voyageai.com",
  }),
  known("mistral", "Mistral", ["memory_search"], ["MISTRAL_API_KEY"], {
    docs: "https://console.mistral.ai/api-keys",
  }),
];

function known(id: string, label: string, tools: string[], env: string[], more: { docs: string }): Known {
  const paths = [["models", "providers", id, "apiKey"]];
  return { id, label, pluginId: null, tools, docs: more.docs, key: { paths, env }, canTest: false };
}

/** The key of Grok serves the other tools of xAI too. */
const searchTools = (id: string): string[] =>
  id === "grok" ? ["web_search", "x_search", "code_execution"] : ["web_search"];

/** Search providers that need a key, then the others. */
function allKnown(): Known[] {
  const search = searchProviders.flatMap(({ id, label, docs, key, pluginId }): Known[] =>
    key === null
      ? []
      : [{ id: `search.${id}`, label, pluginId, tools: searchTools(id), docs, key, canTest: true }],
  );
  return [...search, ...others];
}

/** @returns every service with the place that counts; `name` is the first of its variables, under which a key is stored */
export function keyServices(deps: {
  config: unknown;
  keys: ApiKeys;
  env: Readonly<Record<string, string | undefined>>;
}): KeyService[] {
  return allKnown().map(({ key, ...facts }) => {
    const found = deps.keys.find(deps.config, key);
    return { ...facts, name: key.env[0] ?? facts.id.toUpperCase(), state: stateOf(found, key, deps.env) };
  });
}

function stateOf(
  found: ReturnType<ApiKeys["find"]>,
  key: KeyPlaces,
  env: Readonly<Record<string, string | undefined>>,
): KeyService["state"] {
  if (found.kind === "absent") return { kind: "missing" };
  if (!key.env.includes(found.from)) return { kind: "config", path: found.from };
  const own = env[found.from]?.trim() ?? "";
  return { kind: own === "" ? "stored" : "environment", variable: found.from };
}
