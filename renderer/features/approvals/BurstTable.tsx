/** Many requests at once: a table of groups, decided group by group or row by row, never all at once (A9). */

import { useEffect, useMemo, useRef, useState } from "react";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useKeyHelp, useViewKeys, type ViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { ViewHeader } from "../../ui/ViewHeader.tsx";
import { BurstGroupRows } from "./BurstGroupRows.tsx";
import { groupBurst } from "./burstGroups.ts";
import { GrantsButton, HistoryButton } from "./QueuePane.tsx";
import { useBatch } from "./useBatch.ts";
import "./burst.css";

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
  useViewKeys(keys);
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
          </>
        }
      />
      <div role="status" className="burst-said">
        {batch.said === null ? null : t(`burst.said.${batch.said.kind}`, { ...batch.said })}
      </div>
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
        <p className="small burst-foot">{t("burst.noAllowAll")}</p>
      </div>
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
