/** The waiting requests under a rule: covered ones to be read and ticked, the others with the reason. */

import { useCallback, useRef, useState } from "react";
import type { ApprovalRequest, RulePreview } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { useLive } from "../../rpc/hooks.ts";
import { useSessionName } from "../../rpc/useSessionName.ts";
import { Button } from "../../ui/Button.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, PlainText } from "./CommandText.tsx";
import { useSeenLongEnough } from "./useSeenLongEnough.ts";
import { useSeen } from "./useUnlock.ts";

const firstShown = 8;
const firstLeft = 5;
const leftLength = 160;

export interface RuleRowsProps {
  preview: RulePreview;
  source: ApprovalRequest;
  pending: readonly ApprovalRequest[];
  isBusy: boolean;
  /** @param others the ticked rows beside the source */
  onSave: (others: ApprovalRequest[]) => void;
}

export function RuleRows({ preview, source, pending, isBusy, onSave }: RuleRowsProps) {
  const t = useT("approvals");
  const isLost = useLive((state) => state.connection.kind === "lost");
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setIsWhole] = useState(false);
  const seen = useSeenLongEnough();
  const byId = new Map(pending.map((request) => [request.id, request]));
  // What changed since it was judged is not covered by this answer.
  const covered = preview.covered.flatMap(({ id, digest }) => {
    const request = byId.get(id);
    return request?.digest === digest ? [request] : [];
  });
  const isSourceCovered = covered.some(({ id }) => id === source.id);
  const isTicked = (request: ApprovalRequest) =>
    request.id === source.id || (request.warnings.length === 0 && !unticked.has(request.id));
  const ticked = covered.filter(isTicked);
  const shown = isWhole || covered.length <= firstShown + 1 ? covered : covered.slice(0, firstShown);
  const hidden = covered.length - shown.length;
  const unseen = ticked.filter(({ id }) => !seen.ids.has(id)).length;
  const isUnlocked = isSourceCovered && unseen === 0;
  const mayAllow = isUnlocked && !isBusy && !isLost;
  return (
    <>
      <h4>{t("rule.covers", { covered: covered.length, count: pending.length })}</h4>
      <ul className="rule-rows">
        {shown.map((request, index) => (
          <CoveredRow
            key={request.id}
            request={request}
            source={source}
            number={index + 1}
            isTicked={isTicked(request)}
            onTick={() => setUnticked(toggled(unticked, request.id))}
            onSeen={seen.mark}
          />
        ))}
      </ul>
      {hidden > 0 ? (
        <Button look="plain" icon="down" onClick={() => setIsWhole(true)}>
          {t("burst.more", { count: hidden })}
        </Button>
      ) : null}
      <LeftRows preview={preview} byId={byId} />
      <div className="row rule-decide">
        <span className="grow second" role="status">
          {!isSourceCovered
            ? t("rule.notEnough")
            : isUnlocked
              ? t("rule.allSeen")
              : t("rule.unseen", { count: unseen })}
        </span>
        <Button
          icon={isUnlocked ? undefined : "lock"}
          aria-disabled={!mayAllow}
          onKeyDown={(event) => {
            // As on a card: no single key allows, and none saves anything lasting.
            if (event.key === "Enter" || event.key === " ") event.preventDefault();
          }}
          onKeyUp={(event) => {
            if (event.key === " ") event.preventDefault();
          }}
          onClick={() => {
            if (mayAllow) onSave(ticked.filter(({ id }) => id !== source.id));
          }}
        >
          {t("rule.save", { count: ticked.length })}
        </Button>
      </div>
    </>
  );
}

interface CoveredRowProps {
  request: ApprovalRequest;
  source: ApprovalRequest;
  number: number;
  isTicked: boolean;
  onTick: () => void;
  onSeen: (id: string) => void;
}

function CoveredRow({ request, source, number, isTicked, onTick, onSeen }: CoveredRowProps) {
  const t = useT("approvals");
  const sessionName = useSessionName();
  const endRef = useRef<HTMLSpanElement>(null);
  const { id, command, agentId, sessionKey, cwd } = request;
  const isSource = id === source.id;
  const isWarned = request.warnings.length > 0;
  useSeen(
    endRef,
    useCallback(() => onSeen(id), [onSeen, id]),
  );
  const place = [
    agentId === source.agentId && sessionKey === source.sessionKey
      ? null
      : `${agentId} · ${sessionName(sessionKey)}`,
    cwd === source.cwd ? null : cwd,
  ].filter((part) => part !== null);
  return (
    <li className="rule-row">
      <input
        type="checkbox"
        checked={isTicked}
        disabled={isSource || isWarned}
        onChange={onTick}
        aria-label={t("rule.tick", { number })}
      />
      <span className="evidence dim">{number}</span>
      <span className="evidence burst-command">
        <CommandText text={command} />
        <span ref={endRef} className="cmd-end" />
        {place.length === 0 ? null : (
          <span className="dim">
            {" "}
            <CommandText text={place.join(" · ")} />
          </span>
        )}
        {isSource ? <span className="dim second"> {t("rule.source")}</span> : null}
        {isWarned ? (
          <span className="tone-ask burst-odd">
            <VerdictShape kind="asks" /> {t("rule.warned")}
          </span>
        ) : null}
      </span>
      <span className="evidence dim">{id.slice(0, 8)}</span>
    </li>
  );
}

function LeftRows({ preview, byId }: { preview: RulePreview; byId: ReadonlyMap<string, ApprovalRequest> }) {
  const t = useT("approvals");
  const reason = useReason();
  const [isWhole, setIsWhole] = useState(false);
  const left = preview.left.flatMap(({ id, reason: why }) => {
    const request = byId.get(id);
    return request === undefined ? [] : [{ request, why }];
  });
  if (left.length === 0) return null;
  const shown = isWhole || left.length <= firstLeft + 1 ? left : left.slice(0, firstLeft);
  return (
    <>
      <h4 className="dim">{t("rule.left", { count: left.length })}</h4>
      <ul className="rule-rows">
        {shown.map(({ request, why }) => (
          <li key={request.id} className="rule-row is-left">
            <VerdictShape kind="wouldRemove" />
            <code className="ellipsis">
              <CommandText text={request.command} end={Math.min(request.command.length, leftLength)} />
            </code>
            <span className="second">
              <PlainText text={reason(why)} />
            </span>
          </li>
        ))}
      </ul>
      {shown.length < left.length ? (
        <Button look="plain" icon="down" onClick={() => setIsWhole(true)}>
          {t("burst.more", { count: left.length - shown.length })}
        </Button>
      ) : null}
    </>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
