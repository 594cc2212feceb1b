/** Spawns a plan and makes a session of it, in one turn of the event loop. */

import { randomUUID } from "node:crypto";
import type { StartRequest } from "./execSessions.ts";
import { launch } from "./launch.ts";
import type { PipeHost } from "./pipeChild.ts";
import { execMarkerName } from "./processTable.ts";
import { createTreeIdentity } from "./processTree.ts";
import type { PtyHost } from "./ptyHost.ts";
import { createSession, type Session, type SessionDeps, type SessionFacts } from "./session.ts";
import { createSessionOutput, type ScreenChunk } from "./sessionOutput.ts";
import type { OutputCounters } from "./types.ts";
import type { SessionLimits } from "./window.ts";

const updateEveryMs = 500;

export interface OpenDeps extends SessionDeps {
  hosts: { pipeHost: PipeHost; ptyHost: PtyHost };
  limits: SessionLimits;
  newSessionId(): string;
  onChunk(sessionId: string, chunk: ScreenChunk, counters: OutputCounters): void;
}

/** @param ptyProblem why no terminal can be opened, when that is known already */
export function openSession(
  request: StartRequest,
  timeoutMs: number | null,
  ptyProblem: string | null,
  deps: OpenDeps,
): { session: Session; warnings: string[] } {
  const execId = randomUUID();
  const { child, warnings } = launch(
    request.plan,
    {
      cwd: request.cwd,
      env: { ...request.env, OPENCLAW_SHELL: "exec", OPENCLAW_CLI: "1", [execMarkerName]: execId },
      pty: request.pty === true,
      beforeLink: request.beforeSpawn,
    },
    deps.hosts,
    ptyProblem,
  );
  const facts: SessionFacts = {
    sessionId: deps.newSessionId(),
    execId,
    agentId: request.agentId,
    scopeKey: request.scopeKey,
    sessionKey: request.sessionKey ?? null,
    toolCallId: request.toolCallId ?? null,
    command: request.command,
    cwd: request.cwd,
    startedAtMs: deps.nowMs(),
    timeoutMs,
    notifyOnExit: request.notifyOnExit ?? true,
    notifyOnExitEmptySuccess: request.notifyOnExitEmptySuccess ?? false,
    noAgentInput: request.noAgentInput ?? null,
  };
  let lastUpdateAtMs = 0;
  const output = createSessionOutput({
    pty: child.pty,
    maxOutputChars: deps.limits.maxOutputChars,
    pendingMaxOutputChars: deps.limits.pendingMaxOutputChars,
    nowMs: deps.nowMs,
    onAnswer: (text) => child.write(text),
    onChunk(chunk) {
      deps.onChunk(facts.sessionId, chunk, output.counters());
      const nowMs = deps.nowMs();
      if (session.placement() !== "foreground" || nowMs - lastUpdateAtMs < updateEveryMs) return;
      lastUpdateAtMs = nowMs;
      try {
        request.onUpdate?.(output.tail());
      } catch (error) {
        deps.onProblem("exec.updateFailed", session, error);
      }
    },
  });
  const session = createSession(
    { facts, output, child, adoptedPid: null, identity: createTreeIdentity(execId, child) },
    deps,
  );
  return { session, warnings };
}
