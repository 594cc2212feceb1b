/** Asks for the word that lets a server start: shows what will run and what that means. No single key gives it. */

import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import type { McpServer } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, Kbd } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText } from "../approvals/CommandText.tsx";
import { LockedButton } from "../approvals/LockedButton.tsx";
import { useActivationGuard } from "../approvals/useActivationGuard.ts";
import { type Unlock, useUnlock } from "../approvals/useUnlock.ts";
import { UnseenWarnings } from "../approvals/Warnings.tsx";
import { EntryFacts, ServerTarget, TargetEnd } from "./EntryFacts.tsx";

export interface AllowServerDialogProps {
  /** Mount with its digest as key: another entry is another question, with a fresh lock. */
  server: McpServer;
  /** The entry is not the one for which the dialog was opened. */
  changedWhileOpen: boolean;
  onClose: () => void;
}

export function AllowServerDialog({ server, changedWhileOpen, onClose }: AllowServerDialogProps) {
  const t = useT("mcpServers");
  const bodyRef = useRef<HTMLDivElement>(null);
  const cancelRef = useRef<HTMLButtonElement>(null);
  const reasonId = useId();
  const unlock = useUnlock(bodyRef);
  const confirm = useMutationRpc("mcpServers.confirm");
  useActivationGuard(bodyRef);
  useEffect(() => cancelRef.current?.focus({ preventScroll: true }), []);
  const isCommand = server.transport === "stdio";
  const mayAllow = unlock.isUnlocked && !confirm.isPending;
  const allow = () => {
    if (!mayAllow) return;
    confirm.mutate({ name: server.name, digest: server.digest }, { onSuccess: onClose });
  };
  const onChord = (event: KeyboardEvent) => {
    const isChord = event.key === "Enter" && event.shiftKey && (event.ctrlKey || event.metaKey);
    if (!isChord) return;
    // The button under the focus must not be pressed as well; a held chord answers once.
    event.preventDefault();
    if (!event.repeat) allow();
  };
  return (
    <Dialog
      className="server-dialog"
      title={t(isCommand ? "allow.titleRun" : "allow.titleConnect")}
      onClose={onClose}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the chord works wherever the focus is in the dialog */}
      <div className="stack" ref={bodyRef} onKeyDown={onChord}>
        {changedWhileOpen ? (
          <p className="row" role="alert">
            <VerdictShape kind="asks" />
            <span>{t("allow.changedWhileOpen")}</span>
          </p>
        ) : null}
        <p>
          {t("allow.server")}{" "}
          <b className="evidence">
            <CommandText text={server.name} />
          </b>
        </p>
        <ServerTarget server={server} end={<TargetEnd onSeen={unlock.markEndSeen} />} />
        <UnseenWarnings text={server.target} />
        <EntryFacts server={server} />
        <ul className="server-meaning">
          <li>
            <VerdictShape kind="danger" />
            <span>{t(isCommand ? "allow.runsAsYou" : "allow.leaves")}</span>
          </li>
          <li>
            <VerdictShape kind="asks" />
            <span>{t("allow.lasts")}</span>
          </li>
          {isCommand ? (
            <li>
              <VerdictShape kind="asks" />
              <span>{t("allow.filesNotBound")}</span>
            </li>
          ) : null}
          <li>
            <VerdictShape kind="kept" />
            <span>{t("allow.stillAsks")}</span>
          </li>
        </ul>
        {confirm.isError ? <ErrorState title={t("allow.failed")} error={confirm.error} /> : null}
        <div className="row server-dialog-acts">
          <Button ref={cancelRef} size="primary" look="filled" onClick={onClose}>
            {t("cancel")}
            <Kbd>{t("allow.keyCancel")}</Kbd>
          </Button>
          <p id={reasonId} className={`lock-reason grow${unlock.isUnlocked ? " tone-keep" : ""}`}>
            <LockReason unlock={unlock} isPending={confirm.isPending} />
          </p>
          <LockedButton unlock={unlock} mayPress={mayAllow} reasonId={reasonId} onPress={allow}>
            {t(isCommand ? "allow.doRun" : "allow.doConnect")}
            <Kbd>{t("allow.keyAllow")}</Kbd>
          </LockedButton>
        </div>
      </div>
    </Dialog>
  );
}

function LockReason({ unlock, isPending }: { unlock: Unlock; isPending: boolean }) {
  const t = useT("mcpServers");
  if (isPending) return <span>{t("allow.sending")}</span>;
  if (unlock.isUnlocked) {
    return (
      <>
        <Icon name="check" size={12} />
        <span>{t("allow.seen")}</span>
      </>
    );
  }
  if (!unlock.isEndSeen) return <span>{t("allow.scroll")}</span>;
  return <span>{t("allow.wait", { seconds: (Math.ceil(unlock.remainingMs / 100) / 10).toFixed(1) })}</span>;
}
