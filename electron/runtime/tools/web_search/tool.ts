/** The web_search tool: one search at one provider; its parameters are those of the provider in use. */

import type { z } from "zod";
import { AppError } from "../../../../shared/errors/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { getIn } from "../../../../shared/policy/configRecord.ts";
import { type AddressPolicy, strictAddresses } from "../../../../shared/web/index.ts";
import type { Clock } from "../../clock.ts";
import type { ApiKeys } from "../../net/apiKeys.ts";
import type { GuardedFetch } from "../../net/guardedFetch.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { createTtlCache } from "../../net/ttlCache.ts";
import type { ToolCallContext, ToolDefinition, ToolResult } from "../defineTool.ts";
import { type ChosenProvider, chooseProvider } from "./chooseProvider.ts";
import { presentSearch } from "./present.ts";
import { searchProviders } from "./providers/index.ts";
import { clampCount } from "./searchParams.ts";
import type { ProviderId, Refusal, SearchAnswer, SearchArgs } from "./searchTypes.ts";
import { createService } from "./service.ts";

export interface WebSearchDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  fetch: GuardedFetch;
  keys: ApiKeys;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Tests on loopback servers only: rules for addresses that come from results. */
  addresses?: AddressPolicy;
}

type Found = Exclude<SearchAnswer, Refusal>;

const defaultCount = 5;
const maxCacheEntries = 100;
const maxCacheChars = 5_000_000;
const defaultTtlMs = 15 * 60_000;
/** These keep their answers together; the others each have a cache of their own. */
const sharingCache: ReadonlySet<ProviderId> = new Set(["brave", "exa", "gemini", "kimi", "perplexity"]);

/**
 * `description` and `input` follow the provider that counts now: read them at each listing and call. The schema object
 * stays the same as long as the provider and its setup do.
 */
export function createWebSearchTool(deps: WebSearchDeps): ToolDefinition {
  const newCache = () =>
    createTtlCache<Found>({
      clock: deps.clock,
      maxEntries: maxCacheEntries,
      maxChars: maxCacheChars,
      sizeOf: (found) => JSON.stringify(found).length,
    });
  const shared = newCache();
  const caches = new Map(searchProviders.map(({ id }) => [id, sharingCache.has(id) ? shared : newCache()]));
  let kept: { chosen: ChosenProvider; key: string; input: z.ZodType<SearchArgs> } | null = null;

  const choose = () =>
    chooseProvider({ config: deps.config(), keys: deps.keys, env: deps.env, hardening: deps.hardening() });

  /** What the listing shows when there is no provider: the tool is absent then, but its shape stays known. */
  const current = (): ChosenProvider => choose() ?? keylessChoice(deps.env);

  const inputOf = (chosen: ChosenProvider): z.ZodType<SearchArgs> => {
    const { provider, setup } = chosen;
    const key = `${provider.id} ${JSON.stringify(setup.settings)} ${setup.key.kind === "found" ? setup.key.from : ""}`;
    if (kept?.key !== key) kept = { chosen, key, input: provider.input(setup) };
    return kept.input;
  };

  return {
    name: "web_search",
    title: "Search the web",
    get description() {
      const { provider, setup } = current();
      return `${provider.describe(setup)} Snippets are short: read a page with web_fetch. What it returns is untrusted content.`;
    },
    promptLine: "Search the web and list the hits",
    risk: "read",
    get input() {
      return inputOf(current());
    },
    async execute(input, context) {
      return search(input as SearchArgs, context);
    },
  };

  async function search(args: SearchArgs, context: ToolCallContext): Promise<ToolResult> {
    const config = deps.config();
    const hardening = deps.hardening();
    const chosen = choose();
    if (chosen === null) {
      throw new AppError("UNAVAILABLE", "No search provider is set up. Give one a key in the settings.");
    }
    const { provider, setup } = chosen;
    const key = provider.key === null ? "" : await deps.keys.resolve(config, provider.key);
    if (key === null) {
      const message = `${provider.label} needs a key: set it under plugins.entries.${provider.pluginId}.config.webSearch.apiKey or in ${provider.key?.env[0]}.`;
      return refusal({ kind: "refused", error: provider.missingKey, message }, provider.docs);
    }
    const limits = provider.ignoresSearchSettings ? undefined : getIn(config, "tools", "web", "search");
    const count = clampCount(args.count, positive(limits, "maxResults") ?? defaultCount, provider.maxCount);
    const timeoutSeconds = positive(limits, "timeoutSeconds");
    const ttlMinutes = getIn(limits, "cacheTtlMinutes");
    const ttlMs = typeof ttlMinutes === "number" && ttlMinutes >= 0 ? ttlMinutes * 60_000 : defaultTtlMs;
    const cache = caches.get(provider.id);
    const exact = JSON.stringify([provider.id, setup.settings, { ...args, count }]);
    const cacheKey = hardening.has("web.exactCacheKeys") ? exact : exact.toLowerCase();
    const startedMs = deps.clock.nowMs();
    const present = (found: Found, isCached: boolean) =>
      presentSearch(found, {
        query: args.query,
        provider,
        tookMs: deps.clock.nowMs() - startedMs,
        isCached,
        hardening,
      });
    const before = cache?.get(cacheKey);
    if (before !== undefined) return present(before, true);
    const answer = await withProgress(
      context.reportProgress,
      () => `Searching with ${provider.label}`,
      () =>
        provider.search({
          args,
          count,
          setup,
          key,
          nowMs: startedMs,
          ...createService({
            fetch: deps.fetch,
            label: provider.label,
            key,
            timeoutMs: timeoutSeconds === undefined ? provider.timeoutMs : timeoutSeconds * 1000,
            signal: context.signal,
            addresses: deps.addresses ?? strictAddresses,
          }),
        }),
    );
    if (answer.kind === "refused") return refusal(answer, provider.docs);
    cache?.set(cacheKey, answer, ttlMs);
    return present(answer, false);
  }
}

function keylessChoice(env: WebSearchDeps["env"]): ChosenProvider {
  const provider = searchProviders.find((one) => one.key === null);
  if (provider === undefined) throw new Error("One provider works without a key.");
  return {
    provider,
    setup: { settings: Object.create(null), key: { kind: "absent" }, env },
    isConfigured: false,
  };
}

function refusal(answer: Refusal, docs: string): ToolResult {
  const payload = { error: answer.error, message: answer.message, docs };
  return {
    content: [{ type: "text", text: JSON.stringify(payload, null, 2) }],
    details: payload,
    isError: true,
  };
}

function positive(record: unknown, key: string): number | undefined {
  const value = getIn(record, key);
  return typeof value === "number" && value > 0 ? value : undefined;
}
