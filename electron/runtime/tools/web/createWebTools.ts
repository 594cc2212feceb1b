/** The web tools with what they share: one way to the network, one page reader, one look at the keys. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { AddressPolicy } from "../../../../shared/web/index.ts";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import type { PdfReader } from "../../media/pdf/pdfReader.ts";
import { createApiKeys } from "../../net/apiKeys.ts";
import { createGuardedFetch, type GuardedFetch } from "../../net/guardedFetch.ts";
import { systemResolver } from "../../net/hostResolver.ts";
import { builtPageWorker, createPageReader } from "../../net/pageReader.ts";
import type { ToolDefinition } from "../defineTool.ts";
import { createWebFetchTool } from "../web_fetch/tool.ts";
import { chooseProvider } from "../web_search/chooseProvider.ts";
import { createWebSearchTool } from "../web_search/tool.ts";
import { tryProvider } from "../web_search/tryProvider.ts";

export interface WebToolsDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  clock: Clock;
  logger: Logger;
  /** For tests; absent: the real network. */
  fetch?: GuardedFetch;
  /** For tests on loopback servers; absent: public addresses only. No setting leads here. */
  addresses?: AddressPolicy;
  /** For tests; absent: the built worker beside the program, if it is there. */
  workerUrl?: URL | null;
  /** Reads PDF documents; absent: they are refused. */
  pdf?: PdfReader;
}

export interface WebTools {
  tools: ToolDefinition[];
  /** Which provider a search would go to; null: none, and web_search is absent. Fit for `hasWebSearchProvider`. */
  searchProviderOf(config: unknown): { id: string; label: string; isConfigured: boolean } | null;
  /** One small search, to see whether the key of this provider works. */
  tryProvider(id: string, signal: AbortSignal): Promise<{ label: string; results: number; tookMs: number }>;
  dispose(): Promise<void>;
}

export function createWebTools(deps: WebToolsDeps): WebTools {
  const { config, hardening, env, clock, logger } = deps;
  const keys = createApiKeys({ env, homeDir: deps.homeDir });
  const fetch = deps.fetch ?? createGuardedFetch({ resolve: systemResolver });
  const workerUrl = deps.workerUrl === undefined ? builtPageWorker(import.meta.url) : deps.workerUrl;
  const reader = createPageReader({ logger, workerUrl });
  const given = deps.addresses === undefined ? {} : { addresses: deps.addresses };
  const webFetch = createWebFetchTool({
    config,
    hardening,
    fetch,
    reader,
    keys,
    env,
    clock,
    logger,
    ...(deps.pdf === undefined ? {} : { pdf: deps.pdf }),
    ...given,
  });
  const searchDeps = { config, hardening, fetch, keys, env, clock, ...given };
  const webSearch = createWebSearchTool(searchDeps);
  return {
    tools: [webSearch, webFetch as unknown as ToolDefinition],
    searchProviderOf(saved) {
      const chosen = chooseProvider({ config: saved, keys, env, hardening: hardening() });
      if (chosen === null) return null;
      const { provider, isConfigured } = chosen;
      return { id: provider.id, label: provider.label, isConfigured };
    },
    tryProvider: (id, signal) => tryProvider(searchDeps, id, signal),
    dispose: () => reader.dispose(),
  };
}
