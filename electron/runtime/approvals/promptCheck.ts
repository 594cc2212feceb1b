/** Self-test at start (A17): can a prompt reach a person? What it finds stands in the ledger and in `app.status`. */

import type { AppStatus } from "../../../shared/contract/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { Presence } from "./presence.ts";

/** Windows and their connections need a moment after the start. */
export const checkAfterMs = 10_000;

export interface PromptCheck {
  current(): AppStatus["prompt"];
  dispose(): void;
}

/**
 * @param record writes the ledger; called once
 * @param onChecked called after the check, so that the status is sent anew
 */
export function createPromptCheck(deps: {
  presence: Pick<Presence, "reachability">;
  record: (kind: string, by: string, data: Record<string, unknown>) => void;
  onChecked: () => void;
  logger: Logger;
}): PromptCheck {
  let checkAtStart: AppStatus["prompt"]["checkAtStart"] = "pending";
  const reach = (): AppStatus["prompt"]["reach"] => {
    const now = deps.presence.reachability();
    return now.kind === "unreachable" ? now.why : now.kind;
  };
  const timer = setTimeout(() => {
    const found = reach();
    checkAtStart = found === "noPanel" || found === "screenLocked" ? "failed" : "passed";
    deps.record("prompt.checked", "system", { result: checkAtStart, reach: found });
    // Requests are refused until somebody comes; whoever reads the log should know before an agent does.
    if (checkAtStart === "failed") deps.logger.warn("prompt.unreachable", { reach: found });
    deps.onChecked();
  }, checkAfterMs);
  timer.unref();
  return {
    current: () => ({ reach: reach(), checkAtStart }),
    dispose: () => clearTimeout(timer),
  };
}
