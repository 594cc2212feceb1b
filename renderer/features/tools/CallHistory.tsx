/** Calls of every caller, newest first, live: state, tool, arguments, time. */

import { useMemo } from "react";
import type { ToolCallSnapshot } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useLive, useQueryRpc } from "../../rpc/hooks.ts";
import { EmptyState, VerdictShape, VirtualList } from "../../ui/index.ts";
import { TryoutCard } from "../tryout/TryoutCard.tsx";
import { CallState } from "./CallState.tsx";
import { callShape, durationText, sortedCalls } from "./callWords.ts";
import { ResultView } from "./ResultView.tsx";

export function CallHistory(props: { picked: string | null; onPick: (toolCallId: string | null) => void }) {
  const t = useT("tools");
  const language = useLanguage();
  const calls = useLive((state) => state.calls);
  const rows = useMemo(() => sortedCalls(calls), [calls]);
  const time = useMemo(
    () => new Intl.DateTimeFormat(language, { timeStyle: "medium", hour12: false }),
    [language],
  );
  if (rows.length === 0)
    return (
      <>
        <EmptyState title={t("noCalls")}>{t("noCallsText")}</EmptyState>
        <TryoutCard />
      </>
    );
  return (
    <VirtualList
      label={t("history")}
      items={rows}
      keyOf={(call) => call.toolCallId}
      rowHeight={27}
      renderRow={(call) => (
        <Row
          call={call}
          at={time.format(call.createdAtMs)}
          isPicked={call.toolCallId === props.picked}
          onPick={props.onPick}
        />
      )}
    />
  );
}

function Row(props: {
  call: ToolCallSnapshot;
  at: string;
  isPicked: boolean;
  onPick: (toolCallId: string | null) => void;
}) {
  const t = useT("tools");
  const { call, isPicked } = props;
  return (
    <div className={isPicked ? "tools-call is-picked" : "tools-call"}>
      <button
        type="button"
        className="tools-call-row"
        aria-expanded={isPicked}
        onClick={() => props.onPick(isPicked ? null : call.toolCallId)}
      >
        <VerdictShape kind={callShape(call.state)} />
        <code className="ellipsis">{call.tool}</code>
        <code className="ellipsis dim" title={call.argsShown}>
          {call.argsShown}
        </code>
        <span className="second nowrap">
          {call.state.kind === "succeeded"
            ? durationText(call.state.durationMs)
            : t(`state.${call.state.kind}`)}
        </span>
        <span className="second ellipsis">{call.callerLabel}</span>
        <span className="second nowrap">{props.at}</span>
      </button>
      {isPicked ? (
        <div className="tools-call-open">
          <pre className="tools-text">{call.argsShown}</pre>
          <p className="second">{t("from", { caller: call.callerLabel, session: call.sessionKey })}</p>
          <CallState call={call} />
          {call.state.kind === "succeeded" || call.state.kind === "failed" ? (
            <KeptResult call={call} />
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

/** What the agent got. The runtime keeps the results of the newest calls; an older one has its entry in the ledger. */
function KeptResult({ call }: { call: ToolCallSnapshot }) {
  const t = useT("tools");
  const query = useQueryRpc("calls.wait", { toolCallId: call.toolCallId }, { staleTimeMs: 3_600_000 });
  if (query.isError) return <p className="second">{t("resultGone")}</p>;
  const result = query.data?.result ?? null;
  return result === null ? null : (
    <ResultView tool={call.tool} toolCallId={call.toolCallId} result={result} />
  );
}
