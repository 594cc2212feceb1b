/** One line at the bottom: gateway, semantics, config, ledger, lag. */

import type { AppStatus } from "../../shared/contract/index.ts";
import { useLanguage, useT } from "../i18n/index.ts";
import { useLive } from "../rpc/hooks.ts";
import { VerdictShape } from "../ui/Verdict.tsx";

export function StatusLine({ onKeys }: { onKeys: () => void }) {
  const t = useT("frame");
  const status = useLive((state) => state.status);
  const connection = useLive((state) => state.connection);
  return (
    <footer className="status-line" data-region>
      <h2 className="sr-only">{t("status.label")}</h2>
      {connection.kind === "lost" ? (
        <span className="row tone-stop">
          <VerdictShape kind="denied" size={8} />
          {t("status.lost")}
        </span>
      ) : null}
      {status === null ? null : <StatusFacts status={status} />}
      <button type="button" className="status-keys" onClick={onKeys} aria-keyshortcuts="?">
        {t("status.keys")}
      </button>
    </footer>
  );
}

function StatusFacts({ status }: { status: AppStatus }) {
  const t = useT("frame");
  const language = useLanguage();
  const time = (atMs: number) =>
    new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false }).format(atMs);
  const { gateway, config, ledger } = status;
  const entries = new Intl.NumberFormat(language).format(ledger.entries);
  const problem = config.problems[0];
  return (
    <>
      <span className="row">
        <VerdictShape kind={gateway.kind === "listening" ? "kept" : "skipped"} size={8} />
        {gateway.kind === "listening"
          ? t("status.gateway", { address: `${gateway.address}:${gateway.port}` })
          : t("status.gatewayOff", { reason: gateway.reason })}
      </span>
      <span className="status-wide">{t("status.semantics", { version: status.semantics })}</span>
      <span className={config.state === "broken" ? "tone-stop" : "status-narrow"}>
        {config.state === "broken"
          ? t("status.configBroken", { line: problem?.line ?? "?", column: problem?.column ?? "?" })
          : config.state === "missing"
            ? t("status.configMissing")
            : config.changedAtMs === null
              ? t("status.configOk")
              : t("status.configSaved", { time: time(config.changedAtMs) })}
      </span>
      <span className="grow" />
      <span className="status-narrow">
        {ledger.verifiedAtMs === null
          ? t("status.ledger", { entries })
          : t("status.ledgerVerified", { entries, time: time(ledger.verifiedAtMs) })}
      </span>
      {/* Its place is kept until the first measurement, some seconds after the start. */}
      <span className="status-wide">
        {status.eventLoopLagP99Ms === null
          ? t("status.lagUnknown")
          : t("status.lag", { lag: Math.round(status.eventLoopLagP99Ms) })}
      </span>
    </>
  );
}
