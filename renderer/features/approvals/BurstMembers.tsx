/** The rows of an open group: each can be read, unticked or decided alone; Allow opens after all ticked rows were seen. */

import { useCallback, useRef, useState } from "react";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import type { BurstGroup, BurstRow } from "./burstGroups.ts";
import { CommandText } from "./CommandText.tsx";
import { useActivationGuard } from "./useActivationGuard.ts";
import { useSeenLongEnough } from "./useSeenLongEnough.ts";
import { useSeen } from "./useUnlock.ts";

const firstShown = 5;

export interface BurstMembersProps {
  group: BurstGroup;
  isBusy: boolean;
  onReview: (id: string) => void;
  onDecide: (decision: "allow-once" | "deny", requests: ApprovalRequest[]) => void;
}

export function BurstMembers({ group, isBusy, onReview, onDecide }: BurstMembersProps) {
  const t = useT("approvals");
  const isLost = useLive((state) => state.connection.kind === "lost");
  const ref = useRef<HTMLDivElement>(null);
  useActivationGuard(ref);
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setIsWhole] = useState(group.rows.length <= firstShown + 1);
  const seen = useSeenLongEnough();
  const isTicked = (row: BurstRow) => (row.oddity === null) !== flipped.has(row.request.id);
  const ticked = group.rows.filter(isTicked).map((row) => row.request);
  const seenCount = group.rows.filter((row) => seen.ids.has(row.request.id)).length;
  const lastRow = group.rows.at(-1)?.request.id ?? "";
  const isUnlocked = ticked.length > 0 && seen.ids.has(lastRow) && ticked.every(({ id }) => seen.ids.has(id));
  const mayAllow = isUnlocked && !isBusy && !isLost;
  const shown = isWhole ? group.rows : group.rows.slice(0, firstShown);
  const left = group.rows.length - shown.length;
  return (
    <div ref={ref} className="burst-members">
      <p className="row second">
        <span className="grow">
          {t("burst.where", { count: group.rows.length, host: group.first.host })}{" "}
          <code>
            <CommandText text={group.first.cwd} />
          </code>
        </span>
        <span className="nowrap">
          {isUnlocked ? t("burst.allSeen") : t("burst.seen", { seen: seenCount, count: group.rows.length })}
        </span>
      </p>
      <ul>
        {shown.map((row, index) => (
          <Member
            key={row.request.id}
            row={row}
            number={index + 1}
            isTicked={isTicked(row)}
            onTick={() => setFlipped(toggled(flipped, row.request.id))}
            onSeen={seen.mark}
            onReview={onReview}
            onDeny={() => onDecide("deny", [row.request])}
          />
        ))}
      </ul>
      <div className="row burst-decide">
        {left > 0 ? (
          <Button look="plain" icon="down" onClick={() => setIsWhole(true)}>
            {t("burst.more", { count: left })}
          </Button>
        ) : null}
        <span className="grow" />
        <Button disabled={isBusy || ticked.length === 0} onClick={() => onDecide("deny", ticked)}>
          {t("burst.denyThese", { count: ticked.length })}
        </Button>
        <Button
          icon={isUnlocked ? undefined : "lock"}
          aria-disabled={!mayAllow}
          onKeyDown={(event) => {
            // As on a card: no single key allows.
            if (event.key === "Enter" || event.key === " ") event.preventDefault();
          }}
          onKeyUp={(event) => {
            if (event.key === " ") event.preventDefault();
          }}
          onClick={() => {
            if (mayAllow) onDecide("allow-once", ticked);
          }}
        >
          {t("burst.allowThese", { count: ticked.length })}
        </Button>
      </div>
    </div>
  );
}

interface MemberProps {
  row: BurstRow;
  number: number;
  isTicked: boolean;
  onTick: () => void;
  onSeen: (id: string) => void;
  onReview: (id: string) => void;
  onDeny: () => void;
}

function Member({ row, number, isTicked, onTick, onSeen, onReview, onDeny }: MemberProps) {
  const t = useT("approvals");
  const endRef = useRef<HTMLSpanElement>(null);
  const { id, command } = row.request;
  useSeen(
    endRef,
    useCallback(() => onSeen(id), [onSeen, id]),
  );
  return (
    <li className="burst-member">
      <input
        type="checkbox"
        checked={isTicked}
        // A row with a danger is decided on its own card, where the danger is spelled out.
        disabled={row.oddity === "danger"}
        onChange={onTick}
        aria-label={t("burst.tick", { number })}
      />
      <span className="evidence dim">{number}</span>
      <span className="evidence burst-command">
        <CommandText text={command} />
        <span ref={endRef} className="cmd-end" />
        {row.oddity === null ? null : (
          <span className="tone-ask burst-odd">
            <VerdictShape kind="asks" /> {t(`burst.odd.${row.oddity}`)}
          </span>
        )}
      </span>
      <span className="evidence dim">{id.slice(0, 8)}</span>
      <Button look="plain" onClick={onDeny}>
        {t("deny")}
      </Button>
      <Button look="plain" onClick={() => onReview(id)}>
        {t("burst.reviewOne")}
      </Button>
    </li>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
