/** One tool: what the model would see of it, a form to call it, and the result of the last call from here. */

import { useState } from "react";
import { Link } from "wouter";
import type { CatalogTool } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { VerdictChip, VerdictShape } from "../../ui/index.ts";
import { CommandText } from "../approvals/CommandText.tsx";
import { useServerOfTool } from "../mcpServers/toolServers.ts";
import { CallForm } from "./CallForm.tsx";
import { CallState } from "./CallState.tsx";
import { JsonTree } from "./JsonTree.tsx";
import { ResultView } from "./ResultView.tsx";
import { useCallAnswer } from "./useCallAnswer.ts";

export function ToolDetail({ tool }: { tool: CatalogTool }) {
  const t = useT("tools");
  const reasonText = useReason();
  const server = useServerOfTool(tool.name);
  const [callId, setCallId] = useState<string | null>(null);
  const { call, answer, error: waitError } = useCallAnswer(callId);
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
        {server === null ? null : <ForeignNote server={server.name} />}
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

/** Whose words the description and the schema are. */
function ForeignNote({ server }: { server: string }) {
  const t = useT("tools");
  return (
    <p className="tools-foreign">
      <VerdictShape kind="asks" />
      <span>
        {t("fromServer")}{" "}
        <Link href={`/clients/servers/${encodeURIComponent(server)}`} className="evidence">
          <CommandText text={server} />
        </Link>
        {t("fromServerNote")}
      </span>
    </p>
  );
}
