/** The life of one command: running → (outputHeld) → (stopping) → ended, its output and its end. */

import { deriveName, exitCodeOf, exitSignalOf, statusOf } from "./describe.ts";
import type { ProcessTree, TreeEnd, TreeIdentity } from "./processTree.ts";
import { ptyDefaultCols, ptyDefaultRows } from "./ptyHost.ts";
import type { SessionOutput } from "./sessionOutput.ts";
import type {
  ChildExit,
  Placement,
  RunningChild,
  SessionInfo,
  SessionOutcome,
  SessionState,
  StopReason,
  WriteAnswer,
} from "./types.ts";

/** A pipe that is still open this long after the command's exit is held by something it started. */
const heldAfterMs = 200;
/** After the tree is gone, exit and close events are only turns of the event loop away. */
const lastEventsMs = 500;
const adoptedLookMs = 1000;

/** What does not change while a session lives. */
export interface SessionFacts {
  sessionId: string;
  execId: string;
  agentId: string;
  scopeKey: string;
  sessionKey: string | null;
  toolCallId: string | null;
  command: string;
  cwd: string;
  startedAtMs: number;
  /** null = none. */
  timeoutMs: number | null;
  notifyOnExit: boolean;
  notifyOnExitEmptySuccess: boolean;
  /** Why its agent may not send it input; null = it may. */
  noAgentInput: string | null;
}

export interface SessionDeps {
  nowMs(): number;
  tree: ProcessTree;
  onChanged(session: Session): void;
  onEnded(session: Session): void;
  /** Something failed that must neither end nor hang the session. */
  onProblem(event: string, session: Session, error: unknown): void;
}

export interface Session {
  readonly facts: SessionFacts;
  readonly output: SessionOutput;
  readonly identity: TreeIdentity;
  /** null for a survivor of an earlier run. */
  readonly child: RunningChild | null;
  state(): SessionState;
  placement(): Placement;
  toBackground(): void;
  info(): SessionInfo;
  outcome(): SessionOutcome | null;
  /** Resolves when the session ended; never rejects. */
  readonly ended: Promise<void>;
  /** Ends the whole tree; callers share one attempt. Resolves when it is proven gone or given up. */
  stop(reason: StopReason): Promise<TreeEnd>;
  /** A session that ends during a waiting poll with a non-zero code counts as failed. */
  markFailed(): void;
  write(data: string | Uint8Array): WriteAnswer;
  endInput(): WriteAnswer;
  resize(cols: number, rows: number): boolean;
  /** How often in a row a poll found nothing new. */
  emptyPolls: number;
}

export interface SessionParts {
  facts: SessionFacts;
  output: SessionOutput;
  identity: TreeIdentity;
  child: RunningChild | null;
  /** Shown for a survivor; a child knows its own. */
  adoptedPid: number | null;
}

export function createSession(parts: SessionParts, deps: SessionDeps): Session {
  const { facts, output, identity, child } = parts;
  let state: SessionState = { kind: "running" };
  let placement: Placement = child === null ? "background" : "foreground";
  let size = { cols: ptyDefaultCols, rows: ptyDefaultRows };
  let lastPid = child?.pid ?? parts.adoptedPid;
  let exit: ChildExit | null = null;
  let heldTimer: NodeJS.Timeout | null = null;
  let lookTimer: NodeJS.Timeout | null = null;
  let stopping: Promise<TreeEnd> | null = null;
  let resolveEnded: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });

  const end = (outcome: SessionOutcome): void => {
    if (state.kind === "ended") return;
    if (heldTimer !== null) clearTimeout(heldTimer);
    if (lookTimer !== null) clearTimeout(lookTimer);
    output.finish();
    state = { kind: "ended", outcome, endedAtMs: deps.nowMs(), status: statusOf(outcome) };
    deps.onEnded(session);
    resolveEnded();
  };

  const endWithExit = (): void => {
    if (state.kind === "ended" || exit === null) return;
    end(outcomeOf(state, exit, facts.timeoutMs ?? 0));
  };

  const session: Session = {
    facts,
    output,
    identity,
    child,
    ended,
    emptyPolls: 0,
    state: () => state,
    placement: () => placement,
    toBackground() {
      if (placement === "background") return;
      placement = "background";
      deps.onChanged(session);
    },
    outcome: () => (state.kind === "ended" ? state.outcome : null),
    markFailed() {
      if (state.kind === "ended") state = { ...state, status: "failed" };
    },
    stop(reason) {
      stopping ??= runStop(reason);
      return stopping;
    },
    write(data) {
      if (state.kind === "ended") return { ok: false, reason: "the session has ended" };
      return child?.write(data) ?? { ok: false, reason: "stdin is not writable" };
    },
    endInput() {
      if (state.kind === "ended") return { ok: false, reason: "the session has ended" };
      return child?.end() ?? { ok: false, reason: "stdin is not writable" };
    },
    resize(cols, rows) {
      if (child?.resize(cols, rows) !== true) return false;
      size = { cols: Math.floor(cols), rows: Math.floor(rows) };
      deps.onChanged(session);
      return true;
    },
    info() {
      const nowMs = deps.nowMs();
      const isEnded = state.kind === "ended";
      // The command's own end is known, too, while only its children go on.
      const known = state.kind === "ended" ? state.outcome : state.kind === "outputHeld" ? state.exit : null;
      lastPid = child?.pid ?? lastPid;
      return {
        sessionId: facts.sessionId,
        agentId: facts.agentId,
        scopeKey: facts.scopeKey,
        sessionKey: facts.sessionKey,
        toolCallId: facts.toolCallId,
        command: facts.command,
        name: deriveName(facts.command),
        cwd: facts.cwd,
        pid: lastPid,
        pty: child?.pty ?? false,
        cols: size.cols,
        rows: size.rows,
        stdin: !isEnded && child?.stdinOpen() === true ? "open" : "closed",
        placement,
        adopted: child === null,
        state,
        status: state.kind === "ended" ? state.status : "running",
        startedAtMs: facts.startedAtMs,
        endedAtMs: state.kind === "ended" ? state.endedAtMs : null,
        runtimeMs: (state.kind === "ended" ? state.endedAtMs : nowMs) - facts.startedAtMs,
        exitCode: known === null ? null : exitCodeOf(known),
        exitSignal: known === null ? null : exitSignalOf(known),
        tail: output.tail(),
        truncated: output.truncated(),
        bytesKept: output.heldChars(),
        counters: output.counters(),
      };
    },
  };

  const endTree = async (): Promise<TreeEnd> => {
    try {
      return await deps.tree.end(identity);
    } catch (error) {
      // The process table could not be read: report what is known to be left rather than hang the caller.
      deps.onProblem("exec.killFailed", session, error);
      const remainingPids = identity.livePids();
      return { treeGone: remainingPids.length === 0, endedPids: [], remainingPids, escalated: false };
    }
  };

  const runStop = async (reason: StopReason): Promise<TreeEnd> => {
    if (state.kind === "ended") return { treeGone: true, endedPids: [], remainingPids: [], escalated: false };
    state = { kind: "stopping", reason, requestedAtMs: deps.nowMs(), exit };
    child?.stopAdvancing();
    deps.onChanged(session);
    const treeEnd = await endTree();
    if (treeEnd.treeGone && child !== null) await settleWithin(ended, lastEventsMs);
    if (session.outcome() === null) {
      // Something outside the tree holds the pipes, or the kernel will not let a process go.
      child?.release();
      if (exit !== null) endWithExit();
      else if (child === null && treeEnd.treeGone) end({ kind: "signalled", signal: "SIGTERM" });
      else end({ kind: "unsettled", remainingPids: treeEnd.remainingPids });
    }
    return treeEnd;
  };

  if (child === null) {
    const look = (): void => {
      if (deps.tree.members(identity).length === 0) end({ kind: "lost" });
      else scheduleLook();
    };
    const scheduleLook = (): void => {
      if (state.kind === "ended") return;
      lookTimer = setTimeout(look, adoptedLookMs);
      lookTimer.unref();
    };
    scheduleLook();
    return session;
  }

  child.onData((stream, chunk) => {
    if (state.kind !== "ended") output.intake(stream, chunk);
  });
  child.onExit((childExit) => {
    exit = childExit;
    if (state.kind === "stopping") state = { ...state, exit: childExit };
    if (state.kind !== "running") return;
    heldTimer = setTimeout(() => {
      if (state.kind !== "running") return;
      state = { kind: "outputHeld", exit: childExit, exitedAtMs: deps.nowMs() };
      deps.onChanged(session);
    }, heldAfterMs);
  });
  child.onClose(endWithExit);
  return session;
}

/** Why the session ended: a stop that was asked for names the reason, unless the command had ended before. */
function outcomeOf(state: SessionState, exit: ChildExit, timeoutMs: number): SessionOutcome {
  if (state.kind !== "stopping") return exit;
  const signal = exit.kind === "signalled" ? exit.signal : null;
  if (state.reason === "timeout") return { kind: "timedOut", timeoutMs, signal };
  if (state.reason === "abort") return { kind: "aborted", signal };
  return exit;
}

async function settleWithin(promise: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    promise,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    }),
  ]);
  clearTimeout(timer);
}
