/** Decides what the caller of exec gets: the end of the command, or a session that runs on. */

import { AppError } from "../../../../shared/errors/index.ts";
import type { Clock } from "../../clock.ts";
import { endedBy, endedResult, runningResult } from "./describe.ts";
import type { Session } from "./session.ts";
import type { ExecResult } from "./types.ts";
import type { WaitMode } from "./window.ts";

export interface WaitOptions {
  clock: Clock;
  wait: WaitMode;
  warnings: readonly string[];
  signal: AbortSignal | undefined;
}

/**
 * Waits for the end, for the yield time, or for an abort, which ends the command while it is in the foreground.
 * @returns "leftRunning" moved the session to the background; "ended" has nothing left to manage
 */
export async function waitForResult(
  session: Session,
  options: WaitOptions,
): Promise<{ kind: "ended" | "leftRunning"; result: ExecResult }> {
  const { signal, warnings, wait } = options;
  const onAbort = (): void => {
    if (session.placement() === "foreground") void session.stop("abort");
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    const first = await firstOf(session, wait, options.clock);
    const isRunning = session.outcome() === null;
    if (first === "yielded" && isRunning && session.state().kind !== "stopping") {
      session.toBackground();
      return { kind: "leftRunning", result: resultOfRunning(session, warnings) };
    }
    // A command that is being stopped is about to end: its caller gets the end, not a session.
    await session.ended;
    // And the end of a stopped command is the end of its tree, not only of its first process.
    if (isStopOutcome(session)) await session.stop("kill");
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
  const outcome = session.outcome();
  if (outcome === null) throw new AppError("INTERNAL", "A command was answered before it ended.");
  const result = endedResult({
    outcome,
    aggregated: session.output.aggregated(),
    totalChars: session.output.totalChars(),
    durationMs: session.info().runtimeMs,
    cwd: session.facts.cwd,
    warnings,
  });
  return { kind: "ended", result };
}

async function firstOf(session: Session, wait: WaitMode, clock: Clock): Promise<"ended" | "yielded"> {
  // Nothing was spawned: the end is one turn away and says more than "running".
  if (wait.kind === "untilEnd" || session.child?.pid === undefined) {
    await session.ended;
    return "ended";
  }
  if (wait.delayMs === 0) return "yielded";
  let cancel: () => void = () => {};
  const yielded = new Promise<"yielded">((resolve) => {
    cancel = clock.after(wait.delayMs, () => resolve("yielded"));
  });
  const first = await Promise.race([session.ended.then(() => "ended" as const), yielded]);
  cancel();
  return first;
}

function isStopOutcome(session: Session): boolean {
  const kind = session.outcome()?.kind;
  return kind === "timedOut" || kind === "aborted";
}

function resultOfRunning(session: Session, warnings: readonly string[]): ExecResult {
  const state = session.state();
  return runningResult({
    sessionId: session.facts.sessionId,
    pid: session.info().pid,
    startedAtMs: session.facts.startedAtMs,
    cwd: session.facts.cwd,
    tail: session.output.tail(),
    outputHeldBy: state.kind === "outputHeld" ? endedBy(state.exit) : null,
    warnings,
  });
}
