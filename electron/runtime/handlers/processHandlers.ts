/** Exec sessions for the panel and operators: the views of processes.ts over the session registry. */

import type { ProcessInfo, SallyportContract, Survivor } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { EventHub } from "../events/eventHub.ts";
import type { ExecSessions, ProcessSurvivor, SessionInfo, TreeEnd } from "../exec/sessions/index.ts";
import type { Logger } from "../logging/logger.ts";

type ProcessMethods = Extract<keyof SallyportContract["methods"], `processes.${string}`>;

export interface ProcessDesk {
  handlers: Pick<Handlers<SallyportContract>, ProcessMethods>;
  runningCount(): number;
  survivorCount(): number;
  /** Looks for commands of an earlier run; done once at start. */
  refreshSurvivors(): Promise<void>;
  dispose(): void;
}

/** List changes are sent at most this often; output has its own events. */
const listEveryMs = 200;

export function createProcessDesk(deps: {
  sessions: ExecSessions;
  hub: EventHub;
  logger: Logger;
  onChanged(): void;
}): ProcessDesk {
  const { sessions, hub, logger } = deps;
  let survivors: ProcessSurvivor[] = [];
  let timer: NodeJS.Timeout | null = null;

  const view = () => {
    const sizes = sessions.treeSizes();
    return {
      processes: sessions
        .snapshot()
        .map((session) => toProcessInfo(session, sizes.get(session.sessionId) ?? 0)),
      survivors: survivors.map(toSurvivor),
    };
  };
  const announce = () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      hub.publish("processes.changed", view());
      deps.onChanged();
    }, listEveryMs);
    timer.unref();
  };
  const offs = [
    sessions.events.on("sessionStarted", announce),
    sessions.events.on("sessionChanged", announce),
    sessions.events.on("sessionEnded", announce),
    sessions.events.on("sessionRemoved", announce),
    sessions.events.on("sessionOutput", ({ sessionId, seq, text, skippedChars }) => {
      hub.publish("processes.output", {
        id: sessionId,
        chunks: [{ seq, text: withSkipped(text, skippedChars) }],
      });
    }),
  ];

  const known = (id: string): SessionInfo => {
    const session = sessions.get(id);
    if (session === undefined)
      throw new AppError("NOT_FOUND", `There is no process ${id}. It may have been removed.`);
    return session;
  };
  const refreshSurvivors = async () => {
    survivors = await sessions.findSurvivors();
    announce();
  };

  return {
    handlers: {
      "processes.list": view,
      "processes.read": ({ id, afterSeq }) => {
        known(id);
        const read = sessions.readScreen(id, afterSeq);
        if (read === undefined) return { chunks: [], droppedBytes: 0, lastSeq: 0 };
        return {
          chunks: read.chunks.map(({ seq, text, skippedChars }) => ({
            seq,
            text: withSkipped(text, skippedChars),
          })),
          droppedBytes: read.droppedChars,
          lastSeq: read.lastSeq,
        };
      },
      "processes.write": ({ id, data }) => {
        known(id);
        const answer = sessions.write(id, undefined, data);
        return answer.ok ? { accepted: true, reason: null } : { accepted: false, reason: answer.reason };
      },
      "processes.resize": ({ id, cols, rows }) => {
        known(id);
        sessions.resize(id, cols, rows);
        return {};
      },
      "processes.end": async ({ id }, { principal }) => {
        known(id);
        logger.info("process.endRequested", { id, by: principal.id });
        return toEnd(await sessions.kill(id));
      },
      "processes.remove": async ({ id }) => {
        if (known(id).state.kind !== "ended")
          throw new AppError("INVALID_INPUT", `${id} still runs. End it first.`);
        await sessions.remove(id);
        return {};
      },
      "processes.adopt": async ({ id }) => {
        await sessions.adopt(id);
        await refreshSurvivors();
        return {};
      },
      "processes.endSurvivor": async ({ id }) => {
        const end = await sessions.endTree(id);
        await refreshSurvivors();
        return toEnd(end);
      },
    },
    runningCount: () => sessions.snapshot().filter((session) => session.state.kind !== "ended").length,
    survivorCount: () => survivors.length,
    refreshSurvivors,
    dispose() {
      if (timer !== null) clearTimeout(timer);
      for (const off of offs) off();
    },
  };
}

/** A flood is thinned out before it reaches a window; the terminal says how much is missing. */
function withSkipped(text: string, skippedChars: number): string {
  return skippedChars === 0 ? text : `\r\n\x1b[7m … ${skippedChars} \x1b[0m\r\n${text}`;
}

function toEnd(end: TreeEnd | undefined): { gone: boolean; remaining: number[] } {
  return { gone: end?.treeGone ?? true, remaining: end?.remainingPids ?? [] };
}

function toSurvivor(survivor: ProcessSurvivor): Survivor {
  const { command, agentId, startedAtMs } = survivor.entry;
  return { id: survivor.id, pid: survivor.pid, command, agentId, startedAtMs, treeSize: survivor.treeSize };
}

function toProcessInfo(session: SessionInfo, treeSize: number): ProcessInfo {
  return {
    id: session.sessionId,
    agentId: session.agentId,
    sessionKey: session.sessionKey ?? session.scopeKey,
    command: session.command,
    name: session.name,
    cwd: session.cwd,
    pid: session.pid,
    io: session.pty ? "pty" : "pipe",
    canWrite: session.stdin === "open" && session.state.kind === "running",
    cols: session.cols,
    rows: session.rows,
    state: stateOf(session),
    isBackground: session.placement === "background",
    startedAtMs: session.startedAtMs,
    treeSize,
    bytesTotal: session.counters.bytesTotal,
    bytesKept: session.bytesKept,
    linesTotal: session.counters.linesTotal,
    bytesPerSecond: session.counters.bytesPerSec,
    toolCallId: session.toolCallId,
  };
}

function stateOf(session: SessionInfo): ProcessInfo["state"] {
  const { state } = session;
  switch (state.kind) {
    case "running":
      return { kind: "running" };
    case "outputHeld":
      return { kind: "lingering", exitCode: session.exitCode };
    case "stopping":
      return { kind: "ending" };
    case "ended":
      return {
        kind: "exited",
        exitCode: session.exitCode,
        signal: session.exitSignal,
        endedAtMs: state.endedAtMs,
      };
  }
}
