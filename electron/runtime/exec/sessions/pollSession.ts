/** One poll of a session: wait, take the new output, say when to come back. */

import type { Clock } from "../../clock.ts";
import { endedBy } from "./describe.ts";
import type { PollAnswer } from "./execSessions.ts";
import type { Session } from "./session.ts";

const maxPollMs = 120_000;
const emptyPollDelaysMs = [5000, 10_000, 30_000, 60_000];

/**
 * Waits (at most two minutes) only while the session runs, and takes what is new.
 * @throws the signal's reason when it aborts meanwhile: nothing is taken then, so that the next poll still gets it
 */
export async function pollSession(
  session: Session,
  clock: Clock,
  options: { timeoutMs?: number; signal?: AbortSignal },
): Promise<PollAnswer> {
  const before = session.outcome();
  const { output } = session;
  if (before !== null) {
    const { stdout, stderr } = output.drainPending();
    const hasUnread = stdout.length + stderr.length > output.tail().length;
    return {
      kind: "endedBefore",
      session: session.info(),
      aggregated: output.aggregated(),
      endedBy: endedBy(before),
      hasUnread,
    };
  }
  const waitMs = Math.min(Math.max(options.timeoutMs ?? 0, 0), maxPollMs);
  if (waitMs > 0) await waitForEnd(session, clock, waitMs, options.signal);
  options.signal?.throwIfAborted();
  const outcome = session.outcome();
  const { stdout, stderr } = output.drainPending();
  if (outcome !== null) {
    if (outcome.kind === "exited" && outcome.exitCode !== 0) session.markFailed();
    return {
      kind: "ended",
      session: session.info(),
      stdout,
      stderr,
      aggregated: output.aggregated(),
      endedBy: endedBy(outcome),
    };
  }
  const isEmpty = stdout === "" && stderr === "";
  const retryInMs = isEmpty
    ? (emptyPollDelaysMs[Math.min(session.emptyPolls, emptyPollDelaysMs.length - 1)] ?? 60_000)
    : 5000;
  session.emptyPolls = isEmpty ? session.emptyPolls + 1 : 0;
  return {
    kind: "running",
    session: session.info(),
    stdout,
    stderr,
    aggregated: output.aggregated(),
    retryInMs,
  };
}

async function waitForEnd(
  session: Session,
  clock: Clock,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let cancelTimer: () => void = () => {};
  let onAbort: () => void = () => {};
  await Promise.race([
    session.ended,
    new Promise<void>((resolve) => {
      cancelTimer = clock.after(waitMs, resolve);
      onAbort = resolve;
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted === true) resolve();
    }),
  ]);
  cancelTimer();
  signal?.removeEventListener("abort", onAbort);
}
