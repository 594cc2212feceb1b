/** Commands, files and status: the tools that stand on the runtime's own parts. Other families have factories of their own. */

import { join } from "node:path";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { getIn } from "../../../shared/policy/configRecord.ts";
import { resolveFileLimits } from "../../../shared/policy/index.ts";
import type { Approvals } from "../approvals/createApprovals.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore } from "../config/index.ts";
import type { ExecService } from "../exec/execService.ts";
import { sandboxViewOf } from "../exec/hosts/sandboxView.ts";
import type { Places } from "../exec/places.ts";
import type { ExecSessions } from "../exec/sessions/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { BroadMode } from "../mode/broadMode.ts";
import type { Caller } from "../runtimeTypes.ts";
import { createAgentsListTool } from "./agents_list/tool.ts";
import type { ToolDefinition } from "./defineTool.ts";
import { createExecTool } from "./exec/tool.ts";
import { createFileTools } from "./files/createFileTools.ts";
import { createProtectedPaths } from "./files/protectedPaths.ts";
import { createProcessTool } from "./process/tool.ts";
import { createSessionStatusTool } from "./session_status/tool.ts";

export interface BuiltInToolsDeps {
  exec: ExecService;
  sessions: ExecSessions;
  approvals: Approvals;
  places: Places;
  broadMode: BroadMode;
  config: ConfigStore;
  clock: Clock;
  logger: Logger;
  homeDir: string;
  stateDir: string;
  hardening(): Hardening;
  agentIds(): string[];
  isSandboxed(agentId: string, sessionKey: string): boolean;
  /** A client of the registry, as mapped now. */
  callerById(callerId: string): Caller | undefined;
  toolNames(caller: Caller): string[];
}

export function createBuiltInTools(deps: BuiltInToolsDeps): ToolDefinition[] {
  const { exec, sessions, approvals, places, config } = deps;
  const { stateDir, homeDir } = deps;
  const sandboxFolderDeps = { stateDir, homeDir, workspaceOf: places.workspaceOf };
  const fileLimits = (agentId: string) => resolveFileLimits(config.effective().config, agentId);
  return [
    createExecTool({ exec }),
    createProcessTool({ sessions }),
    createSessionStatusTool({
      clock: deps.clock,
      factsOf: ({ callerId, sessionKey, agentId, senderIsOwner }) => {
        const caller =
          deps.callerById(callerId) ?? callerWithoutClient(callerId, agentId, sessionKey, senderIsOwner);
        const mode = deps.broadMode.current();
        const isOwnRunning = (session: { agentId: string; state: { kind: string } }) =>
          session.agentId === agentId && session.state.kind !== "ended";
        return {
          provider: caller.provider,
          model: caller.model,
          tools: deps.toolNames(caller),
          security: mode.security,
          ask: mode.ask,
          pendingApprovals: approvals.pending().filter((request) => request.sessionKey === sessionKey).length,
          runningProcesses: sessions.snapshot().filter(isOwnRunning).length,
        };
      },
    }),
    createAgentsListTool({ config: () => config.effective().config }),
    ...createFileTools({
      workspaceOf: places.workspaceOf,
      isWorkspaceOnly: (agentId) => fileLimits(agentId).workspaceOnly,
      isPatchWorkspaceOnly: (agentId) => fileLimits(agentId).patchWorkspaceOnly,
      sandboxOf: (agentId, sessionKey) =>
        deps.isSandboxed(agentId, sessionKey)
          ? sandboxViewOf(config.effective().config, { agentId, sessionKey }, sandboxFolderDeps)
          : Promise.resolve(null),
      homeDir: deps.homeDir,
      protectedPaths: createProtectedPaths({
        stateDirs: [deps.stateDir, join(deps.homeDir, ".openclaw")],
        workspaces: () => deps.agentIds().map((agentId) => places.workspaceOf(agentId)),
      }),
      approvals,
      hardening: deps.hardening,
      maxPictureSide: () => {
        const side = getIn(config.effective().config, "agents", "defaults", "imageMaxDimensionPx");
        return typeof side === "number" && side >= 1 ? Math.trunc(side) : undefined;
      },
      logger: deps.logger,
    }),
  ];
}

/** A person at the panel or the terminal, or a program over HTTP, in the session that the call named. */
function callerWithoutClient(id: string, agentId: string, sessionKey: string, isOwner: boolean): Caller {
  const surface = id === "http" ? "http" : "panel";
  const caller: Caller = {
    id,
    label: id,
    agentId,
    sessionKey,
    isOwner,
    provider: null,
    model: null,
    surface,
  };
  return id === "tryout" ? { ...caller, overlay: "tryout" } : caller;
}
