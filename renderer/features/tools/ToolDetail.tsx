/** One tool: what the model would see of it, a form to call it, and the result of the last call from here. */

import { useEffect, useState } from "react";
import type { CatalogTool } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import type { PanelOutput } from "../../rpc/connection.ts";
import { useLive, useRpc } from "../../rpc/hooks.ts";
import { VerdictChip } from "../../ui/index.ts";
import { CallForm } from "./CallForm.tsx";
import { CallState } from "./CallState.tsx";
import { JsonTree } from "./JsonTree.tsx";
import { ResultView } from "./ResultView.tsx";

type Answer = PanelOutput<"calls.wait">;

export function ToolDetail({ tool }: { tool: CatalogTool }) {
  const t = useT("tools");
  const reasonText = useReason();
  const rpc = useRpc();
  const [callId, setCallId] = useState<string | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [waitError, setWaitError] = useState<string | null>(null);
  const live = useLive((state) => (callId === null ? undefined : state.calls.get(callId)));
  useEffect(() => {
    setAnswer(null);
    setWaitError(null);
    if (callId === null) return;
    const abort = new AbortController();
    rpc
      .call("calls.wait", { toolCallId: callId }, { signal: abort.signal })
      .then(setAnswer, (error: unknown) => {
        if (!abort.signal.aborted) setWaitError(error instanceof Error ? error.message : String(error));
      });
    return () => abort.abort();
  }, [rpc, callId]);
  const call = answer?.call ?? live;
  const isAbsent = tool.presence.kind === "absent";
  return (
    <div className="tools-detail">
      <div className="row">
        <h2 className="tools-name evidence">{tool.name}</h2>
        {isAbsent ? (
          <VerdictChip kind="skipped">{t("absentLong")}</VerdictChip>
        ) : (
          <VerdictChip kind="kept">{t("registered")}</VerdictChip>
        )}
        {tool.risk === null ? null : <span className="second">{t(`riskLong.${tool.risk}`)}</span>}
      </div>
      {tool.presence.kind === "absent" ? <p className="second">{reasonText(tool.presence.reason)}</p> : null}
      <section aria-label={isAbsent ? t("modelWouldSee") : t("modelSees")}>
        <h2>{isAbsent ? t("modelWouldSee") : t("modelSees")}</h2>
        <p className="tools-description">{tool.description}</p>
        <p className="second">
          {t("promptLine")} <code>{tool.promptLine}</code>
        </p>
        {isAbsent ? null : (
          <details className="tools-details">
            <summary>{t("schema")}</summary>
            <JsonTree value={tool.inputSchema} />
          </details>
        )}
      </section>
      {isAbsent ? null : <CallForm tool={tool} lastState={call?.state ?? null} onStarted={setCallId} />}
      {call === undefined ? null : <CallState call={call} />}
      {waitError === null ? null : (
        <p className="field-error" role="alert">
          {t("waitFailed", { message: waitError })}
        </p>
      )}
      {answer?.result ? (
        <ResultView tool={tool.name} toolCallId={answer.call.toolCallId} result={answer.result} />
      ) : null}
    </div>
  );
}
