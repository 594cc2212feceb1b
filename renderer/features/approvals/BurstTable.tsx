/** Many requests at once: a table of groups, decided group by group or row by row, never all at once (A9). */

import { useMemo, useState } from "react";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useViewKeys, type ViewKeys } from "../../app/viewKeys.ts";
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
  const move = (step: number) => {
    const next = groups[Math.max(0, Math.min(groups.length - 1, active + step))];
    if (next === undefined) return;
    setActiveKey(next.key);
    document.querySelector<HTMLElement>(`[data-group="${CSS.escape(next.key)}"]`)?.focus();
  };
  const keys: ViewKeys = {
    ArrowDown: { label: t("burst.keys.down"), run: () => move(1) },
    ArrowUp: { label: t("burst.keys.up"), run: () => move(active < 0 ? 1 : -1) },
    ArrowRight: { label: t("burst.keys.open"), run: () => setOpenKey(activeKey) },
    ArrowLeft: { label: t("burst.keys.close"), run: () => setOpenKey(null) },
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

/** How long it took the waiting requests to arrive, as `0:08`. */
function spanText(pending: readonly ApprovalRequest[]): string {
  const times = pending.map((request) => request.createdAtMs);
  const seconds = Math.max(1, Math.ceil((Math.max(...times) - Math.min(...times)) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
