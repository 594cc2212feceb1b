/** Restarts on request: a delay, a pause between restarts, one at a time, and only when nothing is being done. */

import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";

/** What can rebuild runtime and Gateway within the same process: a composition root. */
export interface RestartHost {
  /** Ends this runtime and makes a new one in its place. Returns at once. */
  restart(): void;
  /** When it last did that; null: not since the program started. */
  lastRestartAtMs(): number | null;
}

export interface RestartRequest {
  /** As asked for; undefined: the usual delay. Cut to 0…60000. */
  delayMs: number | undefined;
  reason: string | undefined;
  /** Who asked, and what the restarted program records. */
  by: string;
  sessionKey: string;
  note: string | undefined;
}

/** @see gateway-sessions-nodes.md §8 */
export interface RestartAnswer {
  ok: true;
  pid: number;
  signal: "SIGUSR1";
  /** Milliseconds until it, with the pause that had to be added. */
  delayMs: number;
  reason?: string;
  /** `emit`: within this process. No signal is sent. */
  mode: "emit";
  /** Another restart was planned already, earlier than this one; it stays. */
  coalesced: boolean;
  cooldownMsApplied: number;
}

export interface RestartDesk {
  request(request: RestartRequest): RestartAnswer;
  /** Cancels what is planned; may be called twice. */
  dispose(): void;
}

export interface RestartDeskDeps {
  host: RestartHost;
  clock: Clock;
  logger: Logger;
  pid: number;
  /** Whether no call is being worked on. */
  isIdle(): boolean;
  /** Longest wait for that, from `gateway.reload.deferralTimeoutMs`. */
  deferralTimeoutMs(): number;
  /** Keeps what the restarted program shall know; a failure does not stop the restart. */
  leaveNote(requests: readonly RestartRequest[]): Promise<void>;
}

export const restartLimits = {
  delayMs: 2000,
  maxDelayMs: 60_000,
  cooldownMs: 30_000,
  pollMs: 500,
  deferralTimeoutMs: 300_000,
  /** Requests that are remembered for one restart. */
  maxRequests: 20,
} as const;

type State =
  | { kind: "none" }
  /** The delay runs. */
  | { kind: "planned"; dueAtMs: number; reason: string | undefined; cancel: () => void }
  /** The delay is over; something is still being done. */
  | { kind: "waiting"; untilMs: number; reason: string | undefined; cancel: () => void }
  | { kind: "restarting"; reason: string | undefined };

export function createRestartDesk(deps: RestartDeskDeps): RestartDesk {
  const { clock, host, logger } = deps;
  let state: State = { kind: "none" };
  let requests: RestartRequest[] = [];

  const restart = async (reason: string | undefined): Promise<void> => {
    state = { kind: "restarting", reason };
    await deps.leaveNote(requests).catch((error: unknown) => logger.warn("restart.noteNotKept", { error }));
    logger.info("restart.starting", { reason });
    host.restart();
  };

  const waitForIdle = (untilMs: number, reason: string | undefined) => {
    const isOver = clock.nowMs() >= untilMs;
    if (isOver || deps.isIdle()) {
      if (isOver) logger.warn("restart.notIdle", { waitedMs: deps.deferralTimeoutMs() });
      restart(reason).catch((error: unknown) => {
        state = { kind: "none" };
        logger.error("restart.failed", { error });
      });
      return;
    }
    const cancel = clock.after(restartLimits.pollMs, () => waitForIdle(untilMs, reason));
    state = { kind: "waiting", untilMs, reason, cancel };
  };

  const plan = (dueAtMs: number, reason: string | undefined) => {
    const cancel = clock.after(dueAtMs - clock.nowMs(), () =>
      waitForIdle(clock.nowMs() + deps.deferralTimeoutMs(), reason),
    );
    state = { kind: "planned", dueAtMs, reason, cancel };
  };

  const answer = (
    delayMs: number,
    reason: string | undefined,
    coalesced: boolean,
    cooldownMsApplied: number,
  ): RestartAnswer => ({
    ok: true,
    pid: deps.pid,
    signal: "SIGUSR1",
    delayMs,
    ...(reason === undefined ? {} : { reason }),
    mode: "emit",
    coalesced,
    cooldownMsApplied,
  });

  return {
    request(request) {
      const nowMs = clock.nowMs();
      const lastMs = host.lastRestartAtMs();
      const cooldownMs = lastMs === null ? 0 : Math.max(0, lastMs + restartLimits.cooldownMs - nowMs);
      const dueAtMs = nowMs + clampDelay(request.delayMs) + cooldownMs;
      requests = [...requests, request].slice(-restartLimits.maxRequests);
      if (state.kind === "planned" && dueAtMs < state.dueAtMs) state.cancel();
      else if (state.kind !== "none") {
        const leftMs = state.kind === "planned" ? state.dueAtMs - nowMs : 0;
        return answer(leftMs, state.reason, true, cooldownMs);
      }
      const reason = request.reason ?? (state.kind === "none" ? undefined : state.reason);
      plan(dueAtMs, reason);
      return answer(dueAtMs - nowMs, reason, false, cooldownMs);
    },
    dispose() {
      if (state.kind === "planned" || state.kind === "waiting") state.cancel();
      state = { kind: "none" };
    },
  };
}

/** @returns whole milliseconds within the limits; what is no number is the usual delay */
export function clampDelay(delayMs: number | undefined): number {
  if (delayMs === undefined || !Number.isFinite(delayMs)) return restartLimits.delayMs;
  return Math.min(Math.max(Math.trunc(delayMs), 0), restartLimits.maxDelayMs);
}
