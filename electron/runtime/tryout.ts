/** "Try it": one run of the scripted agent at a time, on an in-memory agent that leaves nothing behind. */

import { randomUUID } from "node:crypto";
import { AppError } from "../../shared/errors/index.ts";
import type { Approvals } from "./approvals/createApprovals.ts";
import type { EventHub } from "./events/eventHub.ts";
import { tryoutAgentId } from "./exec/execService.ts";
import type { ExecSessions } from "./exec/sessions/index.ts";
import type { Logger } from "./logging/logger.ts";
import type { Caller, TryoutRunner, TryoutSteps } from "./runtimeTypes.ts";

export interface TryoutDesk {
  attach(runner: TryoutRunner): void;
  /** @throws AppError UNAVAILABLE without a runner, INVALID_INPUT while one runs */
  start(): { runId: string };
  stop(): void;
  dispose(): void;
}

/** The session of every run; its processes are ended and its approvals cancelled when the run ends. */
const caller: Caller = {
  id: "tryout",
  label: "Try it",
  agentId: tryoutAgentId,
  sessionKey: `agent:${tryoutAgentId}:tryout`,
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
  overlay: "tryout",
};

export function createTryoutDesk(deps: {
  hub: EventHub;
  logger: Logger;
  approvals: Approvals;
  sessions: ExecSessions;
}): TryoutDesk {
  let runner: TryoutRunner | null = null;
  let running: { runId: string; controller: AbortController } | null = null;

  const cleanUp = async () => {
    const own = deps.sessions.snapshot().filter((session) => session.agentId === tryoutAgentId);
    await Promise.all(own.map((session) => deps.sessions.remove(session.sessionId)));
  };

  return {
    attach(given) {
      runner = given;
    },
    start() {
      if (runner === null)
        throw new AppError("UNAVAILABLE", "Try it needs the Gateway. Start Sallyport on a free port.");
      if (running !== null)
        throw new AppError("INVALID_INPUT", "Try it already runs. Answer what waits, or stop it.");
      const current = { runId: randomUUID(), controller: new AbortController() };
      running = current;
      let steps: TryoutSteps = [];
      const report = (isRunning: boolean) =>
        deps.hub.publish("tryout.changed", { runId: current.runId, steps, isRunning });
      runner(
        caller,
        (now) => {
          steps = now;
          report(true);
        },
        current.controller.signal,
      )
        .catch((error: unknown) => deps.logger.warn("tryout.failed", { error }))
        .then(cleanUp)
        .catch((error: unknown) => deps.logger.error("tryout.cleanUpFailed", { error }))
        .finally(() => {
          running = null;
          report(false);
        });
      return { runId: current.runId };
    },
    stop: () => running?.controller.abort(),
    dispose: () => running?.controller.abort(),
  };
}
