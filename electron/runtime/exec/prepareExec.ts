/** Gate two up to the decision: refuses what may never run, and binds the rest to the files that were seen. */

import { AppError } from "../../../shared/errors/index.ts";
import { type ExecDecision, type ExecReason, findSelfApproval } from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { type Binding, bind } from "../approvals/binding.ts";
import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";
import { toReason } from "./approvalDraft.ts";
import type { ExecJudge, JudgedCall } from "./execJudge.ts";
import type { ExecHost, HostPlace } from "./hosts/index.ts";
import { refused, refusedByRule, refuseSelfApproval } from "./refusals.ts";
import { pinnedFiles, selfApprovingScript } from "./scriptChecks.ts";

/** A command that may run: at once, or after a person's decision. */
export interface ExecReady {
  kind: "ready";
  decision: ExecDecision;
  binding: Binding;
}

export type ExecPreparation = ExecReady | { kind: "refused"; result: ToolResult };

export type ExecPreparer = (
  call: JudgedCall,
  context: Pick<ToolCallContext, "agentId" | "sessionKey" | "callerId">,
  host: ExecHost,
  place: HostPlace,
) => Promise<ExecPreparation>;

export function createExecPreparer(deps: { judge: ExecJudge; hardening(): Hardening }): ExecPreparer {
  return async (call, { agentId, sessionKey, callerId }, host, { cwd, env }) => {
    const no = (result: ToolResult): ExecPreparation => ({ kind: "refused", result });
    if (findSelfApproval(call.command, deps.hardening()) !== null) return no(refuseSelfApproval());
    const judged = deps.judge.judge(call, { agentId, sessionKey, callerId, cwd, env });
    if (!judged.ok) return no(refusedByRule(judged.code, judged.message));
    const { decision } = judged;
    // The config may have changed since the host was chosen; folder and environment are those of the chosen one.
    if (decision.effective.host.value !== host.kind)
      throw new AppError("UNAVAILABLE", "The config changed while this command was judged. Send it again.");
    if (decision.outcome === "deny") {
      const [reason] = decision.reasons;
      return no(
        refused(
          reason === undefined ? { code: "denied", params: {} } : toReason(reason),
          { kind: "rule", ruleId: ruleIdOf(reason) },
          decision.error ?? "exec denied",
        ),
      );
    }
    if ((await selfApprovingScript(decision.plan, deps.hardening())) !== null)
      return no(refuseSelfApproval());
    const bound = await bind(cwd, pinnedFiles(decision.plan));
    if (!bound.ok)
      return no(
        refused(
          bound.reason,
          { kind: "system", reason: bound.reason },
          "A program of this command cannot be read, so nothing could be bound to a decision. Nothing was executed.",
        ),
      );
    return { kind: "ready", decision, binding: bound.binding };
  };
}

function ruleIdOf(reason: ExecReason | undefined): string {
  const rule = reason?.rule;
  if (rule?.kind === "config" || rule?.kind === "approvalsFile") return rule.path;
  return reason?.code ?? "exec";
}
