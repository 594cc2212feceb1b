/** Both sides of MCP: clients that call in, and servers whose tools join those of the agents. */

import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { McpClient } from "../../../shared/contract/index.ts";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Segmented } from "../../ui/Segmented.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText } from "../approvals/CommandText.tsx";
import { ServerContent, ServerRows, shownServer } from "../mcpServers/ServersPart.tsx";
import { useServers } from "../mcpServers/useServers.ts";
import { TryoutCard } from "../tryout/TryoutCard.tsx";
import { ClientDetail } from "./ClientDetail.tsx";
import { ConnectClient } from "./ConnectClient.tsx";
import "./clients.css";

const parts = ["clients", "servers"] as const;
type Part = (typeof parts)[number];

export function ClientsView() {
  const t = useT("clients");
  const [path, navigate] = useLocation();
  const [, , first, second] = path.split("/");
  const part: Part = first === "servers" ? "servers" : "clients";
  const clients = useLive((state) => state.clients);
  const { servers, error, retry } = useServers();
  const [shownId, setShownId] = useState<string | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const shown = clients?.find((client) => client.id === shownId) ?? clients?.[0];
  const serverName = part === "servers" && second !== undefined && second !== "" ? decoded(second) : null;
  const go = (to: string) => {
    setIsAdding(false);
    navigate(to);
  };
  // What is shown stays shown when its state changes, so the address names it.
  const nameless =
    part === "servers" && serverName === null ? shownServer(servers ?? [], null)?.name : undefined;
  useEffect(() => {
    if (nameless !== undefined)
      navigate(`/clients/servers/${encodeURIComponent(nameless)}`, { replace: true });
  }, [nameless, navigate]);
  const openServer = useCallback(
    (name: string) => {
      setIsAdding(false);
      navigate(`/clients/servers/${encodeURIComponent(name)}`);
    },
    [navigate],
  );
  const counts: Record<Part, number | undefined> = { clients: clients?.length, servers: servers?.length };
  const crumb = part === "clients" ? "crumb" : "serversCrumb";
  return (
    <div className="split-view">
      {counts[part] === undefined ? null : <Breadcrumb>{t(crumb, { count: counts[part] })}</Breadcrumb>}
      <section className="pane pane-list" aria-label={t(`parts.${part}`)} data-region tabIndex={-1}>
        <div className="pane-header">
          <h2 className="sr-only">{t(`parts.${part}`)}</h2>
          <Segmented
            label={t("parts.label")}
            value={part}
            options={parts.map((value) => {
              const count = counts[value];
              return { value, label: t(`parts.${value}`), ...(count === undefined ? {} : { count }) };
            })}
            onChange={(next) => go(next === "servers" ? "/clients/servers" : "/clients")}
          />
        </div>
        <button type="button" className="list-row client-add" onClick={() => setIsAdding(true)}>
          <Icon name="plus" size={12} />
          {t(part === "clients" ? "add" : "addServer")}
        </button>
        {part === "servers" ? (
          <ServerRows
            servers={servers}
            shownName={isAdding ? null : serverName}
            isAdding={isAdding}
            onShow={openServer}
          />
        ) : (
          <ul className="pane-body">
            {(clients ?? []).map((client) => (
              <ClientRow
                key={client.id}
                client={client}
                isCurrent={!isAdding && client.id === shown?.id}
                onShow={() => {
                  setShownId(client.id);
                  setIsAdding(false);
                }}
              />
            ))}
          </ul>
        )}
      </section>
      <section
        className="pane pane-content"
        aria-label={t(part === "clients" ? "details" : "serverDetails")}
        data-region
        tabIndex={-1}
      >
        <div className="pane-body">
          {part === "servers" ? (
            <ServerContent
              servers={servers}
              error={error}
              onRetry={retry}
              shownName={serverName}
              isAdding={isAdding}
              onClose={() => setIsAdding(false)}
            />
          ) : clients === null ? (
            <Skeleton rows={6} />
          ) : isAdding ? (
            <ConnectClient
              onClose={(id) => {
                setIsAdding(false);
                if (id !== null) setShownId(id);
              }}
            />
          ) : shown === undefined ? (
            <NoClients onAdd={() => setIsAdding(true)} />
          ) : (
            <ClientDetail key={shown.id} client={shown} />
          )}
        </div>
      </section>
    </div>
  );
}

/** A typed address may hold a stray percent sign; then it is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function ClientRow({
  client,
  isCurrent,
  onShow,
}: {
  client: McpClient;
  isCurrent: boolean;
  onShow: () => void;
}) {
  const t = useT("clients");
  const isUnmapped = client.mapping === "unmapped";
  const isHere = client.connections > 0;
  return (
    <li>
      <button type="button" className="list-row client-row" aria-current={isCurrent} onClick={onShow}>
        <VerdictShape kind={isUnmapped ? "asks" : isHere ? "running" : "skipped"} />
        <span className="grow">
          <span className="ellipsis client-name">
            <CommandText text={client.name} />
          </span>
          <span className="small">
            {isUnmapped
              ? t(client.isAgentGone === true ? "state.agentGone" : "state.unmapped")
              : isHere
                ? t("state.connected", { count: client.connections })
                : t("state.away")}
            {isUnmapped ? null : ` · ${client.agentId}`}
          </span>
        </span>
      </button>
    </li>
  );
}

function NoClients({ onAdd }: { onAdd: () => void }) {
  const t = useT("clients");
  return (
    <>
      <EmptyState
        title={t("empty.title")}
        action={
          <Button size="primary" look="filled" icon="plus" onClick={onAdd}>
            {t("add")}
          </Button>
        }
      >
        <p>{t("empty.text")}</p>
      </EmptyState>
      <TryoutCard />
    </>
  );
}
