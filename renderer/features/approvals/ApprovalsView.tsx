/** The inbox: the queue, the request on screen, or the table of a burst. */

import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { navigateTo } from "../../app/hashLocation.ts";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState } from "../../ui/States.tsx";
import { useIsNarrow } from "../../ui/useIsNarrow.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { TryoutCard } from "../tryout/TryoutCard.tsx";
import { ApprovalCard } from "./ApprovalCard.tsx";
import { BurstTable } from "./BurstTable.tsx";
import { isBurst } from "./burstGroups.ts";
import { CommandText } from "./CommandText.tsx";
import { useDecisionWords } from "./decisionWords.ts";
import { Departed, GrantsButton, HistoryButton, LastDecisions, QueuePane, QueueStrip } from "./QueuePane.tsx";
import { type Queue, useQueue } from "./useQueue.ts";
import "./approvals.css";

export function ApprovalsView() {
  const t = useT("approvals");
  const [params] = useSearchParams();
  const askedId = params.get("id");
  const queue = useQueue(askedId, () => navigateTo("/approvals", { replace: true }));
  const layout = useBurstLayout(queue, askedId);
  const hasJustCome = useRef(true);
  const isRead = queue.pending !== null;
  useEffect(() => {
    if (isRead) hasJustCome.current = false;
  }, [isRead]);
  if (queue.pending === null) return <Skeleton rows={8} />;
  if (queue.current === null) return <NothingWaits queue={queue} />;
  if (layout.isTable) {
    return (
      <>
        <Breadcrumb>{t("burst.crumb")}</Breadcrumb>
        <BurstTable
          pending={queue.pending}
          onReview={(id) => {
            queue.show(id);
            layout.setIsTable(false);
          }}
        />
      </>
    );
  }
  return (
    <OneRequest
      queue={queue}
      current={queue.current}
      pending={queue.pending}
      layout={layout}
      takesFocus={hasJustCome.current}
    />
  );
}

interface OneRequestProps {
  queue: Queue;
  current: ApprovalRequest;
  pending: ApprovalRequest[];
  layout: BurstLayout;
  takesFocus: boolean;
}

function OneRequest({ queue, current, pending, layout, takesFocus }: OneRequestProps) {
  const t = useT("approvals");
  const isNarrow = useIsNarrow();
  const list = { pending, currentId: current.id, onShow: queue.show };
  return (
    <div className="split-view">
      <Breadcrumb>{t("queue.position", { index: queue.index + 1, total: pending.length })}</Breadcrumb>
      {isNarrow ? <QueueStrip {...list} /> : <QueuePane {...list} />}
      <section className="pane pane-content" aria-label={t("card.label")} data-region tabIndex={-1}>
        <Departed decision={queue.departed} />
        {layout.isBurst ? (
          <div className="departed" role="status">
            <VerdictShape kind="asks" />
            <span className="grow">{t("burst.offer", { count: pending.length })}</span>
            <Button onClick={() => layout.setIsTable(true)}>{t("burst.show")}</Button>
          </div>
        ) : null}
        {/* Only what a hand does counts as reading: a table may still take the place of an untouched card. */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the card is in use */}
        <div
          className="card-place"
          onPointerMove={layout.touch}
          onPointerDown={layout.touch}
          onKeyDown={layout.touch}
          onWheel={layout.touch}
        >
          <ApprovalCard
            key={`${current.id} ${current.digest}`}
            request={current}
            takesFocus={takesFocus}
            isUnderFingers={queue.isUnderFingers}
            onDecided={(decision) => {
              queue.onDecided(decision);
              layout.afterDecision();
            }}
          />
        </div>
      </section>
    </div>
  );
}

interface BurstLayout {
  isBurst: boolean;
  isTable: boolean;
  setIsTable: (isTable: boolean) => void;
  /** The person has begun to deal with the card: nothing may take its place (A8). */
  touch: () => void;
  afterDecision: () => void;
}

/** A burst shows as a table, but never by pushing away a card that somebody is dealing with. */
function useBurstLayout(queue: Queue, askedId: string | null): BurstLayout {
  const isBursting = queue.pending !== null && isBurst(queue.pending);
  const [isTable, setIsTable] = useState(false);
  const [touchedId, setTouchedId] = useState<string | null>(askedId === null ? null : "address");
  const currentId = queue.current?.id ?? null;
  // A link to one request shows that request, also while the table of a burst is open.
  useEffect(() => {
    if (askedId === null) return;
    setIsTable(false);
    setTouchedId("address");
  }, [askedId]);
  const isTouched = touchedId === "address" || (touchedId !== null && touchedId === currentId);
  useEffect(() => {
    if (isBursting && !isTouched) setIsTable(true);
    if (!isBursting) setIsTable(false);
  }, [isBursting, isTouched]);
  return {
    isBurst: isBursting,
    isTable: isTable && isBursting,
    setIsTable: (next) => {
      setIsTable(next);
      setTouchedId(next ? null : "address");
    },
    touch: () => setTouchedId((known) => known ?? currentId),
    afterDecision: () => setTouchedId(null),
  };
}

function NothingWaits({ queue }: { queue: Queue }) {
  const t = useT("approvals");
  return (
    <div className="view">
      <Departed decision={queue.departed} />
      <div className="view-body">
        <EmptyState
          title={t("empty.title")}
          action={
            <span className="row">
              <HistoryButton />
              <GrantsButton />
            </span>
          }
        >
          <p>{t("empty.text")}</p>
        </EmptyState>
        <Unreached />
        <TryoutCard />
      </div>
      <LastDecisions />
    </div>
  );
}

const unreachedCodes = new Set(["noOperator", "screenLocked"]);

/** The newest request that nobody could be asked about, with the way to mend that (A17). */
function Unreached() {
  const t = useT("approvals");
  const words = useDecisionWords();
  const recent = useLive((state) => state.recentDecisions);
  const missed = recent.find(({ by }) => by.kind === "system" && unreachedCodes.has(by.reason.code));
  if (missed === undefined) return null;
  return (
    <div className="unreached">
      <p className="row">
        <VerdictShape kind="asks" />
        <span>{t("empty.unreached")}</span>
        <code className="ellipsis">
          <CommandText text={missed.command} end={Math.min(missed.command.length, 120)} />
        </code>
      </p>
      <p className="second">{words.long(missed.by)}</p>
    </div>
  );
}
