/** Which provider a search goes to: the configured one, else the first with a key. Never two, never another after an error. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { type ConfigRecord, getIn, getList, getRecord } from "../../../../shared/policy/configRecord.ts";
import type { ApiKeys } from "../../net/apiKeys.ts";
import { searchProviders } from "./providers/index.ts";
import type { ProviderSetup, SearchProvider } from "./searchTypes.ts";

export interface ChosenProvider {
  provider: SearchProvider;
  setup: ProviderSetup;
  /** Named in `tools.web.search.provider`; false: found by its key. */
  isConfigured: boolean;
}

export interface ChooseInput {
  config: unknown;
  keys: ApiKeys;
  env: Readonly<Record<string, string | undefined>>;
  hardening: Hardening;
}

const noSettings: ConfigRecord = Object.freeze(Object.create(null));

/** @returns null when no provider can search: the tool is then absent */
export function chooseProvider(input: ChooseInput): ChosenProvider | null {
  const { config } = input;
  const wanted = getIn(config, "tools", "web", "search", "provider");
  const name = typeof wanted === "string" ? wanted.trim().toLowerCase() : "";
  const named = searchProviders.find((provider) => provider.id === name);
  if (named !== undefined) {
    if (!takesPart(config, named)) return null;
    const setup = setupOf(named, input);
    const isMissing = named.key !== null && setup.key.kind === "absent";
    if (isMissing && input.hardening.has("web.searchNeedsKey")) return null;
    return { provider: named, setup, isConfigured: true };
  }
  // A name that nobody has is passed over; the choice is then automatic.
  for (const provider of searchProviders) {
    if (!takesPart(config, provider)) continue;
    const setup = setupOf(provider, input);
    if (provider.key === null || setup.key.kind === "found") return { provider, setup, isConfigured: false };
  }
  return null;
}

export function setupOf(provider: SearchProvider, input: ChooseInput): ProviderSetup {
  const { config, keys, env } = input;
  return {
    settings:
      getRecord(config, "plugins", "entries", provider.pluginId, "config", "webSearch") ??
      getRecord(config, "tools", "web", "search", provider.id) ??
      noSettings,
    key: provider.key === null ? { kind: "absent" } : keys.find(config, provider.key),
    env,
  };
}

function takesPart(config: unknown, provider: SearchProvider): boolean {
  if (getIn(config, "plugins", "enabled") === false) return false;
  if ((getList(config, "plugins", "deny") ?? []).includes(provider.pluginId)) return false;
  const entry = getRecord(config, "plugins", "entries", provider.pluginId);
  if (entry === undefined || entry.enabled === true) return true;
  return entry.enabled === undefined && provider.isPluginOnByDefault;
}
