/** "Always" in place: which scope and for how long, what it would have covered, and exactly what is stored (A11, A12). */

import { Trans } from "react-i18next";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Icon } from "../../ui/Icon.tsx";
import { CallAlways, toolOffer } from "./CallAlways.tsx";
import { CommandText } from "./CommandText.tsx";
import { GrantStores } from "./GrantStores.tsx";
import { ScopeChooser } from "./ScopeChooser.tsx";
import { ScopePreview } from "./ScopePreview.tsx";
import type { Always, AlwaysChoice } from "./useAlways.ts";
import "./scope.css";

export function AlwaysPanel({ request, always }: { request: ApprovalRequest; always: Always }) {
  const t = useT("approvals");
  const reason = useReason();
  if (request.always.kind === "withheld") {
    return (
      <p className="always-line">
        <Icon name="lock" />
        <span>
          <Trans
            t={t}
            i18nKey="always.withheld"
            values={{ reason: reason(request.always.reason, "withheld") }}
            components={{ word: <strong /> }}
          />
        </span>
      </p>
    );
  }
  const { choice } = always;
  if (always.state === "closed" || choice === null) return null;
  const offer = toolOffer(request);
  if (offer !== null) {
    return (
      <section className="always-panel" aria-label={t("callAlways.title")} tabIndex={-1}>
        <h3>{t("callAlways.title")}</h3>
        <CallAlways offer={offer} />
      </section>
    );
  }
  return (
    <section className="always-panel" aria-label={t("always.title")} tabIndex={-1}>
      <header className="row">
        <h3 className="grow">{t("always.title")}</h3>
        <PartsNote request={request} />
      </header>
      <div className="scope-panel">
        <ScopeChooser request={request} choice={choice} onChoose={always.choose} />
        {choice.kind === "grant" ? (
          <PreviewOf request={request} choice={choice} />
        ) : (
          <p className="scope-preview second">{t("always.anyArguments")}</p>
        )}
      </div>
      {choice.kind === "grant" ? (
        <StoredGrant request={request} choice={choice} />
      ) : (
        <StoredEntries stores={request.always.stores} />
      )}
    </section>
  );
}

type GrantChoice = Extract<AlwaysChoice, { kind: "grant" }>;

function usePreview(request: ApprovalRequest, choice: GrantChoice) {
  return useQueryRpc(
    "approvals.previewGrant",
    { id: request.id, scopeId: choice.scope.id, lifetime: choice.lifetime },
    { staleTimeMs: 30_000 },
  );
}

function PreviewOf({ request, choice }: { request: ApprovalRequest; choice: GrantChoice }) {
  const { data, error } = usePreview(request, choice);
  return <ScopePreview preview={data} error={error} />;
}

/** Exactly what a grant holds, for whom, until when, and whether it is enough. */
export function StoredGrant({ request, choice }: { request: ApprovalRequest; choice: GrantChoice }) {
  const t = useT("approvals");
  const reason = useReason();
  const { data } = usePreview(request, choice);
  const { scope, lifetime } = choice;
  const isOfSession = lifetime.kind === "session" || lifetime.kind === "minutes";
  return (
    <div className="scope-stores">
      <h4>{t("scope.stores")}</h4>
      <div>
        {scope.stores.map((parts, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is what identifies a part
          <GrantStores key={index} parts={parts} />
        ))}
        <p className="evidence">
          <CommandText text={scope.cwd === null ? t("scope.anyFolder") : `cwd = ${scope.cwd}`} />
          {" · "}
          <CommandText
            text={lifetime.kind === "allAgents" ? t("scope.everyAgent") : `agent = ${request.agentId}`}
          />
          {isOfSession ? (
            <>
              {" · "}
              <CommandText text={`session = ${request.sessionKey}`} />
            </>
          ) : null}
          {" · "}
          {t(`scope.end.${lifetime.kind}`, { count: lifetime.kind === "minutes" ? lifetime.minutes : 0 })}
        </p>
        {scope.pinnedFiles.length === 0 ? null : (
          <p className="evidence">
            <CommandText text={t("scope.pinned", { files: scope.pinnedFiles.join(" · ") })} />
          </p>
        )}
        <p className="second">
          {t(lifetime.kind === "session" ? "scope.keptInMemory" : "scope.keptInFile")}{" "}
          {data === undefined ? null : data.isEnough ? (
            <span className="tone-keep">{t("scope.checked")}</span>
          ) : (
            <span className="tone-stop">
              {t("scope.notEnough", { reason: data.notEnoughBecause.map((one) => reason(one)).join("; ") })}
            </span>
          )}
        </p>
      </div>
    </div>
  );
}

function StoredEntries({ stores }: { stores: { pattern: string; agentId: string }[] }) {
  const t = useT("approvals");
  return (
    <div className="scope-stores">
      <h4>{t("scope.stores")}</h4>
      <div>
        <ul>
          {stores.map((entry) => (
            <li key={`${entry.agentId} ${entry.pattern}`} className="row">
              <code className="always-pattern">
                <CommandText text={entry.pattern} />
              </code>
              <span className="second">
                {entry.agentId === "*"
                  ? t("always.allAgents")
                  : t("always.oneAgent", { agent: entry.agentId })}
              </span>
            </li>
          ))}
        </ul>
        <p className="second">{t("always.until")}</p>
      </div>
    </div>
  );
}

/** Which parts of the command the choice is about, when some pass already. */
function PartsNote({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const segments = request.segments ?? [];
  const asking = segments.flatMap((segment, index) => (segment.verdict === "asks" ? [index + 1] : []));
  if (asking.length === 0 || asking.length === segments.length) return null;
  return (
    <span className="dim second">{t("scope.parts", { parts: asking.join(", "), count: asking.length })}</span>
  );
}
