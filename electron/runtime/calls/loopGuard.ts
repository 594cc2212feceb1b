/** Stops agents that repeat themselves, on every way in: asked before a call runs, told how it ended (policy.md §16). */

import type { Reason } from "../../../shared/contract/index.ts";
import { asRecord } from "../../../shared/policy/configRecord.ts";
import {
  admitLoopWarning,
  detectLoop,
  type LoopCall,
  type LoopDetectionSettings,
  type LoopRecord,
  type LoopVerdict,
  type LoopWarningBuckets,
  loopCallKey,
  loopResultKey,
} from "../../../shared/policy/index.ts";
import { withoutMarkerIds } from "../../../shared/web/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { Caller, CallOutcome } from "../runtimeTypes.ts";
import { sha256Hex } from "../storage/atomicWrite.ts";

/** `blocked`: the call must not run and is not part of the history. */
export type LoopAnswer =
  | { kind: "passed"; ended(outcome: CallOutcome): void }
  | { kind: "blocked"; reason: Reason; text: string };

export interface LoopGuard {
  ask(caller: Caller, tool: string, args: unknown): LoopAnswer;
}

export interface LoopGuardDeps {
  /** As merged from the global and the agent's `tools.loopDetection`. */
  settingsFor(agentId: string): LoopDetectionSettings;
  logger: Logger;
}

interface Watched {
  history: LoopRecord[];
  buckets: LoopWarningBuckets;
}

/** Sessions that are remembered; the one that called least recently goes first. */
const maxSessions = 512;
/** Warnings that one session remembers to have given. */
const maxBuckets = 256;

export function createLoopGuard({ settingsFor, logger }: LoopGuardDeps): LoopGuard {
  const sessions = new Map<string, Watched>();

  const watchedOf = (sessionKey: string): Watched => {
    const watched = sessions.get(sessionKey) ?? { history: [], buckets: new Map() };
    sessions.delete(sessionKey);
    sessions.set(sessionKey, watched);
    for (const oldest of sessions.keys()) {
      if (sessions.size <= maxSessions) break;
      sessions.delete(oldest);
    }
    return watched;
  };

  const warn = (watched: Watched, caller: Caller, tool: string, verdict: LoopVerdict) => {
    if (verdict.kind === "ok") return;
    const { log, buckets } = admitLoopWarning(watched.buckets, verdict);
    watched.buckets = buckets.size > maxBuckets ? new Map() : buckets;
    const { detector, count } = verdict;
    const { agentId, sessionKey } = caller;
    if (log || verdict.kind === "critical")
      logger.warn(`loop.${verdict.kind}`, { agentId, sessionKey, tool, detector, count });
  };

  return {
    ask(caller, tool, args) {
      const settings = settingsFor(caller.agentId);
      // Without a session there is no history that these calls would share.
      if (!settings.enabled || caller.sessionKey === "") return { kind: "passed", ended: () => {} };
      const watched = watchedOf(caller.sessionKey);
      const call = shortened(tool, args);
      const verdict = detectLoop(watched.history, call, settings);
      warn(watched, caller, tool, verdict);
      if (verdict.kind === "critical") {
        const params = { tool, detector: verdict.detector, count: String(verdict.count) };
        return { kind: "blocked", reason: { code: "loopDetected", params }, text: textOf(verdict, tool) };
      }
      // Part of the history at once, so that calls side by side count too; its result follows.
      const record: LoopRecord = { tool, callKey: loopCallKey(call) };
      watched.history = [...watched.history, record].slice(-settings.historySize);
      return {
        kind: "passed",
        ended(outcome) {
          if (outcome.kind === "pending" || outcome.kind === "cancelled") return;
          const resultKey = digestOf(seenOf(outcome));
          watched.history = watched.history.map((kept) => (kept === record ? { ...kept, resultKey } : kept));
        },
      };
    },
  };
}

/** The same call with a digest for its arguments: a history of large texts and pictures would fill the memory. */
function shortened(tool: string, args: unknown): LoopCall {
  const { action } = asRecord(args) ?? {};
  // Polls are told by their action.
  const isShort = typeof action === "string" && action.length <= 64;
  return { tool, args: { digest: digestOf(args), ...(isShort ? { action } : {}) } };
}

function digestOf(value: unknown): string {
  try {
    return sha256Hex(loopResultKey(value));
  } catch {
    // Nested deeper than the stack: all such values count as the same, which is the stricter answer.
    return "too deep";
  }
}

/** What the caller saw of the end: times and ids in the details differ each time and are no progress. */
function seenOf(outcome: CallOutcome): unknown {
  if (outcome.kind === "result") {
    const content = outcome.content.map((part) =>
      part.type === "text" ? { ...part, text: withoutMarkerIds(part.text) } : part,
    );
    return [outcome.isError, content];
  }
  return outcome.kind === "refused" ? outcome.text : outcome.kind;
}

function textOf({ detector, count }: Exclude<LoopVerdict, { kind: "ok" }>, tool: string): string {
  const what =
    detector === "ping_pong"
      ? `The session goes back and forth between ${tool} and another call, ${count} times without progress.`
      : `${tool} was called ${count} times with the same arguments and the same result.`;
  return `${what} Not executed: try something else, or report that it does not work.`;
}
