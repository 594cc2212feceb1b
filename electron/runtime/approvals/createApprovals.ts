/** The queue of requests that wait for a person: arrival, joining, decision, expiry, cancellation. */

import { randomUUID } from "node:crypto";
import type {
  ApprovalDecision,
  ApprovalOutcome,
  ApprovalRequest,
  EditPreview,
  GrantLifetime,
  GrantPreview,
  Provenance,
  Reason,
  RulePreview,
} from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Principal } from "../../../shared/rpc/index.ts";
import type { Clock } from "../clock.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import {
  type Answerable,
  allow,
  deskOf,
  editDeskOf,
  editedRequest,
  noLongerWaits,
  type SettleExtra,
} from "./answer.ts";
import type { ApprovalDesk, EditedRun } from "./approvalDesk.ts";
import { canonicalJson, digestOf } from "./digest.ts";
import type { Presence } from "./presence.ts";
import { previewRule } from "./previewRule.ts";

/** Everything of a request that the asking tool knows; id, times and digest are added here. */
export type ApprovalDraft = Omit<
  ApprovalRequest,
  "id" | "digest" | "createdAtMs" | "expiresAtMs" | "joinedCount"
> & {
  lifetimeMs: number;
  /** Stands for values that the prompt masks: requests that differ only there must not join. */
  hiddenValues?: unknown;
  /**
   * Stores what "always" offers and proves that the same command would not ask again.
   * A throw leaves the request waiting, and the person sees why.
   * @param by principal that said so
   */
  storeAlways: (by: string) => Promise<{ pattern: string; agentId: string }[]>;
  /** Grants and editing; absent for requests that know neither. */
  desk?: ApprovalDesk;
};

export type ApprovalAnswer = Pick<ApprovalDecision, "outcome" | "by" | "note" | "stored"> & {
  approvalId: string;
  /** Run this instead of what was asked for (A14); both gates have passed it. */
  edited?: EditedRun;
};

export interface ResolveInput {
  id: string;
  decision: "allow-once" | "allow-always" | "deny";
  /** Of the request, or of the preview when the command was edited. */
  digest?: string | undefined;
  note?: string | undefined;
  grant?: { scopeId: string; lifetime: GrantLifetime } | undefined;
  editedCommand?: string | undefined;
}

export interface ApprovalEvents {
  changed: undefined;
  requested: ApprovalRequest;
  decided: { decision: ApprovalDecision; request: ApprovalRequest };
}

export interface Approvals {
  events: Emitter<ApprovalEvents>;
  /**
   * Waits for a decision. An identical request of the same session joins the waiting one (A22).
   * @param signal ends this waiter only; the last waiter that leaves cancels the request
   * @param onWaiting is told the id as soon as the request waits
   */
  request(
    draft: ApprovalDraft,
    signal: AbortSignal,
    onWaiting: (approvalId: string) => void,
  ): Promise<ApprovalAnswer>;
  /** @throws AppError NOT_FOUND, FORBIDDEN (allow without digest or from a wrong surface), INVALID_INPUT (stale digest) */
  resolve(input: ResolveInput, principal: Principal): Promise<ApprovalDecision>;
  /** @throws AppError NOT_FOUND for a request that no longer waits or a scope that it does not offer */
  previewGrant(input: { id: string; scopeId: string; lifetime: GrantLifetime }): Promise<GrantPreview>;
  /** Which waiting requests that grant would let through. @throws AppError NOT_FOUND as `previewGrant` */
  previewRule(input: { id: string; scopeId: string; lifetime: GrantLifetime }): Promise<RulePreview>;
  /** Shows what an edited command would be; nothing runs. @throws AppError NOT_FOUND, INVALID_INPUT */
  explainEdit(input: { id: string; command: string }): Promise<EditPreview>;
  /** @throws AppError NOT_FOUND for a request that no longer waits */
  waiting(id: string): ApprovalRequest;
  pending(): ApprovalRequest[];
  /** Newest first. */
  recent(): ApprovalDecision[];
  /** Cancels everything that waits: nothing runs after a shutdown (A20). */
  dispose(): void;
}

export interface ApprovalsDeps {
  clock: Clock;
  logger: Logger;
  presence: Presence;
  /** Decisions of earlier runs, newest first. */
  earlier: ApprovalDecision[];
  /** Why requests of this agent are denied at once; null or absent: they are not. */
  pauseOf?(agentId: string): Reason | null;
}

interface Entry extends Answerable {
  joinKey: string;
  waiters: Set<(answer: ApprovalAnswer) => void>;
  cancelTimer: () => void;
  /** A decision is being carried out (a rule is being stored): a second click must not start another. */
  phase: "waiting" | "deciding";
}

const keptDecisions = 20;
/** What a paused agent may not even ask for. */
const heldKinds: ReadonlySet<ApprovalRequest["kind"]> = new Set([
  "exec",
  "fileWrite",
  "configWrite",
  "restart",
  "mcpCall",
]);

/** @see product.md A6, A8, A10, A17, A20, A22 */
export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { clock, logger, presence } = deps;
  const events = createEmitter<ApprovalEvents>({
    onListenerError: (event, error) => logger.error("approvals.listenerFailed", { event, error }),
  });
  const entries = new Map<string, Entry>();
  let recent = deps.earlier.slice(0, keptDecisions);
  let isDisposed = false;

  const settle = (
    entry: Entry,
    outcome: ApprovalOutcome,
    by: Provenance,
    extra: SettleExtra = {},
  ): ApprovalDecision => {
    entries.delete(entry.request.id);
    entry.cancelTimer();
    const { request } = entry;
    const decision: ApprovalDecision = {
      id: request.id,
      kind: request.kind,
      command: request.command,
      agentId: request.agentId,
      sessionKey: request.sessionKey,
      callerLabel: request.callerLabel,
      outcome,
      by,
      note: extra.note ?? null,
      createdAtMs: request.createdAtMs,
      decidedAtMs: clock.nowMs(),
      stored: extra.stored ?? [],
      ...(extra.edited === undefined ? {} : { editedCommand: extra.edited.command }),
      ...(extra.grantId === undefined ? {} : { grantId: extra.grantId }),
    };
    recent = [decision, ...recent].slice(0, keptDecisions);
    // The ledger listens here: a decision is on record before anyone acts on it.
    events.emit("decided", { decision, request });
    events.emit("changed", undefined);
    for (const waiter of entry.waiters) {
      waiter({
        approvalId: request.id,
        outcome,
        by,
        note: decision.note,
        stored: decision.stored,
        ...(extra.edited === undefined ? {} : { edited: extra.edited }),
      });
    }
    return decision;
  };

  const expire = (entry: Entry) => {
    logger.info("approval.expired", { approvalId: entry.request.id });
    settle(entry, "expired", { kind: "expiry" });
  };

  const createEntry = (draft: ApprovalDraft, joinKey: string): Entry => {
    const { lifetimeMs, storeAlways, desk, hiddenValues: _hidden, ...shown } = draft;
    const createdAtMs = clock.nowMs();
    const withoutDigest = { ...shown, id: randomUUID(), createdAtMs, expiresAtMs: createdAtMs + lifetimeMs };
    const request: ApprovalRequest = { ...withoutDigest, digest: digestOf(withoutDigest), joinedCount: 1 };
    const entry: Entry = {
      request,
      joinKey,
      storeAlways,
      desk,
      waiters: new Set(),
      cancelTimer: () => {},
      phase: "waiting",
    };
    entry.cancelTimer = clock.after(lifetimeMs, () => expire(entry));
    entries.set(request.id, entry);
    return entry;
  };

  const find = (id: string, mayAbbreviate: boolean): Entry => {
    const exact = entries.get(id);
    if (exact !== undefined) return exact;
    const matches = mayAbbreviate
      ? [...entries.values()].filter((entry) => entry.request.id.toLowerCase().startsWith(id.toLowerCase()))
      : [];
    if (matches.length > 1) {
      throw new AppError(
        "INVALID_INPUT",
        `${id} fits ${matches.length} waiting requests. Give more of the id.`,
        {
          data: { reason: "APPROVAL_AMBIGUOUS", ids: matches.slice(0, 3).map((entry) => entry.request.id) },
        },
      );
    }
    const [only] = matches;
    if (only === undefined) throw noLongerWaits(id);
    return only;
  };

  const oldestFirst = () =>
    [...entries.values()].sort((a, b) => a.request.createdAtMs - b.request.createdAtMs);

  /** One decision at a time; what was decided or left meanwhile is not decided again. */
  const carryOut = async (
    entry: Entry,
    work: () => Promise<{ outcome: ApprovalOutcome; by: Provenance; extra: SettleExtra }>,
  ): Promise<ApprovalDecision> => {
    entry.phase = "deciding";
    try {
      const { outcome, by, extra } = await work();
      // It may have expired or been cancelled meanwhile; a rule that was written stays, the run does not happen.
      if (entries.get(entry.request.id) !== entry) throw noLongerWaits(entry.request.id);
      return settle(entry, outcome, by, extra);
    } finally {
      entry.phase = "waiting";
    }
  };

  return {
    events,
    request(draft, signal, onWaiting) {
      const joinKey = joinKeyOf(draft);
      const pause = heldKinds.has(draft.kind) ? (deps.pauseOf?.(draft.agentId) ?? null) : null;
      // A retry of a paused agent is a new request: it is denied, and the one that waits goes on waiting.
      const joined =
        pause === null ? [...entries.values()].find((candidate) => candidate.joinKey === joinKey) : undefined;
      const isNew = joined === undefined;
      const refusal = pause ?? (isNew ? refusalWhenUnreachable(presence) : null);
      const current = joined ?? createEntry(draft, joinKey);
      return new Promise((resolve) => {
        const waiter = (answer: ApprovalAnswer) => {
          signal.removeEventListener("abort", leave);
          resolve(answer);
        };
        const leave = () => {
          if (!current.waiters.delete(waiter)) return;
          const by: Provenance = { kind: "system", reason: { code: "callerLeft", params: {} } };
          resolve({ approvalId: current.request.id, outcome: "cancelled", by, note: null, stored: [] });
          if (!entries.has(current.request.id)) return;
          if (current.waiters.size === 0) settle(current, "cancelled", by);
          else setJoined(current, current.waiters.size);
        };
        current.waiters.add(waiter);
        if (isDisposed) return void settle(current, "cancelled", shuttingDown);
        if (refusal !== null) return void settle(current, "denied", { kind: "system", reason: refusal });
        if (signal.aborted) return leave();
        signal.addEventListener("abort", leave, { once: true });
        setJoined(current, current.waiters.size);
        if (isNew) events.emit("requested", current.request);
        onWaiting(current.request.id);
        events.emit("changed", undefined);
      });
    },

    async resolve(input, principal) {
      if (principal.kind === "panel" && !principal.approvalSurface) {
        throw new AppError(
          "FORBIDDEN",
          "Only the approval surface may decide. Open Approvals and decide there.",
        );
      }
      const entry = find(input.id, input.decision === "deny");
      const by = { kind: "person" as const, principalId: principal.id };
      if (entry.phase === "deciding") {
        throw new AppError("INVALID_INPUT", "This request is being decided right now. Nothing was changed.", {
          data: { reason: "APPROVAL_BUSY" },
        });
      }
      if (input.decision === "deny") {
        return settle(
          entry,
          "denied",
          by,
          input.note === undefined || input.note.trim() === "" ? {} : { note: input.note },
        );
      }
      return carryOut(entry, () => allow(entry, input, by));
    },
    previewGrant({ id, scopeId, lifetime }) {
      return deskOf(find(id, false)).previewGrant(scopeId, lifetime);
    },
    previewRule({ id, scopeId, lifetime }) {
      return previewRule(find(id, false), oldestFirst(), scopeId, lifetime);
    },
    async explainEdit({ id, command }) {
      const entry = find(id, false);
      const edit = await editDeskOf(entry).edit(command);
      if (edit.kind === "refused") return edit;
      return { kind: "ready", outcome: edit.outcome, request: editedRequest(entry, edit.shown) };
    },

    waiting: (id) => find(id, false).request,
    pending: () => oldestFirst().map((entry) => entry.request),
    recent: () => recent,
    dispose() {
      isDisposed = true;
      for (const entry of [...entries.values()]) settle(entry, "cancelled", shuttingDown);
    },
  };
}

const shuttingDown: Provenance = { kind: "system", reason: { code: "shuttingDown", params: {} } };

/** Same command, place, environment and run: what a retry repeats. */
function joinKeyOf(draft: ApprovalDraft): string {
  const { command, cwd, env, agentId, sessionKey, host, pty, background, timeoutMs, kind, segments, runsAs } =
    draft;
  const programs = segments?.map((segment) => [segment.realPath, segment.sha256]) ?? null;
  return canonicalJson({
    command,
    cwd,
    env,
    agentId,
    sessionKey,
    host,
    pty,
    background,
    timeoutMs,
    kind,
    programs,
    runsAs,
    hiddenValues: draft.hiddenValues ?? null,
  });
}

function setJoined(entry: Entry, joinedCount: number): void {
  entry.request = { ...entry.request, joinedCount };
}

function refusalWhenUnreachable(presence: Presence): Reason | null {
  const reachability = presence.reachability();
  if (reachability.kind !== "unreachable") return null;
  return { code: reachability.why === "screenLocked" ? "screenLocked" : "noOperator", params: {} };
}
