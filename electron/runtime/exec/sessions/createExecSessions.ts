/** The registry of commands: starts them, waits or lets them run on, answers questions about them, ends them. */

import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { createEmitter } from "../../events/emitter.ts";
import { exitNoticeText } from "./describe.ts";
import type { ExecSessionEvents, ExecSessions, ExecSessionsDeps } from "./execSessions.ts";
import { assertRoom, endedTooMany } from "./floodLimits.ts";
import { openSession } from "./openSession.ts";
import { createPipeHost } from "./pipeChild.ts";
import { pollSession } from "./pollSession.ts";
import { createProcessTree, type TreeEnd } from "./processTree.ts";
import { createSession, type Session } from "./session.ts";
import { createSessionId } from "./sessionIds.ts";
import { createSessionOutput } from "./sessionOutput.ts";
import { createSurvivorDesk } from "./survivorDesk.ts";
import type { SessionInfo, WriteAnswer } from "./types.ts";
import { waitForResult } from "./waitForResult.ts";
import { completeLimits, resolveWindow, type SessionLimits } from "./window.ts";

/** Explicit scope, else the session key, else the agent. */
export function scopeKeyFor(parts: { explicit?: string; sessionKey?: string; agentId: string }): string {
  if (parts.explicit !== undefined && parts.explicit !== "") return parts.explicit;
  if (parts.sessionKey !== undefined && parts.sessionKey !== "") return parts.sessionKey;
  return `agent:${parts.agentId}`;
}

/** Views ask often, and a look at the process table costs some milliseconds. */
const sizesFreshMs = 500;
/** A command that runs this long is worth remembering even while somebody waits for it. */
const recordForegroundAfterMs = 1000;

export function createExecSessions(deps: ExecSessionsDeps): ExecSessions {
  const { clock, logger } = deps;
  const tree = deps.processTree ?? createProcessTree();
  const hosts = { pipeHost: deps.pipeHost ?? createPipeHost(), ptyHost: deps.ptyHost };
  const events = createEmitter<ExecSessionEvents>({
    onListenerError: (name, error) => logger.error("exec.listenerFailed", { name: String(name), error }),
  });
  const sessions = new Map<string, Session>();
  const silenced = new Set<string>();
  let disposing: Promise<void> | null = null;
  let lastSizes = { atMs: 0, sizes: new Map<string, number>() };
  let cancelSweep: () => void = () => {};

  const limits = (): SessionLimits =>
    completeLimits(typeof deps.limits === "function" ? deps.limits() : (deps.limits ?? {}));

  const desk = createSurvivorDesk({ ownership: deps.ownership, tree, logger });

  const find = (sessionId: string, scopeKey?: string): Session | undefined => {
    const session = sessions.get(sessionId);
    if (session === undefined || scopeKey === undefined) return session;
    return session.facts.scopeKey === scopeKey && session.placement() === "background" ? session : undefined;
  };

  const forget = (session: Session): void => {
    session.output.dispose();
    if (sessions.delete(session.facts.sessionId))
      events.emit("sessionRemoved", { sessionId: session.facts.sessionId });
  };

  const sweep = (): void => {
    const { cleanupMs } = limits();
    const nowMs = clock.nowMs();
    for (const session of [...sessions.values()]) {
      const state = session.state();
      if (state.kind === "ended" && nowMs - state.endedAtMs >= cleanupMs) forget(session);
    }
  };
  const scheduleSweep = (): void => {
    cancelSweep = clock.after(Math.max(30_000, limits().cleanupMs / 6), () => {
      sweep();
      scheduleSweep();
    });
  };
  scheduleSweep();

  const onEnded = (session: Session): void => {
    desk.forget(session.facts.execId);
    events.emit("sessionEnded", { session: session.info() });
    if (session.placement() === "foreground" || silenced.has(session.facts.execId)) return;
    notify(session);
  };

  const notify = (session: Session): void => {
    const { sessionId, sessionKey, agentId, notifyOnExit } = session.facts;
    const outcome = session.outcome();
    if (!notifyOnExit || sessionKey === null || outcome === null || deps.onExitNotice === undefined) return;
    const text = exitNoticeText({
      sessionId,
      outcome,
      aggregated: session.output.aggregated(),
      notifyOnEmptySuccess: session.facts.notifyOnExitEmptySuccess,
    });
    if (text !== null) deps.onExitNotice({ sessionId, sessionKey, agentId, text });
  };

  const newSessionId = (): string => createSessionId((id) => sessions.has(id));

  const sessionDeps = {
    nowMs: () => clock.nowMs(),
    tree,
    onChanged: (session: Session) => events.emit("sessionChanged", { session: session.info() }),
    onEnded,
    onProblem: (event: string, session: Session, error: unknown) =>
      logger.error(event, { sessionId: session.facts.sessionId, error }),
  };

  const assertUsable = (signal: AbortSignal | undefined): void => {
    if (disposing !== null)
      throw new AppError("UNAVAILABLE", "Sallyport is closing; no further command is started.");
    if (signal?.aborted === true)
      throw new AppError("CANCELLED", "The call was cancelled before its command was started.");
  };

  const killSession = async (session: Session): Promise<TreeEnd> => {
    const end = await session.stop("kill");
    logger.info("exec.killed", { sessionId: session.facts.sessionId, ...end });
    return end;
  };

  const api: ExecSessions = {
    events,
    async start(request) {
      assertUsable(request.signal);
      const now = limits();
      const window = resolveWindow({
        timeoutMs: request.timeoutMs,
        yieldMs: request.yieldMs,
        background: request.background,
        allowBackground: request.allowBackground ?? true,
        backgroundMs: request.backgroundMs ?? now.backgroundMs,
        defaultTimeoutMs: request.defaultTimeoutMs ?? now.defaultTimeoutMs,
      });
      let ptyProblem: string | null = null;
      if (request.pty === true) {
        try {
          await deps.ptyHost.ready();
        } catch (error) {
          ptyProblem = messageOf(error);
          logger.warn("exec.ptyUnavailable", { error });
        }
      }
      await request.beforeSpawn?.(0);
      assertUsable(request.signal);
      assertRoom(sessions.values(), request.scopeKey);
      for (const session of endedTooMany(sessions.values(), request.scopeKey)) forget(session);
      const { session, warnings } = openSession(request, window.timeoutMs, ptyProblem, {
        ...sessionDeps,
        hosts,
        limits: now,
        newSessionId,
        onChunk: (sessionId, chunk, counters) =>
          events.emit("sessionOutput", { sessionId, ...chunk, counters }),
      });
      sessions.set(session.facts.sessionId, session);
      logger.info("exec.started", { sessionId: session.facts.sessionId, pid: session.child?.pid ?? null });
      events.emit("sessionStarted", { session: session.info() });
      const cancelTimers = [clock.after(recordForegroundAfterMs, () => desk.record(session))];
      if (window.timeoutMs !== null)
        cancelTimers.push(clock.after(window.timeoutMs, () => void session.stop("timeout")));
      void session.ended.then(() => {
        for (const cancel of cancelTimers) cancel();
      });
      const { kind, result } = await waitForResult(session, {
        clock,
        wait: window.wait,
        warnings: [...(request.warnings ?? []), ...window.warnings, ...warnings],
        signal: request.signal,
      });
      if (kind === "leftRunning") desk.record(session);
      else forget(session);
      return result;
    },
    list(scopeKey) {
      sweep();
      return newestFirst(
        [...sessions.values()].filter(
          (session) => session.facts.scopeKey === scopeKey && session.placement() === "background",
        ),
      );
    },
    snapshot() {
      sweep();
      return newestFirst([...sessions.values()]);
    },
    get: (sessionId, scopeKey) => find(sessionId, scopeKey)?.info(),
    async poll(sessionId, scopeKey, options = {}) {
      const session = find(sessionId, scopeKey);
      if (session === undefined) return undefined;
      return pollSession(session, clock, options);
    },
    output(sessionId, scopeKey) {
      const output = find(sessionId, scopeKey)?.output;
      if (output === undefined) return undefined;
      return { aggregated: output.aggregated(), tail: output.tail(), truncated: output.truncated() };
    },
    readScreen: (sessionId, afterSeq, scopeKey) => find(sessionId, scopeKey)?.output.readScreen(afterSeq),
    write(sessionId, scopeKey, data, options = {}) {
      const session = find(sessionId, scopeKey);
      if (session === undefined) return { ok: false, reason: "no such session" };
      // A scope names an agent; the panel has none.
      if (scopeKey !== undefined && session.facts.noAgentInput !== null)
        return { ok: false, reason: session.facts.noAgentInput };
      const answer: WriteAnswer = data.length === 0 ? { ok: true, bytes: 0 } : session.write(data);
      if (!answer.ok || options.eof !== true) return answer;
      const closing = session.endInput();
      return closing.ok ? answer : closing;
    },
    cursorKeyMode: (sessionId, scopeKey) => find(sessionId, scopeKey)?.output.cursorKeyMode(),
    resize: (sessionId, cols, rows) => find(sessionId)?.resize(cols, rows) ?? false,
    async kill(sessionId, scopeKey) {
      const session = find(sessionId, scopeKey);
      return session === undefined ? undefined : killSession(session);
    },
    clear(sessionId, scopeKey) {
      const session = find(sessionId, scopeKey);
      if (session === undefined || session.outcome() === null) return false;
      forget(session);
      return true;
    },
    async remove(sessionId, scopeKey) {
      const session = find(sessionId, scopeKey);
      if (session === undefined) return false;
      if (session.outcome() === null) {
        silenced.add(session.facts.execId);
        await killSession(session);
        silenced.delete(session.facts.execId);
      }
      forget(session);
      return true;
    },
    treeSize(sessionId) {
      const session = sessions.get(sessionId);
      return session === undefined || session.outcome() !== null ? 0 : tree.members(session.identity).length;
    },
    treeSizes() {
      const nowMs = clock.nowMs();
      const all = [...sessions.values()].filter((session) => session.outcome() === null);
      const isYoung = (session: Session) =>
        session.placement() === "foreground" && nowMs - session.facts.startedAtMs < recordForegroundAfterMs;
      // Most commands are over before anybody sees a number; a look at the process table for each would slow all.
      const young = all
        .filter(isYoung)
        .map((session) => [session.facts.sessionId, session.identity.livePids().length] as const);
      const running = all.filter((session) => !isYoung(session));
      if (running.length === 0) return new Map(young);
      const { atMs, sizes } = lastSizes;
      const isFresh = nowMs >= atMs && nowMs - atMs < sizesFreshMs;
      if (!isFresh || running.some((session) => !sizes.has(session.facts.sessionId))) {
        const table = tree.readTable();
        lastSizes = { atMs: nowMs, sizes: new Map() };
        for (const session of running)
          lastSizes.sizes.set(session.facts.sessionId, tree.members(session.identity, table).length);
      }
      const now = lastSizes.sizes;
      return new Map([
        ...young,
        ...running.map(
          (session) => [session.facts.sessionId, now.get(session.facts.sessionId) ?? 0] as const,
        ),
      ]);
    },
    heldChars: () => [...sessions.values()].reduce((sum, session) => sum + session.output.heldChars(), 0),
    findSurvivors: () => desk.find(new Set([...sessions.values()].map((session) => session.facts.execId))),
    async adopt(survivorId) {
      const { entry, identity, pid } = await desk.take(survivorId);
      const output = createSessionOutput({
        pty: false,
        ...limits(),
        nowMs: () => clock.nowMs(),
        onChunk: () => {},
        onAnswer: () => {},
      });
      const isFree = !sessions.has(entry.sessionId);
      const session = createSession(
        {
          facts: {
            sessionId: isFree ? entry.sessionId : newSessionId(),
            execId: entry.execId,
            agentId: entry.agentId,
            scopeKey: entry.scopeKey,
            sessionKey: entry.sessionKey,
            toolCallId: null,
            command: entry.command,
            cwd: entry.cwd,
            startedAtMs: entry.startedAtMs,
            timeoutMs: null,
            notifyOnExit: false,
            notifyOnExitEmptySuccess: false,
            noAgentInput: null,
          },
          output,
          identity,
          child: null,
          adoptedPid: pid,
        },
        sessionDeps,
      );
      sessions.set(session.facts.sessionId, session);
      desk.record(session);
      events.emit("sessionStarted", { session: session.info() });
      return session.info();
    },
    endTree: (survivorId) => desk.endTree(survivorId),
    dispose() {
      disposing ??= (async () => {
        cancelSweep();
        await Promise.all([...sessions.values()].map((session) => session.stop("dispose")));
        for (const session of sessions.values()) session.output.dispose();
        await desk.settled();
        sessions.clear();
        events.clear();
      })();
      return disposing;
    },
  };
  return api;
}

function newestFirst(sessions: Session[]): SessionInfo[] {
  // Later ones were added later; a stable sort keeps that order for equal times.
  return sessions
    .reverse()
    .map((session) => session.info())
    .sort((a, b) => b.startedAtMs - a.startedAtMs);
}
