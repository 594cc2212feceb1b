/** The part of the view for servers: the list at the left, one of them beside it. */

import type { McpServer } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState, ErrorState } from "../../ui/States.tsx";
import { toneOf, VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, PlainText } from "../approvals/CommandText.tsx";
import { AddServer } from "./AddServer.tsx";
import { ServerDetail } from "./ServerDetail.tsx";
import { waitsForWord } from "./useServers.ts";
import { stateShape, useServerWords } from "./useServerWords.ts";
import "./mcpServers.css";

/** Without a name in the address the one that needs a person is shown, else the first. */
export function shownServer(servers: readonly McpServer[], name: string | null): McpServer | undefined {
  if (name !== null) return servers.find((server) => server.name === name);
  return servers.find(waitsForWord) ?? servers[0];
}

export function ServerRows(props: {
  servers: readonly McpServer[] | null;
  shownName: string | null;
  isAdding: boolean;
  onShow: (name: string) => void;
}) {
  const { servers, isAdding } = props;
  const shown = isAdding ? undefined : shownServer(servers ?? [], props.shownName);
  return (
    <ul className="pane-body">
      {(servers ?? []).map((server) => (
        <ServerRow
          key={server.name}
          server={server}
          isCurrent={server.name === shown?.name}
          onShow={() => props.onShow(server.name)}
        />
      ))}
    </ul>
  );
}

function ServerRow({
  server,
  isCurrent,
  onShow,
}: {
  server: McpServer;
  isCurrent: boolean;
  onShow: () => void;
}) {
  const t = useT("mcpServers");
  const words = useServerWords(server);
  const shape = stateShape(server);
  const needsPerson = waitsForWord(server);
  return (
    <li>
      <button type="button" className="list-row client-row" aria-current={isCurrent} onClick={onShow}>
        <VerdictShape kind={shape} />
        <span className="grow">
          <span className="row server-row-name">
            <span className="ellipsis grow">
              <CommandText text={server.name} />
            </span>
            <code className="small nowrap">{server.transport}</code>
          </span>
          <span className={needsPerson ? `small tone-${toneOf(shape)}` : "small"}>{words.state}</span>
          {server.state.kind === "ready" ? (
            <span className="small"> · {t("toolCount", { count: server.tools.length })}</span>
          ) : null}
          {words.why === null ? null : (
            <span className="small server-row-why">
              <PlainText text={words.why} />
            </span>
          )}
          {words.next === null ? null : <span className="small server-row-next">{words.next}</span>}
        </span>
      </button>
    </li>
  );
}

export function ServerContent(props: {
  servers: readonly McpServer[] | null;
  error: Error | null;
  onRetry: () => void;
  shownName: string | null;
  isAdding: boolean;
  onClose: () => void;
}) {
  const t = useT("mcpServers");
  const { servers } = props;
  if (servers === null) {
    return props.error === null ? (
      <Skeleton rows={6} />
    ) : (
      <ErrorState title={t("listFailed")} error={props.error} onRetry={props.onRetry} />
    );
  }
  if (props.isAdding) return <AddServer onClose={props.onClose} />;
  if (servers.length === 0) return <AddServer />;
  const shown = shownServer(servers, props.shownName);
  if (shown === undefined) {
    return (
      <EmptyState title={t("gone.title")}>
        <p>
          <CommandText text={t("gone.text", { name: props.shownName ?? "" })} />
        </p>
      </EmptyState>
    );
  }
  return <ServerDetail key={shown.name} server={shown} />;
}
