/** The tools of a server: what it says of them, who sees them, and who may call them without being asked. */

import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { McpServer, McpServerTool } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, PlainText } from "../approvals/CommandText.tsx";
import { type AgentSight, useAgentSight } from "./useAgentSight.ts";

const filterFrom = 10;
const shownLength = 160;

export function ServerTools({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  const isReady = server.state.kind === "ready";
  const agents = useAgentSight(isReady && server.tools.length > 0);
  const askAgain = useMutationRpc("mcpServers.askAgain");
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => matching(server.tools, filter), [server.tools, filter]);
  if (server.tools.length === 0) {
    return isReady ? (
      <section className="stack">
        <h3>{t("tools.title", { count: 0 })}</h3>
        <p className="second">{t("tools.none")}</p>
      </section>
    ) : null;
  }
  const isAnyAllowed = server.tools.some((tool) => tool.allowedFor.length > 0);
  const forget = (target: { tool?: string; agentId?: string }) =>
    askAgain.mutate({ name: server.name, ...target });
  return (
    <section className="stack">
      <div className="row">
        <h3>{t("tools.title", { count: server.tools.length })}</h3>
        {isReady ? null : <span className="second grow">{t("tools.notNow")}</span>}
        {isAnyAllowed ? (
          <Button look="plain" disabled={askAgain.isPending} onClick={() => forget({})}>
            {t("tools.askAgainAll")}
          </Button>
        ) : null}
      </div>
      {askAgain.isError ? <ErrorState title={t("acts.failed")} error={askAgain.error} /> : null}
      <p className="small">{t("tools.note")}</p>
      {server.tools.length < filterFrom ? null : (
        <input
          type="search"
          className="input server-filter"
          value={filter}
          placeholder={t("tools.filter")}
          aria-label={t("tools.filter")}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {shown.length === 0 ? (
        <p className="second">{t("tools.noMatch")}</p>
      ) : (
        <table className="table server-tools">
          <thead>
            <tr>
              <th scope="col">{t("tools.column.tool")}</th>
              {isReady ? <th scope="col">{t("tools.column.agents")}</th> : null}
              <th scope="col">{t("tools.column.without")}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((tool) => (
              <ToolRow
                key={tool.name}
                tool={tool}
                agents={isReady ? agents : null}
                isBusy={askAgain.isPending}
                onAskAgain={(agentId) => forget({ tool: tool.name, agentId })}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function ToolRow(props: {
  tool: McpServerTool;
  /** null: the server does not run, so nobody sees it. */
  agents: AgentSight[] | null;
  isBusy: boolean;
  onAskAgain: (agentId: string) => void;
}) {
  const { tool, agents } = props;
  return (
    <tr>
      <th scope="row" className="server-tool">
        <Link href={`/tools/${encodeURIComponent(tool.name)}`} className="evidence">
          <CommandText text={tool.name} />
        </Link>
        <Description tool={tool} />
      </th>
      {agents === null ? null : (
        <td>
          <SeenBy tool={tool.name} agents={agents} />
        </td>
      )}
      <td>
        <Without {...props} />
      </td>
    </tr>
  );
}

/** The server's own words: text only, cut until somebody wants to read on. */
function Description({ tool }: { tool: McpServerTool }) {
  const t = useT("mcpServers");
  const [isWhole, setIsWhole] = useState(false);
  const { title, description } = tool;
  const isCut = description.length > shownLength && !isWhole;
  return (
    <div className="second server-tool-text">
      {title === null || title === "" ? null : (
        <span className="server-tool-title">
          <PlainText text={title} />
        </span>
      )}
      {description === "" ? (
        <span className="dim">{t("tools.noDescription")}</span>
      ) : (
        <PlainText text={isCut ? cut(description) : description} />
      )}
      {description.length > shownLength ? (
        <button
          type="button"
          className="server-more"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {t(isWhole ? "tools.less" : "tools.more")}
        </button>
      ) : null}
    </div>
  );
}

/** Each agent leads to the reason, whether it sees the tool or not. */
function SeenBy({ tool, agents }: { tool: string; agents: AgentSight[] }) {
  const t = useT("mcpServers");
  const why = `/policy/why/${encodeURIComponent(tool)}`;
  if (agents.length === 0) return <Link href={why}>{t("tools.why")}</Link>;
  return (
    <ul>
      {agents.map(({ agentId, tools }) => {
        if (tools === null) return <li key={agentId}>{agentId}</li>;
        const sees = tools.has(tool);
        const label = t(sees ? "tools.seesIt" : "tools.seesItNot", { agent: agentId, tool });
        return (
          <li key={agentId} className="server-agent">
            <VerdictShape kind={sees ? "kept" : "removed"} />
            <Link
              href={`${why}?agent=${encodeURIComponent(agentId)}&surface=mcp`}
              className={sees ? "evidence" : "evidence dim"}
              title={label}
              aria-label={label}
            >
              <CommandText text={agentId} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function Without({
  tool,
  isBusy,
  onAskAgain,
}: {
  tool: McpServerTool;
  isBusy: boolean;
  onAskAgain: (agentId: string) => void;
}) {
  const t = useT("mcpServers");
  return (
    <>
      {tool.isChanged ? (
        <span className="server-changed tone-ask">
          <VerdictShape kind="asks" />
          {t("tools.changed")}
        </span>
      ) : null}
      {tool.allowedFor.length === 0 ? (
        tool.isChanged ? null : (
          <span className="dim">{t("tools.asks")}</span>
        )
      ) : (
        <ul>
          {tool.allowedFor.map((agentId) => {
            const who = agentId === "*" ? t("tools.allAgents") : agentId;
            return (
              <li key={agentId} className="row server-agent">
                <span className={agentId === "*" ? undefined : "evidence"}>
                  <CommandText text={who} />
                </span>
                <Button
                  look="plain"
                  disabled={isBusy}
                  aria-label={t("tools.askAgainNamed", { agent: who, tool: tool.name })}
                  onClick={() => onAskAgain(agentId)}
                >
                  {t("tools.askAgain")}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

/** Ends between words where one ends near the limit. */
function cut(text: string): string {
  const start = text.slice(0, shownLength);
  return `${/^[\s\S]{120,}(?=\s)/.exec(start)?.[0].trimEnd() ?? start}…`;
}

function matching(tools: readonly McpServerTool[], filter: string): McpServerTool[] {
  const needle = filter.trim().toLowerCase();
  return tools.filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(needle));
}
