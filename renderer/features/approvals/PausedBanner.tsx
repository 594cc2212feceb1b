/** Full-width notice on every view while an agent is paused: since when, what was denied, and the way back. */

import type { AgentPause } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { PlainText } from "./CommandText.tsx";
import { usePauses } from "./usePauses.ts";

export function PausedBanner() {
  const paused = usePauses();
  return paused.map((pause) => <OneBanner key={pause.agentId} pause={pause} />);
}

function OneBanner({ pause }: { pause: AgentPause }) {
  const t = useT("approvals");
  const language = useLanguage();
  const resume = useMutationRpc("approvals.resumeAgent");
  const { agentId, sinceMs, deniedCount } = pause;
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false });
  return (
    <section className="banner banner-ask" aria-label={t("pause.label", { agent: agentId })}>
      <VerdictShape kind="asks" />
      <strong>
        <PlainText text={t("pause.title", { agent: agentId, time: time.format(sinceMs) })} />
      </strong>
      <span className="grow">
        {t("pause.text")} {deniedCount === 0 ? null : t("pause.denied", { count: deniedCount })}
      </span>
      <Button disabled={resume.isPending} onClick={() => resume.mutate({ agentId })}>
        <PlainText text={t("pause.resume", { agent: agentId })} />
      </Button>
      {resume.isError ? <span className="tone-stop">{t("pause.resumeFailed")}</span> : null}
    </section>
  );
}
