/** What was decided: who or what, why, when, and what it stored. */

import { useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import type { ApprovalDecision } from "../../../shared/contract/index.ts";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useLive, useQueryRpc } from "../../rpc/hooks.ts";
import { useSessionName } from "../../rpc/useSessionName.ts";
import { Segmented } from "../../ui/Segmented.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState, ErrorState } from "../../ui/States.tsx";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { ViewHeader } from "../../ui/ViewHeader.tsx";
import { CommandText, PlainText } from "./CommandText.tsx";
import { outcomeShape, useDecisionWords } from "./decisionWords.ts";
import "./approvals.css";
import "./burst.css";

type Filter = "all" | "allowed" | "denied" | "other";
const filters: Filter[] = ["all", "allowed", "denied", "other"];
const limit = 500;

export function HistoryView() {
  const t = useT("approvals");
  const [filter, setFilter] = useState<Filter>("all");
  const [query, setQuery] = useState("");
  const recent = useLive((state) => state.recentDecisions);
  const { data, error, refetch } = useQueryRpc("approvals.history", { limit });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new decision is the sign to read again
  useEffect(() => void refetch(), [recent, refetch]);
  const shown = useMemo(
    () =>
      (data?.decisions ?? []).filter(
        (decision) => fits(decision, filter) && decision.command.toLowerCase().includes(query.toLowerCase()),
      ),
    [data, filter, query],
  );
  return (
    <div className="view">
      <Breadcrumb>{t("history.crumb")}</Breadcrumb>
      <ViewHeader
        title={t("history.title")}
        sub={<span className="dim">{t("history.count", { count: shown.length })}</span>}
        actions={
          <>
            <input
              className="input history-search"
              type="search"
              aria-label={t("history.search")}
              placeholder={t("history.search")}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
            <Segmented
              role="radio"
              label={t("history.filter")}
              value={filter}
              options={filters.map((value) => ({ value, label: t(`history.filters.${value}`) }))}
              onChange={setFilter}
            />
            <Link href="/approvals" className="button button-plain button-small">
              {t("history.back")}
            </Link>
          </>
        }
      />
      <div className="view-body">
        {error !== null && data === undefined ? (
          <ErrorState title={t("history.failed")} error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton rows={8} />
        ) : shown.length === 0 ? (
          <EmptyState title={t("history.empty")} />
        ) : (
          <HistoryTable decisions={shown} />
        )}
      </div>
    </div>
  );
}

function HistoryTable({ decisions }: { decisions: ApprovalDecision[] }) {
  const t = useT("approvals");
  const language = useLanguage();
  const words = useDecisionWords();
  const sessionName = useSessionName();
  const time = new Intl.DateTimeFormat(language, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{t("history.column.time")}</th>
          <th>{t("history.column.outcome")}</th>
          <th>{t("history.column.command")}</th>
          <th>{t("history.column.agent")}</th>
          <th>{t("history.column.by")}</th>
        </tr>
      </thead>
      <tbody>
        {decisions.map((decision) => (
          <tr key={`${decision.id} ${decision.decidedAtMs}`}>
            <td className="evidence dim nowrap">{time.format(decision.decidedAtMs)}</td>
            <td>
              <VerdictChip kind={outcomeShape(decision)}>
                {t(`outcome.${decision.outcome}`, { ns: "reasons" })}
              </VerdictChip>
            </td>
            <td className="evidence burst-command">
              <CommandText text={decision.command} />
              {decision.editedCommand === undefined ? null : (
                <p className="second">
                  {t("history.edited")} <CommandText text={decision.editedCommand} />
                </p>
              )}
              {decision.grantId === undefined ? null : <p className="second">{t("history.grant")}</p>}
              {decision.note === null ? null : (
                <p className="second">
                  {t("history.note")} <CommandText text={decision.note} />
                </p>
              )}
              {decision.stored.length === 0 ? null : (
                <p className="second">
                  {t("history.stored")}{" "}
                  <CommandText text={decision.stored.map((entry) => entry.pattern).join(", ")} />
                </p>
              )}
            </td>
            <td className="evidence dim" title={decision.sessionKey}>
              <CommandText text={`${decision.agentId} · ${sessionName(decision.sessionKey)}`} />
            </td>
            <td className="second">
              <PlainText text={words.long(decision.by)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function fits(decision: ApprovalDecision, filter: Filter): boolean {
  if (filter === "all") return true;
  const isAllowed = decision.outcome === "allowed-once" || decision.outcome === "allowed-always";
  if (filter === "allowed") return isAllowed;
  if (filter === "denied") return decision.outcome === "denied";
  return !isAllowed && decision.outcome !== "denied";
}
