/**
 * The bar that decides. Deny is live from the first frame, but for keys when the request took the place of another; Allow
 * says why it is locked, and no single key presses it.
 */

import { type RefObject, useId } from "react";
import { useT } from "../../i18n/index.ts";
import { Button, Kbd } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { LockedButton, once, refuseKeys } from "./LockedButton.tsx";
import type { DecidePhase } from "./useDecide.ts";
import type { Unlock } from "./useUnlock.ts";

export interface DenyBarProps {
  denyRef: RefObject<HTMLButtonElement | null>;
  isBusy: boolean;
  isNoteOpen: boolean;
  hasNote: boolean;
  onDeny: () => void;
  onDenyWithNote: () => void;
  onOpenNote: () => void;
}

export function DenyBar(props: DenyBarProps) {
  const t = useT("approvals");
  const { isNoteOpen, hasNote } = props;
  return (
    <div className="approval-deny">
      <Button
        ref={props.denyRef}
        size="primary"
        look={isNoteOpen && hasNote ? "outlined" : "filled"}
        aria-disabled={props.isBusy}
        aria-keyshortcuts="Escape"
        data-region-start
        onClick={once(props.onDeny)}
      >
        {t("deny")}
        <Kbd>{t("key.esc")}</Kbd>
      </Button>
      <Button
        size="primary"
        icon="note"
        look={isNoteOpen && hasNote ? "filled" : "outlined"}
        aria-disabled={props.isBusy || (isNoteOpen && !hasNote)}
        aria-keyshortcuts={isNoteOpen ? undefined : "n"}
        onClick={once(() => {
          if (!isNoteOpen) props.onOpenNote();
          else if (hasNote) props.onDenyWithNote();
        })}
      >
        {isNoteOpen ? t("denySendNote") : t("denyWithNote")}
      </Button>
    </div>
  );
}

export interface AllowBarProps {
  unlock: Unlock;
  phase: DecidePhase;
  isLost: boolean;
  /** A key that would have denied came too early. */
  hasHeldKey: boolean;
  mayAllow: boolean;
  /** The command stands in a field: it is reviewed before anything runs. */
  isEditing: boolean;
  /** Files are changed and nothing runs: then there is no command that was seen. */
  isChange: boolean;
  /** A tool of an MCP server is called: no command, and "always" is about the tool. */
  isCall: boolean;
  /** A grant of our own is saved, not an entry of the approvals file. */
  savesGrant: boolean;
  /** `reading`: the panel has just opened, what it stores must be read first. */
  always: "none" | "closed" | "reading" | "read";
  onAllowOnce: () => void;
  onOpenAlways: () => void;
  onAllowAlways: () => void;
}

export function AllowBar(props: AllowBarProps) {
  const t = useT("approvals");
  const reasonId = useId();
  const { unlock, mayAllow } = props;
  return (
    <div className="approval-allow">
      <p id={reasonId} className={`lock-reason${unlock.isUnlocked && !props.isEditing ? " tone-keep" : ""}`}>
        <LockReason {...props} />
      </p>
      <LockedButton unlock={unlock} mayPress={mayAllow} reasonId={reasonId} onPress={props.onAllowOnce}>
        {t("allowOnce")}
        <Kbd>{t("key.allow")}</Kbd>
      </LockedButton>
      {props.always === "closed" ? (
        <Button size="primary" onClick={props.onOpenAlways}>
          {t("always.open")}
        </Button>
      ) : null}
      {props.always === "reading" || props.always === "read" ? (
        <Button
          size="primary"
          aria-disabled={!mayAllow || props.always === "reading"}
          aria-describedby={reasonId}
          onKeyDown={refuseKeys}
          onKeyUp={refuseKeys}
          onClick={once(props.onAllowAlways)}
        >
          {t(props.isCall ? "callAlways.save" : props.savesGrant ? "always.saveGrant" : "always.save")}
        </Button>
      ) : null}
      <span className="sr-only" role="status">
        {unlock.isUnlocked ? t("lock.announceUnlocked") : ""}
      </span>
    </div>
  );
}

const allowedWords = {
  none: "lock.seen",
  closed: "lock.seen",
  reading: "lock.readStores",
  read: "lock.pointerOnly",
} as const;

function LockReason({
  unlock,
  phase,
  isLost,
  hasHeldKey,
  isEditing,
  isChange,
  isCall,
  always,
}: AllowBarProps) {
  const t = useT("approvals");
  const allowedWord =
    isCall && (always === "none" || always === "closed") ? "lock.seenCall" : allowedWords[always];
  if (phase.kind === "deciding") return <span>{t("lock.deciding")}</span>;
  if (phase.kind === "decided")
    return <span>{t(`outcome.${phase.decision.outcome}`, { ns: "reasons" })}</span>;
  if (isLost) return <span>{t("lock.lost")}</span>;
  if (isEditing) return <span>{t("lock.editing")}</span>;
  if (unlock.isUnlocked) {
    return (
      <>
        <Icon name="check" size={12} />
        <span>{t(isChange ? "lock.seenChange" : allowedWord)}</span>
      </>
    );
  }
  if (hasHeldKey && unlock.remainingMs > 0) return <span role="status">{t("lock.heldKey")}</span>;
  const seconds = (Math.ceil(unlock.remainingMs / 100) / 10).toFixed(1);
  return (
    <span>
      {unlock.remainingMs > 0 ? t(unlock.isEndSeen ? "lock.timeOnly" : "lock.time", { seconds }) : null}
      {unlock.remainingMs > 0 && !unlock.isEndSeen ? <br /> : null}
      {unlock.isEndSeen ? null : unlock.remainingMs > 0 ? t("lock.andEnd") : t("lock.end")}
    </span>
  );
}
