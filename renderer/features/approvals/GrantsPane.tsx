/** Every grant that counts now: what it holds, for whom, until when, how often it was used; revoked with one press. */

import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { GrantView } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Chip } from "../../ui/Chip.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState, ErrorState } from "../../ui/States.tsx";
import { clockText, useNow } from "../../ui/useNow.ts";
import { CommandText, PlainText } from "./CommandText.tsx";
import { GrantStores } from "./GrantStores.tsx";
import { useTime } from "./useTime.ts";

export function GrantsPane({ query }: { query: UseQueryResult<{ grants: GrantView[] }, Error> }) {
  const t = useT("approvals");
  const { data, error, refetch } = query;
  return (
    <div className="view-body">
      {error !== null && data === undefined ? (
        <ErrorState title={t("grants.failed")} error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={6} />
      ) : data.grants.length === 0 ? (
        <EmptyState title={t("grants.empty")}>
          <p>{t("grants.emptyText")}</p>
        </EmptyState>
      ) : (
        <GrantTable grants={data.grants} onChanged={() => void refetch()} />
      )}
    </div>
  );
}

function GrantTable({ grants, onChanged }: { grants: GrantView[]; onChanged: () => void }) {
  const t = useT("approvals");
  return (
    <table className="table grants-table">
      <thead>
        <tr>
          <th>{t("grants.column.holds")}</th>
          <th>{t("grants.column.for")}</th>
          <th>{t("grants.column.until")}</th>
          <th>{t("grants.column.used")}</th>
          <th>
            <span className="sr-only">{t("burst.column.acts")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} onChanged={onChanged} />
        ))}
      </tbody>
    </table>
  );
}

function GrantRow({ grant, onChanged }: { grant: GrantView; onChanged: () => void }) {
  const t = useT("approvals");
  const reason = useReason();
  const time = useTime();
  return (
    <tr>
      <td>
        <Chip>{t(`grants.kind.${grant.kind}`)}</Chip>
        {grant.stores.map((parts, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is what identifies a part
          <GrantStores key={index} parts={parts} />
        ))}
        {grant.cwd === null ? null : (
          <p className="second">
            {t("grants.in")} <CommandText text={grant.cwd} />
          </p>
        )}
        {grant.findings.map((finding) => (
          <p key={`${finding.code} ${JSON.stringify(finding.params)}`} className="second tone-ask">
            <PlainText text={reason(finding)} />
          </p>
        ))}
      </td>
      <td className="evidence">
        {grant.agentId === "*" ? t("grants.allAgents") : <CommandText text={grant.agentId} />}
        {grant.sessionKey === null ? null : (
          <p className="dim">
            <CommandText text={grant.sessionKey} />
          </p>
        )}
      </td>
      <td className="nowrap">
        <Until grant={grant} />
        <p className="second">{t("grants.since", { time: time(grant.createdAtMs) })}</p>
      </td>
      <td>
        {grant.lastUsedAtMs === null ? (
          <span className="dim">{t("grants.never")}</span>
        ) : (
          <>
            <span>{t("grants.used", { count: grant.useCount })}</span>
            <p className="second">{t("grants.last", { time: time(grant.lastUsedAtMs) })}</p>
          </>
        )}
      </td>
      <td>
        <Revoke grant={grant} onChanged={onChanged} />
      </td>
    </tr>
  );
}

function Until({ grant }: { grant: GrantView }) {
  const t = useT("approvals");
  const nowMs = useNow();
  if (grant.expiresAtMs !== null)
    return <b className="evidence">{t("grants.left", { time: clockText(grant.expiresAtMs - nowMs) })}</b>;
  return t(grant.keptIn === "memory" ? "grants.session" : "grants.revoked");
}

function Revoke({ grant, onChanged }: { grant: GrantView; onChanged: () => void }) {
  const t = useT("approvals");
  const rpc = useRpc();
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle");
  return (
    <>
      <Button
        aria-disabled={state === "busy"}
        aria-label={t("grants.revokeNamed", { programs: grant.programs.join(", ") })}
        onClick={() => {
          if (state === "busy") return;
          setState("busy");
          rpc
            .call("grants.revoke", { id: grant.id })
            .then(() => setState("idle"))
            .catch(() => setState("failed"))
            .finally(onChanged);
        }}
      >
        {t("grants.revoke")}
      </Button>
      {state === "failed" ? (
        <p className="second tone-stop" role="alert">
          {t("grants.revokeFailed")}
        </p>
      ) : null}
    </>
  );
}
