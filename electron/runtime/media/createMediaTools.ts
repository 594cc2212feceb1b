/** The media tools with what they share: sources, codec, PDF reader, keys, one way to the network. */

import { join } from "node:path";
import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { resolveFileLimits } from "../../../shared/policy/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import { type AddressPolicy, strictAddresses } from "../../../shared/web/index.ts";
import type { Clock } from "../clock.ts";
import { sandboxViewOf } from "../exec/hosts/sandboxView.ts";
import { createMediaHandlers, type KeptCalls, type MediaMethods } from "../handlers/mediaHandlers.ts";
import type { Logger } from "../logging/logger.ts";
import { createApiKeys } from "../net/apiKeys.ts";
import { createGuardedFetch, type GuardedFetch } from "../net/guardedFetch.ts";
import { systemResolver } from "../net/hostResolver.ts";
import { createCodeExecutionTool } from "../tools/code_execution/tool.ts";
import type { ToolDefinition } from "../tools/defineTool.ts";
import { createProtectedPaths } from "../tools/files/protectedPaths.ts";
import { createImageTool } from "../tools/image/tool.ts";
import { createImageGenerateTool } from "../tools/image_generate/tool.ts";
import { createPdfTool } from "../tools/pdf/tool.ts";
import { createXSearchTool } from "../tools/x_search/tool.ts";
import { codeExecutionKey, xSearchKey } from "../tools/xai/xaiSettings.ts";
import { hasModelFor, type MediaDeps } from "./mediaDeps.ts";
import { builtPdfWorker, createPdfReader, type PdfReader } from "./pdf/pdfReader.ts";
import { createSources } from "./sources.ts";

export interface MediaToolsDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  stateDir: string;
  workspaceOf(agentId: string): string;
  agentIds(): string[];
  isSandboxed(agentId: string, sessionKey: string): boolean;
  clock: Clock;
  logger: Logger;
  /** Whose files the panel may look at; absent: none is shown. */
  calls?(): KeptCalls;
  /** For tests; absent: the real network. */
  fetch?: GuardedFetch;
  /** For tests on loopback servers; absent: public addresses only. No setting leads here. */
  addresses?: AddressPolicy;
  /** For tests; absent: the built worker beside the program, if it is there. */
  pdfWorkerUrl?: URL | null;
}

/** Which of the tools have what they need, as facts for the pipeline's availability rules. */
export interface MediaFacts {
  hasImageModel: boolean;
  hasPdfModel: boolean;
  hasImageGenerationModel: boolean;
  hasXaiKey: boolean;
  hasXSearchKey: boolean;
}

export interface MediaTools {
  tools: ToolDefinition[];
  /** Cheap: looks at names of models and keys, resolves nothing. */
  factsOf(config: unknown): MediaFacts;
  /** For web_fetch. */
  pdf: PdfReader;
  handlers: Pick<Handlers<SallyportContract>, MediaMethods>;
}

const noCalls: KeptCalls = { get: () => undefined, snapshot: () => undefined };

export function createMediaTools(deps: MediaToolsDeps): MediaTools {
  const keys = createApiKeys({ env: deps.env, homeDir: deps.homeDir });
  const fetch = deps.fetch ?? createGuardedFetch({ resolve: systemResolver });
  const addresses = deps.addresses ?? strictAddresses;
  const workerUrl = deps.pdfWorkerUrl === undefined ? builtPdfWorker(import.meta.url) : deps.pdfWorkerUrl;
  const pdf = createPdfReader({ logger: deps.logger, workerUrl });
  const sources = createSources({
    workspaceOf: deps.workspaceOf,
    isWorkspaceOnly: (agentId) => resolveFileLimits(deps.config(), agentId).workspaceOnly,
    sandboxOf: (agentId, sessionKey) =>
      deps.isSandboxed(agentId, sessionKey)
        ? sandboxViewOf(deps.config(), { agentId, sessionKey }, deps)
        : Promise.resolve(null),
    homeDir: deps.homeDir,
    stateDir: deps.stateDir,
    protectedPaths: createProtectedPaths({
      stateDirs: [deps.stateDir, join(deps.homeDir, ".openclaw")],
      workspaces: () => deps.agentIds().map((agentId) => deps.workspaceOf(agentId)),
    }),
    fetch,
    addresses,
  });
  const media: MediaDeps = {
    config: deps.config,
    hardening: deps.hardening,
    keys,
    fetch,
    sources,
    pdf,
    clock: deps.clock,
    stateDir: deps.stateDir,
    addresses,
  };
  const tools = [
    createImageTool(media),
    createImageGenerateTool(media),
    createPdfTool(media),
    createCodeExecutionTool(media),
    createXSearchTool(media),
  ] as unknown as ToolDefinition[];
  return {
    tools,
    pdf,
    handlers: createMediaHandlers({
      calls: deps.calls ?? (() => noCalls),
      sources,
      pdf,
      hardening: deps.hardening,
    }),
    factsOf(config) {
      const hardening = deps.hardening();
      return {
        hasImageModel: hasModelFor("image", config, keys, hardening),
        hasPdfModel: hasModelFor("pdf", config, keys, hardening),
        hasImageGenerationModel: hasModelFor("image_generate", config, keys, hardening),
        hasXaiKey: keys.find(config, codeExecutionKey).kind === "found",
        hasXSearchKey: keys.find(config, xSearchKey).kind === "found",
      };
    },
  };
}
