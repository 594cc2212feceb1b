/** The card alone, in its own window. Closing the window denies what it shows: the shell sees to that. */

import { useSearchParams } from "wouter";
import { Banners } from "../../app/Banners.tsx";
import { useT } from "../../i18n/index.ts";
import { Logo } from "../../ui/Icon.tsx";
import { EmptyState } from "../../ui/States.tsx";
import { ApprovalAnnouncer } from "./ApprovalAnnouncer.tsx";
import { ApprovalCard } from "./ApprovalCard.tsx";
import { Departed } from "./QueuePane.tsx";
import { useQueue } from "./useQueue.ts";
import "./approvals.css";

export function ApprovalWindow() {
  const t = useT("approvals");
  const [params] = useSearchParams();
  const queue = useQueue(params.get("id"), () => {});
  const { current, pending } = queue;
  return (
    <main className="approval-window">
      <ApprovalAnnouncer />
      <header className="window-bar">
        <Logo />
        <h1>{t("window.title")}</h1>
        {current === null || pending === null ? null : (
          <>
            <span className="dim grow">
              {t("queue.position", { index: queue.index + 1, total: pending.length })}
            </span>
            <span className="evidence dim">{current.id.slice(0, 8)}</span>
          </>
        )}
      </header>
      <Banners />
      <Departed decision={queue.departed} />
      <div className="card-place">
        {current === null ? (
          pending === null ? null : (
            <EmptyState title={t("empty.title")}>
              <p>{t("window.empty")}</p>
            </EmptyState>
          )
        ) : (
          <ApprovalCard
            key={`${current.id} ${current.digest}`}
            request={current}
            isWindow
            isUnderFingers={queue.isUnderFingers}
            onDecided={queue.onDecided}
          />
        )}
      </div>
    </main>
  );
}
