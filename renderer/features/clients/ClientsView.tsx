/** MCP clients: who may connect, as whom, and what it sees. */

import { useState } from "react";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText } from "../approvals/CommandText.tsx";
import { TryoutCard } from "../tryout/TryoutCard.tsx";
import { ClientDetail } from "./ClientDetail.tsx";
import { ConnectClient } from "./ConnectClient.tsx";
import "./clients.css";

export function ClientsView() {
  const t = useT("clients");
  const clients = useLive((state) => state.clients);
  const [shownId, setShownId] = useState<string | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  if (clients === null) return <Skeleton rows={6} />;
  const shown = clients.find((client) => client.id === shownId) ?? clients[0];
  return (
    <div className="split-view">
      <Breadcrumb>{t("crumb", { count: clients.length })}</Breadcrumb>
      <section className="pane pane-list" aria-label={t("title")} data-region tabIndex={-1}>
        <div className="pane-header">
          <h2 className="view-title grow">{t("title")}</h2>
          <Button look="plain" icon="plus" onClick={() => setIsAdding(true)}>
            {t("add")}
          </Button>
        </div>
        <ul className="pane-body">
          {clients.map((client) => (
            <li key={client.id}>
              <button
                type="button"
                className="list-row client-row"
                aria-current={!isAdding && client.id === shown?.id}
                onClick={() => {
                  setShownId(client.id);
                  setIsAdding(false);
                }}
              >
                <VerdictShape
                  kind={
                    client.mapping === "unmapped" ? "asks" : client.connections > 0 ? "running" : "skipped"
                  }
                />
                <span className="grow">
                  <span className="ellipsis client-name">
                    <CommandText text={client.name} />
                  </span>
                  <span className="small">
                    {client.mapping === "unmapped"
                      ? t("state.unmapped")
                      : client.connections > 0
                        ? t("state.connected", { count: client.connections })
                        : t("state.away")}
                    {client.mapping === "unmapped" ? null : ` · ${client.agentId}`}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section className="pane pane-content" aria-label={t("details")} data-region tabIndex={-1}>
        <div className="pane-body">
          {isAdding ? (
            <ConnectClient
              onClose={(id) => {
                setIsAdding(false);
                if (id !== null) setShownId(id);
              }}
            />
          ) : shown === undefined ? (
            <>
              <EmptyState
                title={t("empty.title")}
                action={
                  <Button size="primary" look="filled" icon="plus" onClick={() => setIsAdding(true)}>
                    {t("add")}
                  </Button>
                }
              >
                <p>{t("empty.text")}</p>
              </EmptyState>
              <TryoutCard />
            </>
          ) : (
            <ClientDetail key={shown.id} client={shown} />
          )}
        </div>
      </section>
    </div>
  );
}
