/** Whether a person can see a prompt now (A17): an open panel or a watching operator, and an unlocked screen. */

import type { ScreenLock } from "../runtimeTypes.ts";

export type Reachability =
  | { kind: "reachable" }
  | { kind: "unreachable"; why: "noPanel" | "screenLocked" }
  /** `gateway.waitForOperator: true`: the request waits for whoever comes. */
  | { kind: "waitsForOperator" };

export interface Presence {
  /** Counts a connection until it leaves; calling twice counts once. */
  attend(connectionId: string): void;
  leave(connectionId: string): void;
  reachability(): Reachability;
}

/** @param waitForOperator read at each question, because the setting may change while running */
export function createPresence(deps: { screenLock: ScreenLock; waitForOperator: () => boolean }): Presence {
  const attending = new Set<string>();
  return {
    attend: (connectionId) => void attending.add(connectionId),
    leave: (connectionId) => void attending.delete(connectionId),
    reachability() {
      if (deps.waitForOperator()) return { kind: "waitsForOperator" };
      if (attending.size === 0) return { kind: "unreachable", why: "noPanel" };
      if (deps.screenLock.isLocked()) return { kind: "unreachable", why: "screenLocked" };
      return { kind: "reachable" };
    },
  };
}
