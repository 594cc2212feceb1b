/** Time left in words; amber below five minutes, with what happens at the end. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { clockText, useNow } from "../../ui/useNow.ts";

const amberBelowMs = 5 * 60_000;

export function TimeLeft({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const leftMs = request.expiresAtMs - useNow();
  return (
    <span className="time-left" title={t(`time.onExpiry.${request.onExpiry}`)} role="timer">
      {leftMs <= 0 ? t("time.over") : t("time.expiresIn")}{" "}
      {leftMs <= 0 ? null : (
        <b className={leftMs < amberBelowMs ? "tone-ask" : undefined}>{clockText(leftMs)}</b>
      )}
      {request.onExpiry === "run" ? <span className="tone-stop"> {t("time.thenRuns")}</span> : null}
    </span>
  );
}

/** Only the digits, for lists. */
export function TimeDigits({ request }: { request: ApprovalRequest }) {
  const leftMs = request.expiresAtMs - useNow();
  return (
    <span className={`evidence${leftMs < amberBelowMs ? " tone-ask" : " dim"}`}>{clockText(leftMs)}</span>
  );
}
