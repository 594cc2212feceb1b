/** Bounds on what one caller can make this process keep: unread input, running commands, outputs of ended ones. */

import { AppError } from "../../../../shared/errors/index.ts";
import type { Session } from "./session.ts";
import type { WriteAnswer } from "./types.ts";

/** Input that a program has not read is kept in memory until it does. */
export const maxUnreadInputBytes = 1024 * 1024;

export const notRead: WriteAnswer = {
  ok: false,
  reason: "the program has not read what was sent before; wait until it does",
};

const maxRunning = 256;
const maxEnded = 200;
const maxEndedChars = 16_000_000;

/** @throws AppError UNAVAILABLE when this scope has too many commands running */
export function assertRoom(sessions: Iterable<Session>, scopeKey: string): void {
  let running = 0;
  for (const session of sessions)
    if (session.facts.scopeKey === scopeKey && session.outcome() === null) running += 1;
  if (running >= maxRunning)
    throw new AppError(
      "UNAVAILABLE",
      `${running} commands of this session are running, and no more than ${maxRunning} may. End some with the process tool. Nothing was started.`,
    );
}

/** @returns ended sessions of this scope that are too many or hold too much output, the oldest of it */
export function endedTooMany(sessions: Iterable<Session>, scopeKey: string): Session[] {
  const ended = [...sessions].flatMap((session) => {
    const state = session.state();
    return session.facts.scopeKey === scopeKey && state.kind === "ended"
      ? [{ session, endedAtMs: state.endedAtMs }]
      : [];
  });
  ended.sort((a, b) => b.endedAtMs - a.endedAtMs);
  let chars = 0;
  return ended.flatMap(({ session }, index) => {
    chars += session.output.heldChars();
    return index >= maxEnded || (index > 0 && chars > maxEndedChars) ? [session] : [];
  });
}
