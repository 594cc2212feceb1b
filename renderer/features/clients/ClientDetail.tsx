/** One client: mapping, token, and the tools it sees now. */

import { useState } from "react";
import { Link } from "wouter";
import type { McpClient } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { CommandText } from "../approvals/CommandText.tsx";
import { ConnectInstructions } from "./ConnectInstructions.tsx";
import { MappingForm } from "./MappingForm.tsx";

export function ClientDetail({ client }: { client: McpClient }) {
  const t = useT("clients");
  const language = useLanguage();
  const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", hour12: false });
  return (
    <div className="client-detail">
      <div className="row">
        <h2 className="view-title">
          <CommandText text={client.name} />
        </h2>
        {client.mapping === "unmapped" ? (
          <VerdictChip kind="asks" filled>
            {t(client.isAgentGone === true ? "state.agentGone" : "state.unmapped")}
          </VerdictChip>
        ) : client.connections > 0 ? (
          <VerdictChip kind="running">{t("state.connected", { count: client.connections })}</VerdictChip>
        ) : (
          <VerdictChip kind="skipped">{t("state.away")}</VerdictChip>
        )}
      </div>
      {client.isAgentGone === true ? (
        <p>{t("agentGoneText", { agent: client.agentId })}</p>
      ) : client.mapping === "unmapped" ? (
        <p>{t("unmappedText")}</p>
      ) : null}
      <dl className="facts">
        <dt>{t("fact.session")}</dt>
        <dd className="evidence">{client.sessionKey}</dd>
        <dt>{t("fact.says")}</dt>
        <dd>
          {client.reportedName === null ? (
            <span className="dim">{t("fact.saysNothing")}</span>
          ) : (
            <CommandText text={`${client.reportedName} ${client.reportedVersion ?? ""}`} />
          )}
        </dd>
        <dt>{t("fact.seen")}</dt>
        <dd>{client.lastSeenAtMs === null ? t("fact.never") : time.format(client.lastSeenAtMs)}</dd>
        <dt>{t("fact.token")}</dt>
        <dd className="evidence">{t("fact.tokenHint", { hint: client.tokenHint })}</dd>
      </dl>
      <MappingForm client={client} />
      <EffectiveTools client={client} />
      <TokenActs client={client} />
    </div>
  );
}

function EffectiveTools({ client }: { client: McpClient }) {
  const t = useT("clients");
  return (
    <section className="stack">
      <h3>{t("tools.title", { count: client.effectiveTools.length })}</h3>
      {client.effectiveTools.length === 0 ? (
        <p className="second">{t("tools.none")}</p>
      ) : (
        <p className="client-tools evidence">
          {client.effectiveTools.map((tool) => (
            <Link key={tool} href={`/tools/${encodeURIComponent(tool)}`}>
              {tool}
            </Link>
          ))}
        </p>
      )}
      <Link
        href={`/policy?agent=${encodeURIComponent(client.agentId)}&session=${encodeURIComponent(client.sessionKey)}&surface=mcp`}
      >
        {t("tools.policy")}
      </Link>
    </section>
  );
}

function TokenActs({ client }: { client: McpClient }) {
  const t = useT("clients");
  const rotate = useMutationRpc("clients.rotateToken");
  const revoke = useMutationRpc("clients.revoke");
  const [isAsking, setIsAsking] = useState(false);
  const error = rotate.error ?? revoke.error;
  return (
    <section className="stack">
      <h3>{t("token.title")}</h3>
      {rotate.data === undefined ? null : (
        <ConnectInstructions way="http" token={rotate.data.token} isMapped />
      )}
      {error === null ? null : <ErrorState title={t("token.failed")} error={error} />}
      <div className="row">
        <Button icon="key" disabled={rotate.isPending} onClick={() => rotate.mutate({ id: client.id })}>
          {t("token.rotate")}
        </Button>
        {isAsking ? (
          <>
            <span>{t("token.revokeAsk")}</span>
            <Button
              look="danger"
              disabled={revoke.isPending}
              onClick={() => revoke.mutate({ id: client.id })}
            >
              {t("token.revokeNow")}
            </Button>
            <Button look="plain" onClick={() => setIsAsking(false)}>
              {t("cancel")}
            </Button>
          </>
        ) : (
          <Button onClick={() => setIsAsking(true)}>{t("token.revoke")}</Button>
        )}
      </div>
    </section>
  );
}
