/** Keeps when an allowlist entry was last used, without holding up the command. */

import type { ExecDecision } from "../../../shared/exec/index.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";
import type { AllowlistUse } from "../storage/approvalsEdit.ts";
import type { ApprovalsStore } from "../storage/index.ts";

export interface UseRecorder {
  /** Takes note and returns; the file is written a moment later, for all uses since. */
  record(decision: ExecDecision, command: string): void;
  /** Writes what is noted and resolves when it is written. */
  settled(): Promise<void>;
}

/** Uses of the same entry within this time are one write of the file. */
const gatherMs = 1000;

export function createUseRecorder(deps: {
  approvalsFile: ApprovalsStore;
  clock: Clock;
  logger: Logger;
  /** Counts one use of an entry, for lists; absent: nobody counts. */
  countEntryUse?(agentId: string, pattern: string): void;
}): UseRecorder {
  /** By agent and pattern: the newest use of each entry that is not written yet. */
  const waiting = new Map<string, AllowlistUse>();
  let cancelTimer: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();

  const writeNow = (): Promise<void> => {
    cancelTimer?.();
    cancelTimer = null;
    const uses = [...waiting.values()];
    waiting.clear();
    if (uses.length > 0)
      writing = writing.then(() =>
        deps.approvalsFile.recordUse(uses).catch((error: unknown) => {
          // A use counter that cannot be written must not stop a permitted command; the log says it.
          deps.logger.warn("exec.useNotRecorded", { error });
        }),
      );
    return writing;
  };

  return {
    record(decision, command) {
      const segments = decision.analysis.ok
        ? decision.analysis.pipelines.flatMap((pipeline) => pipeline.segments)
        : [];
      const counted = new Set<string>();
      for (const { rule, segmentIndex } of decision.segments) {
        if (rule?.kind !== "allowlist") continue;
        const resolvedPath = segments[segmentIndex]?.execution.resolvedPath ?? "";
        const { agentId, pattern } = rule;
        const key = JSON.stringify([agentId, pattern]);
        // One command is one use, also when several of its parts need the entry.
        if (!counted.has(key)) deps.countEntryUse?.(agentId, pattern);
        counted.add(key);
        waiting.set(key, { agentId, pattern, command, resolvedPath });
      }
      if (waiting.size > 0) cancelTimer ??= deps.clock.after(gatherMs, () => void writeNow());
    },
    settled: writeNow,
  };
}
