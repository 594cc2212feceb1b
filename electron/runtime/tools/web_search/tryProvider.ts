/** One small search with a given provider, to see whether its key works. */

import { AppError } from "../../../../shared/errors/index.ts";
import { strictAddresses } from "../../../../shared/web/index.ts";
import { setupOf } from "./chooseProvider.ts";
import { searchProviders } from "./providers/index.ts";
import { createService } from "./service.ts";
import type { WebSearchDeps } from "./tool.ts";

/** Short, and answered by every service. */
const query = "weather";

/**
 * @param id of a search provider, whether or not it is the one in use
 * @returns how many results came back, or that an answer did
 * @throws AppError that says what is wrong: no key, refused, too many requests, no network
 */
export async function tryProvider(
  deps: WebSearchDeps,
  id: string,
  signal: AbortSignal,
): Promise<{ label: string; results: number; tookMs: number }> {
  const provider = searchProviders.find((one) => one.id === id);
  if (provider === undefined) throw new AppError("NOT_FOUND", `There is no search provider ${id}.`);
  const config = deps.config();
  const setup = setupOf(provider, { ...deps, config, hardening: deps.hardening() });
  const key = provider.key === null ? "" : await deps.keys.resolve(config, provider.key);
  if (key === null)
    throw new AppError("UNAVAILABLE", `${provider.label} has no key yet. Save one, then test it.`);
  const startedMs = deps.clock.nowMs();
  const answer = await provider.search({
    args: { query, count: 1 },
    count: 1,
    setup,
    key,
    nowMs: startedMs,
    ...createService({
      fetch: deps.fetch,
      label: provider.label,
      key,
      timeoutMs: provider.timeoutMs,
      signal,
      addresses: deps.addresses ?? strictAddresses,
    }),
  });
  if (answer.kind === "refused") throw new AppError("TOOL_FAILED", answer.message);
  return {
    label: provider.label,
    results: answer.kind === "hits" ? answer.hits.length : 1,
    tookMs: deps.clock.nowMs() - startedMs,
  };
}
