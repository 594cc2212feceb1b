/** The memory tools with what they share: one service, one engine per agent. */

import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";
import { createApiKeys } from "../net/apiKeys.ts";
import { createGuardedFetch, type GuardedFetch } from "../net/guardedFetch.ts";
import { systemResolver } from "../net/hostResolver.ts";
import type { ToolDefinition } from "../tools/defineTool.ts";
import { createMemoryGetTool } from "../tools/memory_get/tool.ts";
import { createMemorySearchTool } from "../tools/memory_search/tool.ts";
import { createMemoryService, type MemoryService, type MemoryServiceDeps } from "./createMemoryService.ts";
import { builtMemoryWorker } from "./engineHost.ts";

export interface MemoryToolsDeps
  extends Pick<
    MemoryServiceDeps,
    "config" | "workspaceOf" | "isSandboxed" | "homeDir" | "stateDir" | "limits" | "onWorker"
  > {
  hardening(): Hardening;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  /** For tests; absent: the real network. */
  fetch?: GuardedFetch;
  /** For tests; absent: the built worker beside the program, if it is there. */
  workerUrl?: URL | null;
}

export interface MemoryTools {
  tools: ToolDefinition[];
  memory: MemoryService;
  dispose(): Promise<void>;
}

export function createMemoryTools(deps: MemoryToolsDeps): MemoryTools {
  const { env, clock, fetch, workerUrl, ...rest } = deps;
  const memory = createMemoryService({
    ...rest,
    keys: createApiKeys({ env, homeDir: deps.homeDir }),
    fetch: fetch ?? createGuardedFetch({ resolve: systemResolver }),
    nowMs: () => clock.nowMs(),
    workerUrl: workerUrl === undefined ? builtMemoryWorker(import.meta.url) : workerUrl,
  });
  const shared = { memory, hardening: deps.hardening };
  return {
    tools: [createMemorySearchTool(shared), createMemoryGetTool(shared)] as unknown as ToolDefinition[],
    memory,
    dispose: () => memory.dispose(),
  };
}
