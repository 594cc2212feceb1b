/** The gateway tool with what it stands on: the restart of this program, and the note that one leaves for the next. */

import type { AppStatus } from "../../../../shared/contract/index.ts";
import { getIn } from "../../../../shared/policy/configRecord.ts";
import { isFinal } from "../../calls/callState.ts";
import type { Calls } from "../../calls/createCalls.ts";
import type { Clock } from "../../clock.ts";
import { portOf } from "../../gatewaySettings.ts";
import type { Logger } from "../../logging/logger.ts";
import {
  createRestartDesk,
  leaveRestartNote,
  type RestartDesk,
  type RestartHost,
  restartLimits,
  takeRestartNote,
} from "../../restart/index.ts";
import type { ToolDefinition } from "../defineTool.ts";
import { createGatewayTool, type GatewayToolDeps } from "./tool.ts";

export interface GatewayPartsDeps extends Omit<GatewayToolDeps, "restarts" | "facts" | "port"> {
  restartHost: RestartHost | null;
  restartNotePath: string;
  env: Record<string, string>;
  clock: Clock;
  logger: Logger;
  /** Both are made after the tools; asked when a call comes. */
  status(): AppStatus;
  calls(): Pick<Calls, "list">;
}

export interface GatewayParts {
  tool: ToolDefinition;
  /** Puts the restart that this program comes from on record; once the ledger is there. */
  reportRestart(): Promise<void>;
  dispose(): void;
}

/** More than are ever open at a time. */
const allCalls = 100_000;

export function createGatewayParts(deps: GatewayPartsDeps): GatewayParts {
  const { restartHost, clock, logger, restartNotePath } = deps;
  const openCalls = () =>
    deps
      .calls()
      .list(allCalls)
      .filter((call) => !isFinal(call.state)).length;
  const config = () => deps.config.effective().config;
  const restarts: RestartDesk | null =
    restartHost === null
      ? null
      : createRestartDesk({
          host: restartHost,
          clock,
          logger,
          pid: process.pid,
          isIdle: () => openCalls() === 0,
          deferralTimeoutMs: () => {
            const timeoutMs = getIn(config(), "gateway", "reload", "deferralTimeoutMs");
            return typeof timeoutMs === "number" && timeoutMs >= 0
              ? timeoutMs
              : restartLimits.deferralTimeoutMs;
          },
          leaveNote: (requests) =>
            leaveRestartNote(restartNotePath, requests, { atMs: clock.nowMs(), pid: process.pid }),
        });
  const tool = createGatewayTool({
    ...deps,
    restarts,
    facts: () => {
      const { runningProcesses, runningBrowsers } = deps.status();
      return { processes: runningProcesses, browsers: runningBrowsers, openCalls: openCalls() };
    },
    port: () => {
      const { gateway } = deps.status();
      return gateway.kind === "listening" ? gateway.port : portOf(deps.env, config());
    },
  });
  return {
    tool,
    async reportRestart() {
      try {
        const found = await takeRestartNote(restartNotePath);
        if (found.kind === "none") return;
        if (found.kind === "unreadable") logger.warn("restart.noteUnreadable", { path: restartNotePath });
        const data = found.kind === "note" ? { ...found.note } : { unreadable: true };
        deps.record("app.restarted", "system", data);
      } catch (error) {
        // The note is for the record only: without it the program runs all the same.
        logger.warn("restart.noteNotRead", { path: restartNotePath, error });
      }
    },
    dispose: () => restarts?.dispose(),
  };
}
