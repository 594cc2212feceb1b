/** Tools as a client sees them: listing, calling with a bounded wait for a person, fetching outcomes later. */

import type { Approvals } from "../approvals/createApprovals.ts";
import type { Clock } from "../clock.ts";
import type { Caller, CallOptions, CallOutcome, ToolListing, ToolSurface } from "../runtimeTypes.ts";
import type { Calls, FinalOutcome, StartedCall } from "./createCalls.ts";

export interface ToolSurfaceDeps {
  clock: Clock;
  calls: Calls;
  approvals: Approvals;
  list(caller: Caller): ToolListing[];
  /** The same tools as a prompt lists them. */
  promptOrder(listings: ToolListing[]): ToolListing[];
  /** Config, settings or mapping changed: what somebody sees may differ. */
  onPolicyChanged(listener: () => void): () => void;
}

/** An outcome handed back as `pending` and not fetched yet. */
interface OpenApproval {
  sessionKey: string;
  approvalId: string;
  openedAtMs: number;
}

/** Fetchable this long after the call was handed back; longer than the longest wait of a request. */
const openForMs = 2 * 3_600_000;

/** @see architecture.md 13 */
export function createToolSurface(deps: ToolSurfaceDeps): ToolSurface {
  const { clock, calls, approvals } = deps;
  const open = new Map<string, OpenApproval>();
  const listeners = new Set<(sessionKey: string | null) => void>();
  const announce = (sessionKey: string | null) => {
    for (const listener of [...listeners]) listener(sessionKey);
  };
  deps.onPolicyChanged(() => announce(null));

  const setOpen = (caller: Caller, approvalId: string) => {
    for (const [id, entry] of open) if (clock.nowMs() - entry.openedAtMs > openForMs) open.delete(id);
    if (open.has(approvalId)) return;
    open.set(approvalId, { sessionKey: caller.sessionKey, approvalId, openedAtMs: clock.nowMs() });
    announce(caller.sessionKey);
  };

  const close = (approvalId: string) => {
    const entry = open.get(approvalId);
    if (entry === undefined) return;
    open.delete(approvalId);
    announce(entry.sessionKey);
  };

  /**
   * Waits for the end, or hands the call back when a person takes longer than `holdMs`.
   * @param onAbort whether leaving ends the call itself or only this wait
   */
  const hold = (
    caller: Caller,
    started: StartedCall,
    options: CallOptions,
    onAbort: "cancelCall" | "leave",
  ): Promise<CallOutcome> =>
    new Promise((resolve) => {
      const { toolCallId } = started;
      let isSettled = false;
      let watched: { approvalId: string; stop: () => void } | null = null;
      const done = (outcome: CallOutcome) => {
        if (isSettled) return;
        isSettled = true;
        offChanged();
        watched?.stop();
        options.signal.removeEventListener("abort", abort);
        options.detached?.removeEventListener("abort", abort);
        resolve(outcome);
      };
      const abort = () => {
        const state = calls.snapshot(toolCallId)?.state;
        const isLeftWaiting = options.detached?.aborted === true && state?.kind === "awaitingApproval";
        if (isLeftWaiting) setOpen(caller, state.approvalId);
        else if (onAbort === "cancelCall") started.cancel();
        done({ kind: "cancelled", toolCallId });
      };
      const handBack = (approvalId: string) => {
        const request = approvals.pending().find((candidate) => candidate.id === approvalId);
        if (request === undefined) return;
        setOpen(caller, approvalId);
        done({
          kind: "pending",
          toolCallId,
          approvalId,
          command: request.command,
          expiresAtMs: request.expiresAtMs,
        });
      };
      const watch = () => {
        const state = calls.snapshot(toolCallId)?.state;
        const approvalId = state?.kind === "awaitingApproval" ? state.approvalId : null;
        if (approvalId === (watched?.approvalId ?? null)) return;
        watched?.stop();
        const stop =
          approvalId === null || options.holdMs === null
            ? () => {}
            : clock.after(options.holdMs, () => handBack(approvalId));
        watched = approvalId === null ? null : { approvalId, stop };
      };
      const offChanged = calls.events.on("changed", (call) => {
        if (call.toolCallId === toolCallId) watch();
      });
      void started.outcome.then((outcome: FinalOutcome) => {
        // A hold that was handed back leaves the outcome to whoever fetches it.
        if (isSettled) return;
        for (const id of approvalsOf(toolCallId)) close(id);
        done(outcome);
      });
      if (options.signal.aborted || options.detached?.aborted) return abort();
      options.detached?.addEventListener("abort", abort, { once: true });
      options.signal.addEventListener("abort", abort, { once: true });
      watch();
    });

  const approvalsOf = (toolCallId: string): string[] =>
    [...open.keys()].filter((id) => calls.byApproval(id)?.started.toolCallId === toolCallId);

  return {
    listTools(caller) {
      const tools = deps.list(caller);
      return { tools, instructions: instructionsFor(deps.promptOrder(tools)) };
    },
    callTool(caller, tool, args, options) {
      const started = calls.start(caller, tool, args, options.onProgress, options.isRefused !== true);
      return hold(caller, started, options, "cancelCall");
    },
    hasOpenApproval: (sessionKey) => [...open.values()].some((entry) => entry.sessionKey === sessionKey),
    async waitApproval(caller, approvalId, options) {
      const found = calls.byApproval(approvalId);
      // Another session's approval looks exactly like one that never existed.
      if (found === undefined || found.call.sessionKey !== caller.sessionKey) {
        return {
          kind: "invalid",
          tool: "approval_wait",
          issues: [{ path: "approvalId", message: "No such approval in this session." }],
        };
      }
      return hold(caller, found.started, options, "leave");
    },
    onListChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The prompt lines of exactly these tools; with none it says so and names no tool. */
function instructionsFor(tools: ToolListing[]): string {
  if (tools.length === 0)
    return "No tool is available in this session: policy leaves none. Ask the operator if you need one.";
  const lines = tools.map((tool) => `- ${tool.name}: ${tool.promptLine}`);
  return [
    "Tools of this session, filtered by the operator's policy. Names are case-sensitive.",
    ...lines,
    "A command may wait for a person. Do not repeat it while it waits; a refused command was not executed.",
  ].join("\n");
}
