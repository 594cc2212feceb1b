/** Grants of our own: kept in sallyport.json5, or in memory when they end with the session; listed, used, revoked. */

import type { GrantView, Reason } from "../../../shared/contract/index.ts";
import type { ExecDecision, Grant } from "../../../shared/exec/index.ts";
import type { Clock } from "../clock.ts";
import type { SettingsStore } from "../config/index.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import type { Ledger } from "../storage/index.ts";
import { grantViews } from "./grantViews.ts";

export interface GrantsDeps {
  settings: SettingsStore;
  clock: Clock;
  logger: Logger;
  ledger: Ledger;
  /** Hygiene of one grant: program is gone, may never be granted. */
  findings(grant: Grant, lastUsedAtMs: number | null): Reason[];
}

export interface Grants {
  events: Emitter<{ changed: undefined }>;
  /** Everything that may count now; who, where and what is for the decision to compare. */
  inForce(): readonly Grant[];
  /**
   * @param grants of one answer, with a common `groupId`
   * @throws AppError UNAVAILABLE when sallyport.json5 is broken, INVALID_INPUT when it cannot hold them
   */
  create(grants: readonly Grant[], keptIn: GrantView["keptIn"]): Promise<void>;
  /**
   * Takes effect before the file is written: a grant that cannot be removed from disk still ends now.
   * @param by principal, for the ledger
   * @returns whether there was such a grant
   */
  revoke(groupId: string, by: string): Promise<boolean>;
  /** Ends every grant that is bound to one of these sessions. */
  endSessions(isEnded: (sessionKey: string) => boolean): Promise<void>;
  /** Counts the grants that let a command run without asking. */
  recordUse(decision: ExecDecision, command: string, toolCallId: string): void;
  list(): GrantView[];
  /** Waits for what is still being written. */
  dispose(): Promise<void>;
}

export interface GrantUse {
  count: number;
  lastUsedAtMs: number;
  lastUsedCommand: string;
}

/** Kind of the ledger entries that say which grant let a command run. */
export const grantUsedKind = "grant.used";
const usesReadBack = 500;
/** Timers count in 32 bits; a later end is looked at again then. */
const longestTimerMs = 2_000_000_000;

/** @see product.md A11, A12 */
export function createGrants(deps: GrantsDeps): Grants {
  const { settings, clock, logger, ledger } = deps;
  const events = createEmitter<{ changed: undefined }>({
    onListenerError: (event, error) => logger.error("grants.listenerFailed", { event, error }),
  });
  const inMemory = new Map<string, Grant>();
  /** Revoked in this run: they never count again, even if the file still holds them. */
  const revokedIds = new Set<string>();
  const uses = usesFrom(ledger);
  let cancelTimer = () => {};
  let pruning: Promise<void> = Promise.resolve();

  const all = (): Grant[] => [...inMemory.values(), ...settings.settings().approvals.grants];
  const isAlive = (grant: Grant) =>
    !revokedIds.has(grant.id) && (grant.expiresAtMs === undefined || clock.nowMs() < grant.expiresAtMs);
  const inForce = () => all().filter(isAlive);

  const removeFromFile = async (isGone: (grant: Grant) => boolean) => {
    if (!settings.settings().approvals.grants.some(isGone)) return;
    await settings.update((now) => [
      { op: "set", path: ["approvals", "grants"], value: now.approvals.grants.filter((one) => !isGone(one)) },
    ]);
  };
  const hasEnded = (grant: Grant) => grant.expiresAtMs !== undefined && clock.nowMs() >= grant.expiresAtMs;
  const prune = () => {
    for (const [id, grant] of inMemory) if (hasEnded(grant)) inMemory.delete(id);
    pruning = removeFromFile(hasEnded).catch((error: unknown) => {
      // An ended grant in the file does not count; it is only untidy until the file can be written.
      logger.warn("grants.notPruned", { error });
    });
  };

  const watchNextEnd = () => {
    cancelTimer();
    const ends = inForce().flatMap((grant) => (grant.expiresAtMs === undefined ? [] : [grant.expiresAtMs]));
    if (ends.length === 0) return;
    const waitMs = Math.min(Math.max(0, Math.min(...ends) - clock.nowMs()), longestTimerMs);
    cancelTimer = clock.after(waitMs, () => {
      prune();
      changed();
    });
  };
  const changed = () => {
    watchNextEnd();
    events.emit("changed", undefined);
  };
  const record = (kind: string, by: string, data: Record<string, unknown>) =>
    ledger.append({
      atMs: clock.nowMs(),
      kind,
      toolCallId: null,
      agentId: null,
      sessionKey: null,
      callerId: by,
      data,
    });
  const offSettings = settings.events.on("changed", changed);
  prune();
  watchNextEnd();

  const end = async (gone: readonly Grant[], by: string, why: string) => {
    for (const grant of gone) {
      revokedIds.add(grant.id);
      inMemory.delete(grant.id);
    }
    record("grant.revoked", by, { grants: gone, why });
    changed();
    const ids = new Set(gone.map((grant) => grant.id));
    await removeFromFile((grant) => ids.has(grant.id));
  };

  return {
    events,
    inForce,
    async create(grants, keptIn) {
      if (keptIn === "memory") for (const grant of grants) inMemory.set(grant.id, grant);
      else
        await settings.update((now) => [
          {
            op: "set",
            path: ["approvals", "grants"],
            value: [...now.approvals.grants.filter((one) => !hasEnded(one)), ...grants],
          },
        ]);
      record("grant.created", grants[0]?.createdBy ?? "", { grants, keptIn });
      changed();
    },
    async revoke(groupId, by) {
      const gone = inForce().filter((grant) => groupOf(grant) === groupId);
      if (gone.length === 0) return false;
      await end(gone, by, "revoked");
      return true;
    },
    async endSessions(isEnded) {
      const gone = inForce().filter((grant) => grant.sessionKey !== undefined && isEnded(grant.sessionKey));
      if (gone.length > 0) await end(gone, "system", "sessionEnded");
    },
    recordUse(decision, command, toolCallId) {
      const ids = new Set(
        decision.segments.flatMap(({ rule }) => (rule?.kind === "grant" ? [rule.grantId] : [])),
      );
      if (ids.size === 0) return;
      const atMs = clock.nowMs();
      const groups = new Set(all().flatMap((grant) => (ids.has(grant.id) ? [groupOf(grant)] : [])));
      for (const group of groups) {
        uses.set(group, {
          count: (uses.get(group)?.count ?? 0) + 1,
          lastUsedAtMs: atMs,
          lastUsedCommand: command,
        });
        record(grantUsedKind, "system", { grantId: group, command, toolCallId });
      }
      events.emit("changed", undefined);
    },
    list: () =>
      grantViews(inForce(), {
        uses,
        isInMemory: (id) => inMemory.has(id),
        findings: deps.findings,
      }),
    async dispose() {
      cancelTimer();
      offSettings();
      events.clear();
      await pruning;
    },
  };
}

export function groupOf(grant: Grant): string {
  return grant.groupId ?? grant.id;
}

/** When each grant was last used, as far as the ledger's newest entries tell; counts start anew. */
function usesFrom(ledger: Ledger): Map<string, GrantUse> {
  const uses = new Map<string, GrantUse>();
  for (const entry of ledger.listByKind(grantUsedKind, { limit: usesReadBack })) {
    const { grantId, command } = entry.data;
    if (typeof grantId !== "string" || typeof command !== "string" || uses.has(grantId)) continue;
    uses.set(grantId, { count: 0, lastUsedAtMs: entry.atMs, lastUsedCommand: command });
  }
  return uses;
}
