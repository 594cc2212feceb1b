/** One path for every tool call: resolve, decide by policy, validate, (wait for a person,) execute, record. */

import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Reason, ToolCallSnapshot, ToolCallState } from "../../../shared/contract/index.ts";
import { toWireError } from "../../../shared/errors/index.ts";
import type { Clock } from "../clock.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import type { Caller, CallOutcome } from "../runtimeTypes.ts";
import type { ToolDefinition, ToolResult } from "../tools/defineTool.ts";
import { advance, isFinal } from "./callState.ts";
import { withinDetailsBudget } from "./detailsBudget.ts";
import type { LoopGuard } from "./loopGuard.ts";
import { withinOutputBudget } from "./outputBudget.ts";
import { showArgs } from "./shownArgs.ts";

/** How a call ended, without `pending`: that is a surface's view of a call that still runs. */
export type FinalOutcome = Exclude<CallOutcome, { kind: "pending" }>;

export interface StartedCall {
  toolCallId: string;
  outcome: Promise<FinalOutcome>;
  cancel(): void;
}

/** What policy says about one tool for one caller. */
export type ToolDecision =
  | { kind: "visible"; tool: ToolDefinition; canBackground: boolean }
  /** Removed or not registered; the caller cannot tell which. */
  | { kind: "hidden"; reason: Reason };

export interface CallsEvents {
  changed: ToolCallSnapshot;
  /** Every transition, for the ledger. `args` are as shown. */
  recorded: { call: ToolCallSnapshot };
}

export interface CallsDeps {
  clock: Clock;
  logger: Logger;
  decide(caller: Caller, tool: string): ToolDecision;
  loopGuard: LoopGuard;
}

export interface Calls {
  events: Emitter<CallsEvents>;
  /** @param mayRun false: a surface refused the call by a list of its own; it is recorded as hidden and never runs */
  start(
    caller: Caller,
    tool: string,
    args: unknown,
    onProgress?: (text: string) => void,
    mayRun?: boolean,
  ): StartedCall;
  get(toolCallId: string): StartedCall | undefined;
  /** The call that waits, or waited, for this approval. */
  byApproval(approvalId: string): { call: ToolCallSnapshot; started: StartedCall } | undefined;
  /** Newest first. */
  list(limit: number): ToolCallSnapshot[];
  snapshot(toolCallId: string): ToolCallSnapshot | undefined;
  /** Cancels everything that runs. */
  dispose(): void;
}

interface Entry {
  snapshot: ToolCallSnapshot;
  started: StartedCall;
  approvalIds: Set<string>;
}

/** Finished calls stay for the panel and for `approval_wait`; the ledger keeps all. */
const keptCalls = 500;
/**
 * What one session may have open at a time. A flood must not fill the memory, or bury a person: everything that waits
 * is sent to the panel. A call is always let through when nothing else of its session is open.
 */
const maxOpenCalls = 256;
const maxOpenChars = 8 * 1024 * 1024;
const progressMaxLength = 500;

/** @see architecture.md 5 */
export function createCalls(deps: CallsDeps): Calls {
  const { clock, logger } = deps;
  const events = createEmitter<CallsEvents>({
    onListenerError: (event, error) => logger.error("calls.listenerFailed", { event, error }),
  });
  const entries = new Map<string, Entry>();
  const controllers = new Map<string, AbortController>();
  const openBySession = new Map<string, { calls: number; chars: number }>();

  /** @returns what to call when the call has ended; null when the session has too much open already */
  const reserve = (sessionKey: string, chars: number): (() => void) | null => {
    const open = openBySession.get(sessionKey) ?? { calls: 0, chars: 0 };
    if (open.calls >= maxOpenCalls || (open.calls > 0 && open.chars + chars > maxOpenChars)) return null;
    open.calls += 1;
    open.chars += chars;
    openBySession.set(sessionKey, open);
    return () => {
      open.calls -= 1;
      open.chars -= chars;
      if (open.calls === 0) openBySession.delete(sessionKey);
    };
  };

  const move = (entry: Entry, to: ToolCallState) => {
    const state = advance(entry.snapshot.state, to);
    entry.snapshot = { ...entry.snapshot, state, updatedAtMs: clock.nowMs() };
    events.emit("recorded", { call: entry.snapshot });
    events.emit("changed", entry.snapshot);
  };

  const forgetOldest = () => {
    for (const [id, entry] of entries) {
      if (entries.size <= keptCalls) return;
      if (isFinal(entry.snapshot.state)) entries.delete(id);
    }
  };

  const run = async (
    entry: Entry,
    caller: Caller,
    args: unknown,
    signal: AbortSignal,
    onProgress: ((text: string) => void) | undefined,
    mayRun: boolean,
  ) => {
    const { tool: name, toolCallId } = entry.snapshot;
    // Policy comes before validation: otherwise bad arguments would tell a hidden tool from an unknown one.
    const decision = deps.decide(caller, name);
    if (decision.kind === "hidden" || !mayRun) {
      const reason =
        decision.kind === "hidden" ? decision.reason : { code: "hidden", params: { tool: name } };
      move(entry, { kind: "hidden", reason });
      return { kind: "unknownTool", tool: name } satisfies FinalOutcome;
    }
    const input = decision.tool.input.safeParse(args ?? {});
    if (!input.success) {
      const issues = issuesOf(input.error);
      move(entry, { kind: "invalid", issues });
      return { kind: "invalid", tool: name, issues } satisfies FinalOutcome;
    }
    const loop = deps.loopGuard.ask(caller, name, args ?? {});
    if (loop.kind === "blocked") {
      const { reason, text } = loop;
      move(entry, {
        kind: "denied",
        by: { kind: "rule", ruleId: "tools.loopDetection" },
        reason,
        note: null,
      });
      const details = { status: "denied", executed: false, reason: reason.code };
      return { kind: "refused", toolCallId, text, details } satisfies FinalOutcome;
    }
    const ended = <Outcome extends FinalOutcome>(outcome: Outcome): Outcome => {
      loop.ended(outcome);
      return outcome;
    };
    const startedAtMs = clock.nowMs();
    move(entry, { kind: "running", startedAtMs });
    const durationMs = () => clock.nowMs() - startedAtMs;
    try {
      const result = await decision.tool.execute(input.data, {
        toolCallId,
        agentId: caller.agentId,
        sessionKey: caller.sessionKey,
        callerId: caller.id,
        callerLabel: caller.label,
        senderIsOwner: caller.isOwner,
        canBackground: decision.canBackground,
        signal,
        isStillVisible: () => deps.decide(caller, name).kind === "visible",
        reportProgress: (text) => {
          const progress = text.slice(-progressMaxLength);
          entry.snapshot = { ...entry.snapshot, progress, updatedAtMs: clock.nowMs() };
          events.emit("changed", entry.snapshot);
          onProgress?.(progress);
        },
        reportWaiting: (waiting) => {
          if (waiting === null) {
            // A request that nobody could be asked never began to wait: then there is no wait to end.
            if (entry.snapshot.state.kind === "awaitingApproval")
              move(entry, { kind: "running", startedAtMs: clock.nowMs() });
            return;
          }
          entry.approvalIds.add(waiting.approvalId);
          move(entry, { kind: "awaitingApproval", approvalId: waiting.approvalId });
        },
      });
      return ended(finish(entry, result, signal, durationMs()));
    } catch (thrown) {
      if (signal.aborted) {
        move(entry, { kind: "cancelled" });
        return { kind: "cancelled", toolCallId } satisfies FinalOutcome;
      }
      const wire = toWireError(thrown, toolCallId);
      if (wire.code === "INTERNAL")
        logger.error("toolCall.failed", { toolCallId, tool: name, error: thrown });
      move(entry, { kind: "failed", durationMs: durationMs(), message: wire.message });
      return ended({
        kind: "result",
        toolCallId,
        content: [{ type: "text", text: wire.message }],
        details: { status: "error", tool: name, code: wire.code, error: wire.message },
        isError: true,
      } satisfies FinalOutcome);
    }
  };

  const finish = (
    entry: Entry,
    result: ToolResult,
    signal: AbortSignal,
    durationMs: number,
  ): FinalOutcome => {
    const { toolCallId } = entry.snapshot;
    const { refusal } = result;
    const details = withinDetailsBudget(result.details);
    const { content, size } = withinOutputBudget(result.content);
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    if (refusal !== undefined) {
      if (refusal.kind === "cancelled" || signal.aborted) {
        move(entry, { kind: "cancelled" });
        return { kind: "cancelled", toolCallId };
      }
      if (refusal.kind === "expired") move(entry, { kind: "expired", approvalId: refusal.approvalId });
      else move(entry, { kind: "denied", by: refusal.by, reason: refusal.reason, note: refusal.note });
      const record =
        typeof details === "object" && details !== null ? (details as Record<string, unknown>) : {};
      return { kind: "refused", toolCallId, text, details: record };
    }
    if (result.isError === true)
      move(entry, { kind: "failed", durationMs, message: text.slice(0, 500), output: size });
    else move(entry, { kind: "succeeded", durationMs, output: size });
    return {
      kind: "result",
      toolCallId,
      content,
      ...(details === undefined ? {} : { details }),
      isError: result.isError ?? false,
      output: size,
    };
  };

  return {
    events,
    start(caller, tool, args, onProgress, mayRun = true) {
      const { skill } = caller;
      const toolCallId = skill === undefined ? randomUUID() : `cmd_${randomUUID()}`;
      const controller = new AbortController();
      // Before policy is asked: a hidden tool answers the same.
      const release = reserve(caller.sessionKey, tool.length + sizeOf(args));
      if (release === null) return tooMuchOpen(toolCallId);
      const nowMs = clock.nowMs();
      const snapshot: ToolCallSnapshot = {
        toolCallId,
        tool: tool.slice(0, 128),
        agentId: caller.agentId,
        sessionKey: caller.sessionKey,
        callerId: caller.id,
        callerLabel: caller.label,
        argsShown: showArgs(args, tool),
        state: { kind: "proposed" },
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        progress: null,
        ...(skill === undefined ? {} : { skill }),
      };
      const { promise, resolve } = withResolvers<FinalOutcome>();
      const started: StartedCall = { toolCallId, outcome: promise, cancel: () => controller.abort() };
      const entry: Entry = { snapshot, started, approvalIds: new Set() };
      entries.set(toolCallId, entry);
      controllers.set(toolCallId, controller);
      events.emit("recorded", { call: snapshot });
      events.emit("changed", snapshot);
      run(entry, caller, args, controller.signal, onProgress, mayRun)
        .catch((error: unknown): FinalOutcome => {
          // Only a broken promise of our own ends here (a state that may not follow); the caller still gets an end.
          logger.error("toolCall.broken", { toolCallId, tool, error });
          const { code, message } = toWireError(error, toolCallId);
          // A call without an end would stay in the list for ever.
          if (!isFinal(entry.snapshot.state))
            move(entry, { kind: "failed", durationMs: clock.nowMs() - nowMs, message });
          return {
            kind: "result",
            toolCallId,
            content: [{ type: "text", text: message }],
            details: { status: "error", tool: entry.snapshot.tool, code, error: message },
            isError: true,
          };
        })
        .then((outcome) => {
          controllers.delete(toolCallId);
          release();
          forgetOldest();
          resolve(outcome);
        });
      return started;
    },
    get: (toolCallId) => entries.get(toolCallId)?.started,
    byApproval(approvalId) {
      for (const entry of entries.values()) {
        if (entry.approvalIds.has(approvalId)) return { call: entry.snapshot, started: entry.started };
      }
      return undefined;
    },
    list: (limit) =>
      [...entries.values()]
        .reverse()
        .slice(0, limit)
        .map((entry) => entry.snapshot),
    snapshot: (toolCallId) => entries.get(toolCallId)?.snapshot,
    dispose() {
      for (const controller of controllers.values()) controller.abort();
    },
  };
}

/** @returns each problem with a JSON pointer-like path, for the model and for form fields */
function issuesOf(error: z.ZodError): { path: string; message: string }[] {
  return error.issues.map((issue) => ({ path: issue.path.map(String).join("."), message: issue.message }));
}

/** @returns characters as JSON; what cannot be written as such counts as too much beside other calls */
function sizeOf(args: unknown): number {
  try {
    return JSON.stringify(args)?.length ?? 0;
  } catch {
    // Nested so deep that it ends the stack, or not from JSON at all.
    return maxOpenChars;
  }
}

function tooMuchOpen(toolCallId: string): StartedCall {
  const text = `This session has too many calls open: at most ${maxOpenCalls}, with ${maxOpenChars} characters of arguments together. Wait until some have ended. Nothing was done.`;
  return {
    toolCallId,
    outcome: Promise.resolve({
      kind: "result",
      toolCallId,
      content: [{ type: "text", text }],
      details: { status: "error", code: "UNAVAILABLE", error: text },
      isError: true,
    }),
    cancel: () => {},
  };
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
