/** Many requests at once: a table of groups, decided group by group or row by row, never all at once (A9). */

import { useEffect, useMemo, useRef, useState } from "react";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useKeyHelp, useViewKeys, type ViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { ViewHeader } from "../../ui/ViewHeader.tsx";
import { BurstGroupRows } from "./BurstGroupRows.tsx";
import { groupBurst } from "./burstGroups.ts";
import { PauseAgent, usePausableAgents } from "./PauseAgents.tsx";
import { GrantsButton, HistoryButton } from "./QueuePane.tsx";
import { RuleOffer } from "./RuleOffer.tsx";
import { RulePreviewPanel } from "./RulePreviewPanel.tsx";
import { proposeRules } from "./ruleProposals.ts";
import { useBatch } from "./useBatch.ts";
import "./burst.css";
import "./rules.css";

export interface BurstTableProps {
  pending: ApprovalRequest[];
  /** Opens one request as a card. */
  onReview: (id: string) => void;
}

export function BurstTable({ pending, onReview }: BurstTableProps) {
  const t = useT("approvals");
  const groups = useMemo(() => groupBurst(pending), [pending]);
  const [openKey, setOpenKey] = useState<string | null>(null);
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const batch = useBatch();
  const proposals = useMemo(() => proposeRules(groups), [groups]);
  const [isRuleOpen, setIsRuleOpen] = useState(false);
  const previewButton = useRef<HTMLButtonElement>(null);
  const [busiest, ...otherAgents] = usePausableAgents(pending);
  const active = groups.findIndex((group) => group.key === activeKey);
  const focusGroup = (index: number) => {
    const next = groups[Math.max(0, Math.min(groups.length - 1, index))];
    if (next === undefined) return;
    setActiveKey(next.key);
    rowOf(next.key)?.focus();
  };
  const move = (step: number) => focusGroup(active + step);
  useRefocus(active, focusGroup);
  const open = () => {
    const group = groups[active];
    if (group === undefined) return;
    if (group.rows.length === 1) onReview(group.first.id);
    else if (openKey !== group.key) setOpenKey(group.key);
    // A second press goes in, to the rows that Space ticks.
    else firstTick(group.key)?.focus();
  };
  const close = () => {
    setOpenKey(null);
    if (active >= 0) focusGroup(active);
  };
  const keys: ViewKeys = {
    ArrowDown: { label: t("burst.keys.down"), run: () => move(1) },
    ArrowUp: { label: t("burst.keys.up"), run: () => move(active < 0 ? 1 : -1) },
    ArrowRight: { label: t("burst.keys.open"), run: open },
    ArrowLeft: { label: t("burst.keys.close"), run: close },
    d: {
      label: t("burst.keys.deny"),
      run: (event) => {
        const group = groups[active];
        if (group !== undefined && !event.repeat)
          void batch.run(
            "deny",
            group.rows.map((row) => row.request),
          );
      },
    },
  };
  // The keys of the table act on what is on screen only.
  useViewKeys(isRuleOpen ? {} : keys);
  // A row's own box takes Space.
  useKeyHelp({ Space: t("burst.keys.tick") });
  return (
    <div className="view">
      <ViewHeader
        title={t("queue.title")}
        sub={
          <>
            <span className="dim">
              {t("burst.summary", {
                count: pending.length,
                groups: t("burst.groups", { count: groups.length }),
              })}
            </span>
            <VerdictChip kind="asks" filled>
              {t("burst.chip", { count: pending.length, time: spanText(pending) })}
            </VerdictChip>
          </>
        }
        actions={
          <>
            <HistoryButton />
            <GrantsButton />
            {busiest === undefined ? null : <PauseAgent agentId={busiest} />}
          </>
        }
      />
      <div role="status" className="burst-said">
        {batch.said === null ? null : t(`burst.said.${batch.said.kind}`, { ...batch.said })}
      </div>
      {isRuleOpen ? (
        <div className="view-body">
          <RulePreviewPanel
            pending={pending}
            proposals={proposals}
            isBusy={batch.isBusy}
            onClose={() => {
              setIsRuleOpen(false);
              requestAnimationFrame(() => previewButton.current?.focus());
            }}
            onSave={(source, { scope, lifetime }, others) => {
              setIsRuleOpen(false);
              void batch.saveRule(source, { scopeId: scope.id, lifetime }, others);
            }}
          />
        </div>
      ) : (
        <div className="view-body">
          <table className="table burst-table">
            <thead>
              <tr>
                <th className="burst-count">{t("burst.column.count")}</th>
                <th>{t("burst.column.request")}</th>
                <th className="burst-agent">{t("burst.column.agent")}</th>
                <th className="burst-why">{t("burst.column.why")}</th>
                <th className="burst-time">{t("burst.column.waiting")}</th>
                <th className="burst-time">{t("burst.column.expires")}</th>
                <th>
                  <span className="sr-only">{t("burst.column.acts")}</span>
                </th>
              </tr>
            </thead>
            {groups.map((group) => (
              <BurstGroupRows
                key={group.key}
                group={group}
                isOpen={group.key === openKey}
                isBusy={batch.isBusy}
                onFocus={() => setActiveKey(group.key)}
                onToggle={() => setOpenKey(group.key === openKey ? null : group.key)}
                onReview={onReview}
                onDecide={(decision, requests) => void batch.run(decision, requests)}
              />
            ))}
          </table>
          <div className="burst-foot-row">
            {proposals[0] === undefined ? null : (
              <RuleOffer
                ref={previewButton}
                pending={pending}
                proposal={proposals[0]}
                isBusy={batch.isBusy}
                onOpen={() => setIsRuleOpen(true)}
              />
            )}
            {otherAgents.map((agentId) => (
              <PauseAgent key={agentId} agentId={agentId} />
            ))}
            <span className="grow" />
            <span className="small">{t("burst.noAllowAll")}</span>
          </div>
        </div>
      )}
    </div>
  );
}

function rowOf(groupKey: string): HTMLElement | null {
  const rows = document.querySelectorAll<HTMLElement>("[data-group]");
  return [...rows].find((row) => row.dataset.group === groupKey) ?? null;
}

function firstTick(groupKey: string): HTMLElement | null {
  return (
    rowOf(groupKey)?.closest("tbody")?.querySelector<HTMLElement>(".burst-member input:not(:disabled)") ??
    null
  );
}

/**
 * A group that was decided takes the focus with it when it goes: the one in its place gets it, so that the next key
 * acts on what is marked. A focus that is elsewhere stays there.
 */
function useRefocus(active: number, focusGroup: (index: number) => void): void {
  const lastActive = useRef(-1);
  useEffect(() => {
    if (active >= 0) {
      lastActive.current = active;
      return;
    }
    const place = lastActive.current;
    lastActive.current = -1;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (place >= 0 && isLost) focusGroup(place);
  });
}

/** How long it took the waiting requests to arrive, as `0:08`. */
function spanText(pending: readonly ApprovalRequest[]): string {
  const times = pending.map((request) => request.createdAtMs);
  const seconds = Math.max(1, Math.ceil((Math.max(...times) - Math.min(...times)) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
