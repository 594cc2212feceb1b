/** Fixed signs at the top right: dim when normal, amber when a person is needed, red when a mode is broad. */

import { Link } from "wouter";
import { useT } from "../i18n/index.ts";
import { useLive } from "../rpc/hooks.ts";
import { clockText, useNow } from "../ui/useNow.ts";
import { VerdictShape } from "../ui/Verdict.tsx";

export function Annunciator() {
  const t = useT("frame");
  return (
    <nav className="annunciator" aria-label={t("signs.label")}>
      <ApprovalsSign />
      <ModeSign />
      <ProcessesSign />
      <BrowserSign />
    </nav>
  );
}

function ApprovalsSign() {
  const t = useT("frame");
  const status = useLive((state) => state.status);
  const pending = useLive((state) => state.pending);
  const nowMs = useNow();
  const count = pending?.length ?? status?.pendingApprovals ?? 0;
  const expiry =
    pending === null || pending.length === 0
      ? (status?.firstExpiryMs ?? null)
      : Math.min(...pending.map((request) => request.expiresAtMs));
  const isAmber = count > 0;
  return (
    <Link href="/approvals" className={`sign${isAmber ? " is-amber" : ""}`}>
      {isAmber ? <VerdictShape kind="asks" size={9} /> : null}
      <span>{t("signs.approvals")}</span>
      <span className="sign-value">
        {count} {isAmber && expiry !== null ? <small>{clockText(expiry - nowMs)}</small> : null}
      </span>
    </Link>
  );
}

function ModeSign() {
  const t = useT("frame");
  const mode = useLive((state) => state.status?.mode ?? null);
  const nowMs = useNow();
  if (mode === null) return null;
  const isBroad = mode.broad.kind === "confirmed";
  const isAmber = mode.broad.kind === "unconfirmed";
  const tone = isBroad ? " is-red" : isAmber ? " is-amber" : "";
  return (
    <Link href="/settings" className={`sign${tone}`}>
      {isBroad ? <VerdictShape kind="danger" /> : null}
      {isAmber ? <VerdictShape kind="asks" size={9} /> : null}
      <span className="sign-word-long">{t("signs.mode")}</span>
      <span className="sign-value">
        {mode.security}{" "}
        <small>{mode.broad.kind === "confirmed" ? clockText(mode.broad.endsAtMs - nowMs) : mode.ask}</small>
      </span>
    </Link>
  );
}

function ProcessesSign() {
  const t = useT("frame");
  const running = useLive((state) => state.status?.runningProcesses ?? 0);
  const survivors = useLive((state) => state.status?.survivors ?? 0);
  return (
    <Link
      href="/processes"
      className={`sign${survivors > 0 ? " is-amber" : ""}`}
      aria-label={
        survivors > 0
          ? t("signs.processesWithSurvivors", { running, survivors })
          : t("signs.processesRunning", { running })
      }
    >
      {survivors > 0 ? <VerdictShape kind="asks" size={9} /> : null}
      <span className="sign-word-long">{t("signs.processes")}</span>
      <span className="sign-value">
        {running}
        {survivors > 0 ? <small> {t("signs.plus", { count: survivors })}</small> : null}
      </span>
    </Link>
  );
}

function BrowserSign() {
  const t = useT("frame");
  const running = useLive((state) => state.status?.runningBrowsers ?? 0);
  return (
    <Link href="/browser" className="sign" aria-label={t("signs.browserRunning", { running })}>
      <span className="sign-word-long">{t("signs.browser")}</span>
      <span className="sign-value">{running}</span>
    </Link>
  );
}
