/** What the registry of commands offers to tools, panel and composition roots. */

import type { Clock } from "../../clock.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { Logger } from "../../logging/logger.ts";
import type { CursorKeyMode } from "./cursorQueries.ts";
import type { ProcessOwnership, ProcessSurvivor } from "./ownership.ts";
import type { PipeHost } from "./pipeChild.ts";
import type { ProcessTree, TreeEnd } from "./processTree.ts";
import type { PtyHost } from "./ptyHost.ts";
import type { ScreenRead } from "./sessionOutput.ts";
import type { ExecResult, OutputCounters, RunPlan, SessionInfo, WriteAnswer } from "./types.ts";
import type { SessionLimits } from "./window.ts";

export interface ExecSessionEvents {
  sessionStarted: { session: SessionInfo };
  /** Placement, state or size changed. */
  sessionChanged: { session: SessionInfo };
  sessionEnded: { session: SessionInfo };
  sessionRemoved: { sessionId: string };
  /** Raw text for a terminal, at most one per session every 30 ms and 64 K characters. */
  sessionOutput: {
    sessionId: string;
    seq: number;
    text: string;
    skippedChars: number;
    counters: OutputCounters;
  };
}

export interface ExitNotice {
  sessionId: string;
  sessionKey: string;
  agentId: string;
  text: string;
}

export interface ExecSessionsDeps {
  clock: Clock;
  logger: Logger;
  ptyHost: PtyHost;
  pipeHost?: PipeHost;
  processTree?: ProcessTree;
  /** Without it nothing survives a restart in our memory. */
  ownership?: ProcessOwnership;
  /** Read again at each use when it is a function: the configuration changes while we run. */
  limits?: Partial<SessionLimits> | (() => Partial<SessionLimits>);
  onExitNotice?: (notice: ExitNotice) => void;
}

export interface StartRequest {
  plan: RunPlan;
  /** For people and lists; never executed. */
  command: string;
  /** Absolute and existing. */
  cwd: string;
  /** The complete environment of the child. */
  env: Record<string, string>;
  pty?: boolean | undefined;
  /** null or ≤ 0 = none; absent = the rule of the window. */
  timeoutMs?: number | null | undefined;
  yieldMs?: number | undefined;
  background?: boolean | undefined;
  /** False where the caller may not use `process`: the command then runs to its end. */
  allowBackground?: boolean | undefined;
  /** An agent's own values, before those of the limits. */
  backgroundMs?: number | undefined;
  defaultTimeoutMs?: number | undefined;
  scopeKey: string;
  agentId: string;
  /** Why its agent may not send it input; people may. Absent or null: it may. */
  noAgentInput?: string | null | undefined;
  sessionKey?: string | undefined;
  toolCallId?: string | undefined;
  notifyOnExit?: boolean | undefined;
  notifyOnExitEmptySuccess?: boolean | undefined;
  /** Put before the text of the answer. */
  warnings?: readonly string[] | undefined;
  /** Awaited right before spawning, and again before each further link of a chain. A throw spawns nothing. */
  beforeSpawn?: ((linkIndex: number) => Promise<void>) | undefined;
  /** The tail, at most twice a second while the caller waits. */
  onUpdate?: ((tail: string) => void) | undefined;
  /** Ends the command while the caller still waits for it, not afterwards. */
  signal?: AbortSignal | undefined;
}

/** Reads of one poll. `endedBefore`: nothing was waiting any more, only the tail is left. */
export type PollAnswer =
  | { kind: "endedBefore"; session: SessionInfo; aggregated: string; endedBy: string; hasUnread: boolean }
  | {
      kind: "ended";
      session: SessionInfo;
      stdout: string;
      stderr: string;
      aggregated: string;
      endedBy: string;
    }
  | {
      kind: "running";
      session: SessionInfo;
      stdout: string;
      stderr: string;
      aggregated: string;
      retryInMs: number;
    };

export interface ExecSessions {
  events: Emitter<ExecSessionEvents>;
  /**
   * Runs a plan and answers when it ended or was left running.
   * @throws AppError CANCELLED when the signal was aborted before anything ran, UNAVAILABLE after dispose, and
   * whatever `beforeSpawn` throws
   */
  start(request: StartRequest): Promise<ExecResult>;
  /** Background sessions of a scope, running and retained, newest first. */
  list(scopeKey: string): SessionInfo[];
  /** Everything of every scope, foreground commands too, newest first. For the operator. */
  snapshot(): SessionInfo[];
  /** With a scope key, a session out of scope or in the foreground is missing. So for all below. */
  get(sessionId: string, scopeKey?: string): SessionInfo | undefined;
  poll(
    sessionId: string,
    scopeKey: string,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<PollAnswer | undefined>;
  output(
    sessionId: string,
    scopeKey?: string,
  ): { aggregated: string; tail: string; truncated: boolean } | undefined;
  /** Raw chunks with seq > afterSeq that are still kept: about half a million characters. */
  readScreen(sessionId: string, afterSeq: number, scopeKey?: string): ScreenRead | undefined;
  /** @param options.eof closes stdin after the data; on a terminal it sends Ctrl-D */
  write(
    sessionId: string,
    scopeKey: string | undefined,
    data: string | Uint8Array,
    options?: { eof?: boolean },
  ): WriteAnswer;
  cursorKeyMode(sessionId: string, scopeKey?: string): CursorKeyMode | undefined;
  resize(sessionId: string, cols: number, rows: number): boolean;
  /** Ends the whole tree and says whether it is gone. */
  kill(sessionId: string, scopeKey?: string): Promise<TreeEnd | undefined>;
  /** Forgets an ended session. @returns false when missing or not ended */
  clear(sessionId: string, scopeKey?: string): boolean;
  /** Ends it when it runs, and forgets it without an exit notice. */
  remove(sessionId: string, scopeKey?: string): Promise<boolean>;
  /** Live processes of a session; 0 when ended or missing. */
  treeSize(sessionId: string): number;
  /** The same for all running sessions with one look at the process table, at most half a second old. */
  treeSizes(): Map<string, number>;
  /** Characters of output held for all sessions. */
  heldChars(): number;
  /** Commands of an earlier run that still live; entries of which nothing lives are forgotten. */
  findSurvivors(): Promise<ProcessSurvivor[]>;
  /** @throws AppError NOT_FOUND when nothing of it lives */
  adopt(survivorId: string): Promise<SessionInfo>;
  endTree(survivorId: string): Promise<TreeEnd>;
  /** Ends every tree. May be called twice. */
  dispose(): Promise<void>;
}
