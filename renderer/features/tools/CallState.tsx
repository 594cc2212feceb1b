/** One call as it stands: shape, word, what it waits for, and why it ended as it did. */

import { Link } from "wouter";
import type { ToolCallSnapshot } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, VerdictShape } from "../../ui/index.ts";
import { callShape, durationText, hasEnded } from "./callWords.ts";

export function CallState({ call }: { call: ToolCallSnapshot }) {
  const t = useT("tools");
  const reasonText = useReason();
  const cancel = useMutationRpc("calls.cancel");
  const { state } = call;
  return (
    <div className="tools-state" role="status">
      <VerdictShape kind={callShape(state)} />
      <strong>{t(`state.${state.kind}`)}</strong>
      {state.kind === "succeeded" || state.kind === "failed" ? (
        <span className="second">
          {durationText(state.durationMs)}
          {state.output === undefined ? null : ` · ${t("outputSize", { ...state.output })}`}
        </span>
      ) : null}
      {state.kind === "awaitingApproval" ? (
        <Link className="tools-link" href={`/approvals?id=${encodeURIComponent(state.approvalId)}`}>
          {t("openApproval")}
        </Link>
      ) : null}
      {state.kind === "hidden" ? (
        <>
          <span className="second">{reasonText(state.reason)}</span>
          <Link
            className="tools-link"
            href={`/policy/why/${encodeURIComponent(call.tool)}?agent=${encodeURIComponent(call.agentId)}`}
          >
            {t("whyMissing", { tool: call.tool })}
          </Link>
        </>
      ) : null}
      {state.kind === "denied" ? (
        <span className="second">
          {t(`by.${state.by.kind}`, {
            who: state.by.kind === "person" ? state.by.principalId : "",
            rule: state.by.kind === "rule" ? state.by.ruleId : "",
          })}
          {": "}
          {reasonText(state.reason)}
          {state.note === null ? null : ` ${t("note", { note: state.note })}`}
        </span>
      ) : null}
      {state.kind === "failed" ? <span className="second">{state.message}</span> : null}
      {state.kind === "invalid" ? (
        <span className="second">
          {state.issues
            .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
            .join("; ")}
        </span>
      ) : null}
      {hasEnded(state) ? null : (
        <>
          {call.progress === null ? null : <span className="second ellipsis">{call.progress}</span>}
          <Button onClick={() => cancel.mutate({ toolCallId: call.toolCallId })}>{t("cancel")}</Button>
        </>
      )}
    </div>
  );
}
