/** The action `restart`: asks a person where the rules say so, and plans it. */

import { AppError } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { getIn } from "../../../../shared/policy/configRecord.ts";
import type { Approvals } from "../../approvals/createApprovals.ts";
import { clampDelay, type RestartDesk } from "../../restart/index.ts";
import { jsonResult, type ToolCallContext, type ToolResult } from "../defineTool.ts";
import { notAllowed, refusedByRule } from "./draftParts.ts";
import { draftOfRestart, type RestartFacts } from "./restartDraft.ts";
import type { GatewayInput } from "./schema.ts";

export interface RestartActionDeps {
  /** null: this program cannot restart itself. */
  restarts: RestartDesk | null;
  approvals: Approvals;
  config(): unknown;
  hardening(): Hardening;
  facts(): RestartFacts;
  stateDir: string;
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

const notRestarted = { noun: "a restart", nothing: "Nothing was restarted." };
const maxReasonChars = 200;
const maxNoteChars = 1000;

/** @throws AppError UNAVAILABLE where nothing can restart this program */
export async function requestRestart(
  input: GatewayInput,
  context: ToolCallContext,
  deps: RestartActionDeps,
): Promise<ToolResult> {
  if (isOff(deps)) return refusedAsOff();
  if (deps.restarts === null)
    throw new AppError(
      "UNAVAILABLE",
      "This program cannot restart itself: it was started without a part that could do so. Nothing was restarted; a person ends it and starts it again.",
    );
  const delayMs = clampDelay(input.delayMs);
  const reason = optionalText(input.reason, maxReasonChars);
  const note = optionalText(input.note, maxNoteChars);
  if (deps.hardening().has("gateway.restartAsks")) {
    const { openCalls, ...facts } = deps.facts();
    const shown = { ...facts, openCalls: Math.max(0, openCalls - 1) };
    const answer = await deps.approvals.request(
      draftOfRestart({ delayMs, reason, note }, shown, deps.stateDir, context),
      context.signal,
      (approvalId) => context.reportWaiting({ approvalId }),
    );
    if (answer.outcome !== "allowed-once") return notAllowed(answer, notRestarted);
    context.reportWaiting(null);
    // Policy and config may have changed while a person looked.
    if (context.isStillVisible?.() === false)
      return refusedByRule(
        "Policy changed while this waited: the agent may not use gateway any more. Nothing was restarted.",
        "policy",
        { code: "toolHidden", params: { tool: "gateway" } },
      );
    if (isOff(deps)) return refusedAsOff();
  }
  context.signal.throwIfAborted();
  const planned = deps.restarts.request({
    delayMs,
    reason,
    by: context.callerId,
    sessionKey: input.sessionKey ?? context.sessionKey,
    note,
  });
  deps.record("restart.planned", context.callerId, {
    toolCallId: context.toolCallId,
    delayMs: planned.delayMs,
    coalesced: planned.coalesced,
    reason: reason ?? null,
  });
  return jsonResult(planned);
}

/** Unset means allowed, as in the reference; only an explicit false forbids it. */
function isOff(deps: RestartActionDeps): boolean {
  return getIn(deps.config(), "commands", "restart") === false;
}

function refusedAsOff(): ToolResult {
  return refusedByRule(
    "Restarts are off: commands.restart is false in openclaw.json. Nothing was restarted.",
    "commands.restart",
    { code: "restartOff", params: { path: "commands.restart" } },
  );
}

function optionalText(text: string | undefined, maxChars: number): string | undefined {
  return text === undefined ? undefined : clip(text, maxChars);
}
