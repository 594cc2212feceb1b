/** What the config says of a server: what would run or be reached, and with what. Values of variables never come here. */

import { type ReactNode, type RefObject, useRef } from "react";
import { Link } from "wouter";
import type { McpServer } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { CommandText } from "../approvals/CommandText.tsx";
import { useSeen } from "../approvals/useUnlock.ts";

/** The whole command line or address, with nothing in it unseen. */
export function ServerTarget({ server, end }: { server: McpServer; end?: ReactNode }) {
  const t = useT("mcpServers");
  const isCommand = server.transport === "stdio";
  return (
    <div className="server-target">
      <p className="small">{t(isCommand ? "target.runs" : "target.connects")}</p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend and resists scrolling */}
      <div
        className="server-target-text"
        role="group"
        aria-label={t(isCommand ? "target.runs" : "target.connects")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
      >
        <CommandText text={server.target} />
        {end}
      </div>
    </div>
  );
}

/** Stands behind the target; whoever has come to it has seen the whole. */
export function TargetEnd({ onSeen }: { onSeen: () => void }) {
  const t = useT("mcpServers");
  const ref: RefObject<HTMLButtonElement | null> = useRef(null);
  useSeen(ref, onSeen);
  return (
    <button type="button" ref={ref} className="cmd-end" onFocus={onSeen} tabIndex={0}>
      <span className="sr-only">{t("target.end")}</span>
    </button>
  );
}

/** @param children rows that stand in front of those of the entry */
export function EntryFacts({ server, children }: { server: McpServer; children?: ReactNode }) {
  const t = useT("mcpServers");
  return (
    <dl className="facts">
      {children}
      {/* Of an entry that was not understood nothing is known: not even that there are no variables. */}
      {server.state.kind === "invalid" ? null : <EntryParts server={server} />}
      <dt>{t("fact.source")}</dt>
      <dd>
        <SourceLink source={server.source} />
      </dd>
      <dt>{t("fact.digest")}</dt>
      <dd>
        <code title={server.digest}>
          {t("digest", { start: server.digest.slice(0, 8), end: server.digest.slice(-4) })}
        </code>{" "}
        <span className="dim">{t("digestNote")}</span>
      </dd>
    </dl>
  );
}

function EntryParts({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  const isCommand = server.transport === "stdio";
  return (
    <>
      <dt>{t("fact.transport")}</dt>
      <dd>
        <code>{server.transport}</code> <span className="dim">{t(`transport.${server.transport}`)}</span>
      </dd>
      {isCommand ? (
        <>
          <dt>{t("fact.folder")}</dt>
          <dd>
            {server.cwd === null ? (
              <span className="dim">{t("fact.folderNone")}</span>
            ) : (
              <code>
                <CommandText text={server.cwd} />
              </code>
            )}
          </dd>
        </>
      ) : null}
      {isCommand || server.envNames.length > 0 ? (
        <>
          <dt>{t("fact.env")}</dt>
          <dd>
            <Names names={server.envNames} note={t("fact.variables")} />
          </dd>
        </>
      ) : null}
      {isCommand && server.headerNames.length === 0 ? null : (
        <>
          <dt>{t("fact.headers")}</dt>
          <dd>
            <Names names={server.headerNames} note={t("fact.namesOnly")} />
          </dd>
        </>
      )}
    </>
  );
}

function Names({ names, note }: { names: readonly string[]; note: string }) {
  const t = useT("mcpServers");
  if (names.length === 0) return <span className="dim">{t("fact.none")}</span>;
  return (
    <>
      <span className="server-names">
        {names.map((name) => (
          <code key={name}>
            <CommandText text={name} />
          </code>
        ))}
      </span>{" "}
      <span className="dim">{note}</span>
    </>
  );
}

/** A place in the config that opens the text there. */
function SourceLink({ source }: { source: McpServer["source"] }) {
  const t = useT("mcpServers");
  const { file, line, configPath } = source;
  if (file !== "openclaw.json" || line === null) {
    return (
      <code>
        <CommandText text={`${file} ${configPath}`} />
      </code>
    );
  }
  return (
    <Link href={`/policy/whatif?line=${line}`} className="evidence" title={t("openLine", { file, line })}>
      <CommandText text={`${file}:${line}`} />
    </Link>
  );
}
