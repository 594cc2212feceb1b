/** What "always" would store, or why it is not offered (A11, A12). */

import { Trans } from "react-i18next";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { Icon } from "../../ui/Icon.tsx";
import { CommandText } from "./CommandText.tsx";

export function AlwaysPanel({ request, isOpen }: { request: ApprovalRequest; isOpen: boolean }) {
  const t = useT("approvals");
  const reason = useReason();
  const { always } = request;
  if (always.kind === "withheld") {
    return (
      <p className="always-line">
        <Icon name="lock" />
        <span>
          <Trans
            t={t}
            i18nKey="always.withheld"
            values={{ reason: reason(always.reason, "withheld") }}
            components={{ word: <strong /> }}
          />
        </span>
      </p>
    );
  }
  if (!isOpen) return null;
  return (
    <section className="always-panel" aria-label={t("always.title")} tabIndex={-1}>
      <h3>{t("always.title")}</h3>
      <ul>
        {always.stores.map((entry) => (
          <li key={`${entry.agentId} ${entry.pattern}`} className="row">
            <code className="always-pattern">
              <CommandText text={entry.pattern} />
            </code>
            <span className="second">
              {entry.agentId === "*" ? t("always.allAgents") : t("always.oneAgent", { agent: entry.agentId })}
            </span>
          </li>
        ))}
      </ul>
      <p className="second">{t("always.anyArguments")}</p>
      <p className="second">{t("always.until")}</p>
    </section>
  );
}
