/** The notes of all agents: settings of the moment, one engine per agent, and what one agent's session may see. */

import path from "node:path";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { type MemorySettings, resolveMemorySettings } from "../../../shared/memory/index.ts";
import { getIn } from "../../../shared/policy/configRecord.ts";
import { normalizeAgentId } from "../../../shared/policy/index.ts";
import { sandboxSettingsOf } from "../exec/hosts/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { ApiKeys } from "../net/apiKeys.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { type ChosenEmbeddings, chooseEmbeddings } from "./chooseEmbeddings.ts";
import { createEngineHost, type EngineHost, type EngineHostDeps } from "./engineHost.ts";
import { type GottenNote, getNote } from "./getNote.ts";
import type { EmbeddingLimits, IndexSettings, IndexState, SearchAnswer } from "./memoryTypes.ts";

export interface MemoryServiceDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  keys: ApiKeys;
  homeDir: string;
  stateDir: string;
  /** Absolute. */
  workspaceOf(agentId: string): string;
  isSandboxed(agentId: string, sessionKey: string): boolean;
  logger: Logger;
  fetch: GuardedFetch;
  nowMs(): number;
  /** The built worker; null: engines run on this thread. */
  workerUrl: URL | null;
  onWorker?: EngineHostDeps["onWorker"];
  /** For tests; absent: the usual ones. */
  limits?: EmbeddingLimits & { waitMs?: number };
}

export interface SessionOf {
  agentId: string;
  sessionKey: string;
}

export interface MemorySearch {
  answer: SearchAnswer;
  settings: MemorySettings;
  embeddings: ChosenEmbeddings;
  restarts: number;
}

export interface MemoryService {
  settingsOf(agentId: string): MemorySettings;
  /** Why a session gets no notes; null: it gets them. */
  whyClosed(session: SessionOf): string | null;
  /** @throws AppError UNAVAILABLE; the signal's reason on cancel */
  search(
    query: { text: string; maxResults?: number | undefined; minScore?: number | undefined },
    session: SessionOf,
    signal: AbortSignal,
    onProgress: (state: IndexState) => void,
  ): Promise<MemorySearch>;
  get(notePath: string, session: SessionOf): Promise<GottenNote>;
  dispose(): Promise<void>;
}

/** Longest wait of one search for its index; most clients give up after a minute. */
const usualWaitMs = 30_000;
const maxSnippetChars = 700;

export function createMemoryService(deps: MemoryServiceDeps): MemoryService {
  const hosts = new Map<string, EngineHost>();
  /** Services that failed while indexing, by agent: their fallback counts until the settings change. */
  const failed = new Map<string, string>();
  const keyConfigs = new WeakMap<object, Map<string, object>>();

  const settingsOf = (agentId: string) => resolveMemorySettings(deps.config(), agentId);

  const hostOf = (agentId: string): EngineHost => {
    const before = hosts.get(agentId);
    if (before !== undefined) return before;
    const host = createEngineHost({
      logger: deps.logger.child({ agentId }),
      workerUrl: deps.workerUrl,
      fetch: deps.fetch,
      ...(deps.onWorker === undefined ? {} : { onWorker: deps.onWorker }),
    });
    hosts.set(agentId, host);
    return host;
  };

  /** The places where keys stand, as one object per config and agent: references are resolved once per object. */
  const keyConfigOf = (config: unknown, agentId: string, settings: MemorySettings): object => {
    const made = () => ({
      secrets: getIn(config, "secrets"),
      models: getIn(config, "models"),
      memorySearch: { remote: { apiKey: settings.remote.apiKey } },
    });
    if (typeof config !== "object" || config === null) return made();
    const kept = keyConfigs.get(config) ?? new Map<string, object>();
    keyConfigs.set(config, kept);
    const found = kept.get(agentId) ?? made();
    kept.set(agentId, found);
    return found;
  };

  const extraPathsOf = (agentId: string, settings: MemorySettings): string[] =>
    settings.extraPaths.map((extra) => {
      const home = extra === "~" || /^~[\\/]/.test(extra);
      return path.resolve(deps.workspaceOf(agentId), home ? path.join(deps.homeDir, extra.slice(1)) : extra);
    });

  /** OpenClaw keeps another kind of file at the configured place: ours stands beside it under its own name. */
  const indexPathOf = (agentId: string, settings: MemorySettings): string => {
    const safe = encodeURIComponent(agentId);
    if (settings.storePath === null) return path.join(deps.stateDir, "memory", `${safe}.sallyport.sqlite`);
    const home = /^~[\\/]/.test(settings.storePath);
    const written = home ? path.join(deps.homeDir, settings.storePath.slice(1)) : settings.storePath;
    const place = path.resolve(deps.stateDir, written.replaceAll("{agentId}", safe));
    const name = path.basename(place).replace(/\.(?:sqlite3?|db)$/i, "");
    const own = settings.storePath.includes("{agentId}") ? name : `${name}.${safe}`;
    return path.join(path.dirname(place), `${own}.sallyport.sqlite`);
  };

  /** Whether the session sees the workspace only, as a sandboxed one does. */
  const isHeld = ({ agentId, sessionKey }: SessionOf) =>
    deps.isSandboxed(agentId, sessionKey) && deps.hardening().has("memory.sandboxHasNone");

  const whyClosed = (session: SessionOf): string | null => {
    const { agentId } = session;
    if (!settingsOf(agentId).isEnabled)
      return "Memory is switched off for this agent (memorySearch.enabled).";
    if (!isHeld(session)) return null;
    const { workspaceAccess } = sandboxSettingsOf(deps.config(), normalizeAgentId(agentId));
    return workspaceAccess === "none"
      ? "This session runs in a sandbox without access to the workspace, and so to the notes in it (sandbox.workspaceAccess)."
      : null;
  };

  return {
    settingsOf,
    whyClosed,
    async search(query, session, signal, onProgress) {
      const { agentId } = session;
      const config = deps.config();
      const settings = settingsOf(agentId);
      const hardening = deps.hardening();
      const setupKey = JSON.stringify([settings.provider, settings.remote, settings.model]);
      const embeddings = await chooseEmbeddings({
        config,
        settings,
        keys: deps.keys,
        keyConfig: keyConfigOf(config, agentId, settings),
        skipsFirst: failed.get(agentId) === setupKey,
      });
      const indexSettings: IndexSettings = {
        agentId,
        indexPath: indexPathOf(agentId, settings),
        workspace: deps.workspaceOf(agentId),
        extraPaths: extraPathsOf(agentId, settings),
        chunkTokens: settings.chunkTokens,
        chunkOverlap: settings.chunkOverlap,
        watch: settings.sync.watch,
        watchDebounceMs: settings.sync.watchDebounceMs,
        intervalMinutes: settings.sync.intervalMinutes,
        embeddings: embeddings.setup,
        cache: settings.cache,
        hardening: [...hardening].filter((rule) => rule.startsWith("memory.")).sort(),
        ...(deps.limits === undefined ? {} : { limits: deps.limits }),
      };
      const { query: limits } = settings;
      const answered = await hostOf(agentId).call(
        {
          kind: "search",
          settings: indexSettings,
          request: {
            query: query.text,
            maxResults: query.maxResults ?? limits.maxResults,
            minScore: query.minScore ?? limits.minScore,
            vectorWeight: limits.isHybrid ? limits.vectorWeight : 1,
            textWeight: limits.isHybrid ? limits.textWeight : 0,
            candidateMultiplier: limits.candidateMultiplier,
            mmrLambda: limits.mmrLambda,
            halfLifeDays: limits.halfLifeDays,
            ownNotesOnly: isHeld(session),
            syncs: settings.sync.onSearch,
            waitMs: hardening.has("memory.waitForIndex") ? (deps.limits?.waitMs ?? usualWaitMs) : 0,
            maxSnippetChars,
            nowMs: deps.nowMs(),
          },
        },
        signal,
        onProgress,
      );
      const answer = answered.value as SearchAnswer;
      const mayFallBack = settings.fallback.kind === "named" && embeddings.fallbackFrom === null;
      if (mayFallBack && answer.index.embeddingProblem !== null) failed.set(agentId, setupKey);
      return { answer, settings, embeddings, restarts: answered.restarts };
    },
    get(notePath, session) {
      const settings = settingsOf(session.agentId);
      return getNote(notePath, {
        workspace: deps.workspaceOf(session.agentId),
        extraPaths: isHeld(session) ? [] : extraPathsOf(session.agentId, settings),
        homeDir: deps.homeDir,
        refusesHardLinks: deps.hardening().has("memory.refuseHardLinks"),
      });
    },
    async dispose() {
      await Promise.all([...hosts.values()].map((host) => host.dispose()));
    },
  };
}
