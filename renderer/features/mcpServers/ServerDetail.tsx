/** One server: what runs or is reached, how it stands, what a person can do with it, and the tools it brings. */

import type { McpServer } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { VerdictChip, VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, PlainText } from "../approvals/CommandText.tsx";
import { EntryFacts, ServerTarget } from "./EntryFacts.tsx";
import { ServerActs } from "./ServerActs.tsx";
import { ServerTools } from "./ServerTools.tsx";
import { stateShape, useServerWords } from "./useServerWords.ts";

export function ServerDetail({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  const words = useServerWords(server);
  const shape = stateShape(server);
  const { state } = server;
  return (
    <div className="client-detail server-detail">
      <div className="row">
        <h2 className="view-title">
          <CommandText text={server.name} />
        </h2>
        <VerdictChip kind={shape} filled={shape === "asks" || shape === "denied"}>
          {words.state}
        </VerdictChip>
      </div>
      <Explanation server={server} />
      {server.target === "" ? null : <ServerTarget server={server} />}
      <EntryFacts server={server}>
        {state.kind === "ready" ? (
          <>
            <dt>{t("fact.says")}</dt>
            <dd>
              {state.reportedName === "" ? (
                <span className="dim">{t("fact.saysNothing")}</span>
              ) : (
                <CommandText text={`${state.reportedName} ${state.reportedVersion}`.trim()} />
              )}
            </dd>
            {state.pid === null ? null : (
              <>
                <dt>{t("fact.process")}</dt>
                <dd className="evidence">{state.pid}</dd>
              </>
            )}
          </>
        ) : null}
      </EntryFacts>
      <ServerActs server={server} />
      <ServerTools server={server} />
      <LeftOut server={server} />
      <ServerLog server={server} />
    </div>
  );
}

/** What the state means, in a sentence or two. */
function Explanation({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  const words = useServerWords(server);
  const { state } = server;
  switch (state.kind) {
    case "unconfirmed":
      return <p>{t(state.isChanged ? "about.changed" : "about.unconfirmed")}</p>;
    case "failed":
      return (
        <p>
          <PlainText text={t("about.failed", { reason: words.why ?? "", next: words.next ?? "" })} />
        </p>
      );
    case "invalid":
      return (
        <p>
          <PlainText text={words.why === null ? t("about.off") : t("about.invalid", { reason: words.why })} />
        </p>
      );
    case "stopped":
      return <p>{t("about.stopped")}</p>;
    case "starting":
      return <p>{t("about.starting")}</p>;
    case "ready":
      return null;
  }
}

function LeftOut({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  const reason = useReason();
  if (server.leftOut.length === 0) return null;
  return (
    <section className="stack">
      <h3>{t("leftOut.title", { count: server.leftOut.length })}</h3>
      <ul className="server-left-out">
        {server.leftOut.map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a server may give one name twice
          <li key={index}>
            <VerdictShape kind="removed" />
            <code>
              <CommandText text={tool.remoteName} />
            </code>
            <span className="second">
              <PlainText text={reason(tool.reason)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Open where it may say why; else it waits to be asked for. */
function ServerLog({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  if (server.log === "") return null;
  return (
    <details className="server-log" open={server.state.kind === "failed"}>
      <summary>{t("log.title")}</summary>
      <p className="small">{t("log.note")}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard */}
      <pre tabIndex={0}>
        <PlainText text={server.log} />
      </pre>
    </details>
  );
}
