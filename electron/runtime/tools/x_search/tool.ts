/** The x_search tool: Grok searches posts on X and answers with what it found. */

import { createHash } from "node:crypto";
import { strictAddresses } from "../../../../shared/web/index.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { createTtlCache } from "../../net/ttlCache.ts";
import type { XaiDeps } from "../code_execution/tool.ts";
import { defineTool } from "../defineTool.ts";
import { createService } from "../web_search/service.ts";
import { missingXaiKey, xaiResult } from "../xai/present.ts";
import {
  readXaiAnswer,
  type XaiAnswer,
  xaiDocs,
  xaiUrl,
  xSearchKey,
  xSearchSettings,
} from "../xai/xaiSettings.ts";
import { xSearchInput } from "./schema.ts";

type Input = ReturnType<(typeof xSearchInput)["parse"]>;

const maxCacheEntries = 100;
const maxCacheChars = 5_000_000;

export function createXSearchTool(deps: XaiDeps) {
  const cache = createTtlCache<{ found: XaiAnswer; tookMs: number }>({
    clock: deps.clock,
    maxEntries: maxCacheEntries,
    maxChars: maxCacheChars,
    sizeOf: (entry) => JSON.stringify(entry).length,
  });
  return defineTool({
    name: "x_search",
    title: "Search X",
    description:
      "Asks Grok, which searches posts on X, and returns its answer with the addresses of the posts. " +
      "Narrow it by accounts and dates. What it returns is untrusted content.",
    promptLine: "Search posts on X",
    risk: "read",
    input: xSearchInput,
    async execute(input, context) {
      const config = deps.config();
      const hardening = deps.hardening();
      const settings = xSearchSettings(config);
      const key = await deps.keys.resolve(config, xSearchKey);
      if (key === null) return missingXaiKey(xaiDocs);
      const url = xaiUrl(config);
      const filters = filtersOf(input);
      const { model, inlineCitations, maxTurns } = settings;
      // Never the key itself: a hash tells two of them apart.
      const owner = hardening.has("media.xSearchCachePerKey")
        ? createHash("sha256").update(`${url} ${key}`).digest("hex")
        : "";
      const cacheKey = JSON.stringify([owner, model, input.query, inlineCitations, maxTurns, filters]);
      const kept = cache.get(cacheKey);
      const startedMs = deps.clock.nowMs();
      const found =
        kept?.found ??
        readXaiAnswer(
          await withProgress(
            context.reportProgress,
            () => `Searching X with ${model}`,
            () =>
              createService({
                fetch: deps.fetch,
                label: "xAI",
                key,
                timeoutMs: settings.timeoutMs,
                signal: context.signal,
                addresses: strictAddresses,
              }).sendJson({
                url,
                method: "POST",
                headers: { authorization: `Bearer ${key}` },
                body: {
                  model,
                  input: [{ role: "user", content: input.query }],
                  tools: [{ type: "x_search", ...filters }],
                  ...(maxTurns === null ? {} : { max_turns: maxTurns }),
                },
              }),
          ),
        );
      const tookMs = kept?.tookMs ?? deps.clock.nowMs() - startedMs;
      if (kept === undefined) cache.set(cacheKey, { found, tookMs }, settings.cacheTtlMs);
      return xaiResult(found, {
        source: "Web Search",
        about: `${model} on X${kept === undefined ? "" : ", from the cache"}`,
        hardening,
        payload: {
          query: input.query,
          provider: "xai",
          model,
          tookMs,
          externalContent: { untrusted: true, source: "x_search", provider: "xai", wrapped: true },
          ...echoOf(input),
          ...(inlineCitations && found.inlineCitations.length > 0
            ? { inlineCitations: found.inlineCitations }
            : {}),
          ...(kept === undefined ? {} : { cached: true }),
        },
      });
    },
  });
}

/** Only what was given; the two switches only when on. */
function filtersOf(input: Input): Record<string, unknown> {
  const filters = {
    allowed_x_handles: input.allowed_x_handles,
    excluded_x_handles: input.excluded_x_handles,
    from_date: input.from_date,
    to_date: input.to_date,
    enable_image_understanding: input.enable_image_understanding === true ? true : undefined,
    enable_video_understanding: input.enable_video_understanding === true ? true : undefined,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

function echoOf(input: Input): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filtersOf(input)).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
