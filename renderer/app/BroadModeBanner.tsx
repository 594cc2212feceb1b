/** The banner of a broad mode (A18): what is open, for whom, until when, and the way back. */

import { useState } from "react";
import type { ExecMode } from "../../shared/contract/index.ts";
import { useLanguage, useT } from "../i18n/index.ts";
import { useMutationRpc } from "../rpc/hooks.ts";
import { Button } from "../ui/Button.tsx";
import { useToast } from "../ui/Toast.tsx";
import { clockText, useNow } from "../ui/useNow.ts";
import { VerdictShape } from "../ui/Verdict.tsx";
import { ConfirmBroadDialog } from "./ConfirmBroadDialog.tsx";

export function BroadModeBanner({ mode }: { mode: ExecMode }) {
  if (mode.broad.kind === "none") return null;
  if (mode.broad.kind === "unconfirmed") return <Unconfirmed mode={mode} agents={mode.broad.agents} />;
  return <Confirmed agents={mode.broad.agents} endsAtMs={mode.broad.endsAtMs} />;
}

function Unconfirmed({ mode, agents }: { mode: ExecMode; agents: string[] }) {
  const t = useT("frame");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="banner banner-ask" aria-label={t("broad.label")}>
      <VerdictShape kind="asks" />
      <strong>{t("broad.unconfirmedTitle", mode.configured)}</strong>
      <span className="grow">
        {t("broad.unconfirmedText", { agents: agents.join(", "), security: mode.security, ask: mode.ask })}
      </span>
      <Button onClick={() => setIsOpen(true)}>{t("broad.review")}</Button>
      {isOpen ? <ConfirmBroadDialog agents={agents} onClose={() => setIsOpen(false)} /> : null}
    </section>
  );
}

function Confirmed({ agents, endsAtMs }: { agents: string[]; endsAtMs: number }) {
  const t = useT("frame");
  const language = useLanguage();
  const nowMs = useNow();
  const toast = useToast();
  const restore = useMutationRpc("mode.restore");
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false });
  return (
    <section className="banner banner-stop" aria-label={t("broad.label")}>
      <VerdictShape kind="danger" />
      <strong className="tone-stop">{t("broad.title")}</strong>
      <span className="grow">
        {t("broad.text", { agents: agents.join(", "), time: time.format(endsAtMs) })}
      </span>
      <span className="evidence nowrap">{clockText(endsAtMs - nowMs)}</span>
      <Button
        look="danger"
        disabled={restore.isPending}
        onClick={() => restore.mutate({}, { onSuccess: () => toast({ text: t("broad.restored") }) })}
      >
        {t("broad.restore")}
      </Button>
      {restore.isError ? <span className="tone-stop">{t("broad.restoreFailed")}</span> : null}
    </section>
  );
}
