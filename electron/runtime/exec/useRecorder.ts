/** Keeps when an allowlist entry was last used, without holding up the command. */

import type { ExecDecision } from "../../../shared/exec/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { ApprovalsStore } from "../storage/index.ts";

export interface UseRecorder {
  /** Starts writing and returns. */
  record(decision: ExecDecision, command: string): void;
  /** Resolves when everything that was started is written. */
  settled(): Promise<void>;
}

export function createUseRecorder(deps: { approvalsFile: ApprovalsStore; logger: Logger }): UseRecorder {
  let writing: Promise<void> = Promise.resolve();
  const write = async (decision: ExecDecision, command: string) => {
    const uses = decision.segments.flatMap((verdict) => {
      if (verdict.rule?.kind !== "allowlist") return [];
      const segment = decision.analysis.ok
        ? decision.analysis.pipelines
            .flatMap((pipeline) => pipeline.segments)
            .find((candidate) => candidate.index === verdict.segmentIndex)
        : undefined;
      return [
        {
          agentId: verdict.rule.agentId,
          pattern: verdict.rule.pattern,
          command,
          resolvedPath: segment?.execution.resolvedPath ?? "",
        },
      ];
    });
    if (uses.length === 0) return;
    await deps.approvalsFile.recordUse(uses).catch((error: unknown) => {
      // A use counter that cannot be written must not stop a permitted command; the log says it.
      deps.logger.warn("exec.useNotRecorded", { error });
    });
  };

  return {
    record(decision, command) {
      writing = writing.then(() => write(decision, command));
    },
    settled: () => writing,
  };
}
