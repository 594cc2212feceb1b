/** Gate two up to the decision: refuses what may never run, and binds the rest to the files that were seen. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import {
  type ExecDecision,
  type ExecReason,
  findSelfApproval,
  type Grant,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { type Binding, bind } from "../approvals/binding.ts";
import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";
import type { ExecJudge, JudgedCall } from "./execJudge.ts";
import { grantsWithChangedFiles } from "./grantPins.ts";
import type { ExecHost, HostPlace } from "./hosts/index.ts";
import { refused, refusedByRule, refuseSelfApproval } from "./refusals.ts";
import { pinnedFiles, selfApprovingScript } from "./scriptChecks.ts";
import { toReason } from "./segmentReasons.ts";

/** A command that may run: at once, or after a person's decision. */
export interface ExecReady {
  kind: "ready";
  decision: ExecDecision;
  binding: Binding;
  /** What a person should know beside the decision. */
  notices: ApprovalRequest["warnings"];
}

export type ExecPreparation = ExecReady | { kind: "refused"; result: ToolResult };

export type ExecPreparer = (
  call: JudgedCall,
  context: Pick<ToolCallContext, "agentId" | "sessionKey" | "callerId">,
  host: ExecHost,
  place: HostPlace,
) => Promise<ExecPreparation>;

export function createExecPreparer(deps: {
  judge: ExecJudge;
  grants(): readonly Grant[];
  hardening(): Hardening;
}): ExecPreparer {
  const prepareWith = async (
    grants: readonly Grant[],
    notices: ApprovalRequest["warnings"],
    ...[call, caller, host, place]: Parameters<ExecPreparer>
  ): Promise<ExecPreparation> => {
    const { agentId, sessionKey, callerId } = caller;
    const { cwd, env } = place;
    const no = (result: ToolResult): ExecPreparation => ({ kind: "refused", result });
    if (findSelfApproval(call.command, deps.hardening()) !== null) return no(refuseSelfApproval());
    const judged = deps.judge.judge(call, { agentId, sessionKey, callerId, cwd, env }, { grants });
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
    if (selfApprovingScript(decision.plan, deps.hardening()) !== null) return no(refuseSelfApproval());
    const bound = await bind(cwd, pinnedFiles(decision.plan), env.PATH);
    if (!bound.ok)
      return no(
        refused(
          bound.reason,
          { kind: "system", reason: bound.reason },
          "A program of this command cannot be read, so nothing could be bound to a decision. Nothing was executed.",
        ),
      );
    const { binding } = bound;
    const changed = grantsWithChangedFiles(decision, binding, grants);
    if (changed.size === 0) return { kind: "ready", decision, binding, notices };
    // Those grants were for another content: the command is judged again as if they were not there.
    const left = grants.filter((grant) => !changed.has(grant.id));
    const paths = [...new Set(changed.values())];
    const told = paths.map((path) => ({
      level: "warn" as const,
      reason: { code: "grantFileChanged", params: { path } },
    }));
    return prepareWith(left, [...notices, ...told], call, caller, host, place);
  };
  return (...request) => prepareWith(deps.grants(), [], ...request);
}

function ruleIdOf(reason: ExecReason | undefined): string {
  const rule = reason?.rule;
  if (rule?.kind === "config" || rule?.kind === "approvalsFile") return rule.path;
  return reason?.code ?? "exec";
}
