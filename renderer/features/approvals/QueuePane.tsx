/** The queue: oldest first, with the last decisions below; a strip of tabs in narrow windows. */

import { Link } from "wouter";
import type { ApprovalDecision, ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { useSessionName } from "../../rpc/useSessionName.ts";
import { Button } from "../../ui/Button.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText } from "./CommandText.tsx";
import { outcomeShape, useDecisionWords } from "./decisionWords.ts";
import { TimeDigits } from "./TimeLeft.tsx";

export interface QueueProps {
  pending: ApprovalRequest[];
  currentId: string | null;
  onShow: (id: string) => void;
}

/** Lists show the beginning only; the card shows everything. */
const shownLength = 160;

/** The first line of anything but a command names it; of a command, lines run on. */
function shownEnd({ kind, command }: ApprovalRequest, length: number): number {
  const firstLine = kind !== "exec" && kind !== "broadMode" ? command.indexOf("\n") : -1;
  return Math.min(command.length, length, firstLine < 0 ? length : firstLine);
}
const maxListed = 100;

export function QueuePane({ pending, currentId, onShow }: QueueProps) {
  const t = useT("approvals");
  const sessionName = useSessionName();
  return (
    <section className="pane pane-list queue-pane" aria-label={t("queue.label")} data-region tabIndex={-1}>
      <div className="pane-header">
        <h2 className="view-title">{t("queue.title")}</h2>
        <span className="dim nowrap">{t("queue.waiting", { count: pending.length })}</span>
      </div>
      <div className="pane-body">
        <ul className="queue-list">
          {pending.slice(0, maxListed).map((request) => (
            <li key={request.id}>
              <button
                type="button"
                className="queue-item"
                aria-current={request.id === currentId}
                onClick={() => onShow(request.id)}
              >
                <span className="evidence ellipsis">
                  <CommandText text={request.command} end={shownEnd(request, shownLength)} />
                </span>
                <span className="queue-meta">
                  <span className="ellipsis" title={request.sessionKey}>
                    <CommandText text={`${request.agentId} · ${sessionName(request.sessionKey)}`} />
                  </span>
                  <TimeDigits request={request} />
                </span>
              </button>
            </li>
          ))}
          <li className="queue-hint">
            {pending.length > maxListed
              ? t("queue.more", { count: pending.length - maxListed })
              : t("queue.order")}
          </li>
        </ul>
        <LastDecisions />
        <div className="queue-foot">
          <Link href="/approvals/history" className="button button-plain button-small">
            {t("history.link")}
          </Link>
          <Link href="/approvals/grants" className="button button-plain button-small">
            {t("grants.title")}
          </Link>
        </div>
      </div>
    </section>
  );
}

export function QueueStrip({ pending, currentId, onShow }: QueueProps) {
  const t = useT("approvals");
  return (
    <nav className="queue-strip" aria-label={t("queue.label")} data-region>
      <div className="strip-tabs">
        {pending.slice(0, maxListed).map((request, index) => (
          <button
            key={request.id}
            type="button"
            className="strip-tab"
            aria-current={request.id === currentId}
            onClick={() => onShow(request.id)}
          >
            <b>{index + 1}</b>
            <span className="evidence ellipsis">
              <CommandText text={request.command} end={shownEnd(request, 40)} />
            </span>
            <TimeDigits request={request} />
          </button>
        ))}
        <span className="small strip-hint">{t("queue.orderShort")}</span>
      </div>
      <span className="grow" />
      <Link href="/approvals/grants" className="button button-plain button-small strip-hint">
        {t("grants.title")}
      </Link>
      <Link href="/approvals/history" className="button button-plain button-small strip-hint">
        {t("history.link")}
      </Link>
    </nav>
  );
}

export function LastDecisions() {
  const t = useT("approvals");
  const recent = useLive((state) => state.recentDecisions);
  const words = useDecisionWords();
  if (recent.length === 0) return null;
  return (
    <div className="last-decisions">
      <h3>{t("last.title")}</h3>
      <ul>
        {recent.slice(0, 4).map((decision) => (
          <li key={decision.id} className="last-decision" title={words.long(decision.by)}>
            <VerdictShape kind={outcomeShape(decision)} />
            <span className="sr-only">{t(`outcome.${decision.outcome}`, { ns: "reasons" })}</span>
            <span className="evidence ellipsis">
              <CommandText text={decision.command} end={Math.min(decision.command.length, 80)} />
            </span>
            <span className="second">{words.short(decision.by)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Departed({ decision }: { decision: ApprovalDecision | null }) {
  const t = useT("approvals");
  const words = useDecisionWords();
  return (
    <div role="status">
      {decision === null ? null : (
        <p className="departed">
          <VerdictShape kind={outcomeShape(decision)} />
          <span>{t(`departed.${decision.outcome}`, { by: words.long(decision.by) })}</span>
          <code className="ellipsis">
            <CommandText text={decision.command} end={Math.min(decision.command.length, shownLength)} />
          </code>
        </p>
      )}
    </div>
  );
}

export function GrantsButton() {
  const t = useT("approvals");
  return (
    <Link href="/approvals/grants" asChild>
      <Button look="plain">{t("grants.title")}</Button>
    </Link>
  );
}

export function HistoryButton() {
  const t = useT("approvals");
  return (
    <Link href="/approvals/history" asChild>
      <Button look="plain">{t("history.link")}</Button>
    </Link>
  );
}
