/** How and where the command will run: the facts a person needs before deciding (A1). */

import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { ApprovalRequest, RuleSource } from "../../../shared/contract/index.ts";
import { classifyProgram } from "../../../shared/exec/index.ts";
import { changedFiles } from "../../../shared/files/changeLines.ts";
import { useT } from "../../i18n/index.ts";
import { clockText } from "../../ui/useNow.ts";
import { CommandText } from "./CommandText.tsx";
import { calledTool } from "./WantsToCall.tsx";

export function Facts({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const { runsAs } = request;
  if (request.kind === "fileWrite" || request.kind === "configWrite")
    return <ChangeFacts request={request} />;
  // What matters of an act on a page stands in its text: element, page, form and where it goes.
  if (request.kind === "browserAct" || request.kind === "restart") return null;
  if (request.kind === "mcpCall") return <CallFacts request={request} />;
  return (
    <>
      {runsAs.kind === "rebuilt" ? (
        <div className="rebuilt">
          <p className="small">{t("facts.rebuilt")}</p>
          <pre className="rebuilt-text">
            <CommandText text={runsAs.text} />
          </pre>
        </div>
      ) : null}
      <dl className="approval-facts">
        <Fact label={t("facts.runsAs")}>
          {runsAs.kind === "typed" ? (
            <>
              {t("facts.typedBy")} <code className="fact-code">{runsAs.shell}</code>
            </>
          ) : (
            t("facts.asAbove")
          )}
          <HowItRuns request={request} />
        </Fact>
        <Fact label={t("facts.host")}>
          {request.host} <span className="dim">{t(`facts.hostNote.${request.host}`)}</span>
          {request.host === "gateway" && runsAnything(request) && (
            <span className="second"> {t("facts.runsAnything")}</span>
          )}
        </Fact>
        <Fact label={t("facts.folder")}>
          <code className="fact-code">
            <CommandText text={request.cwd} />
          </code>
        </Fact>
        <Fact label={t("facts.programs")}>
          <Programs request={request} />
        </Fact>
        <Fact label={t("facts.env")}>
          <Env request={request} />
        </Fact>
        <Fact label={t("facts.rule")}>
          <span>
            {t("facts.ruleText", {
              security: request.rule.security,
              ask: t(`facts.ask.${request.rule.ask}`),
            })}
          </span>
          <Sources sources={request.rule.sources} />
        </Fact>
      </dl>
    </>
  );
}

/** Nothing runs: which file becomes what, and under which rule somebody is asked. */
function ChangeFacts({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const files = changedFiles(request.command);
  const [only] = files;
  return (
    <dl className="approval-facts">
      <Fact label={t("facts.file")}>
        {only === undefined || files.length > 1 ? (
          t("facts.filesNamed", { count: files.length })
        ) : (
          <code className="fact-code">
            <CommandText text={only.path} />
          </code>
        )}
      </Fact>
      <Fact label={t("facts.host")}>
        {request.host} <span className="dim">{t(`facts.hostNote.${request.host}`)}</span>
      </Fact>
      {only === undefined || files.length > 1 ? null : (
        <>
          <Fact label={t("facts.before")}>
            <Content text={only.before} />
          </Fact>
          <Fact label={t("facts.after")}>
            <Content text={only.after} />
          </Fact>
        </>
      )}
      {request.kind === "configWrite" ? null : (
        <Fact label={t("facts.workspace")}>
          <code className="fact-code">
            <CommandText text={request.cwd} />
          </code>
        </Fact>
      )}
      <Fact label={t("facts.rule")}>
        <Sources sources={request.rule.sources} />
      </Fact>
    </dl>
  );
}

/** Server, tool and arguments stand in the text: here the way to the server, and the rule. */
function CallFacts({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const [path] = useLocation();
  const called = calledTool(request);
  return (
    <dl className="approval-facts">
      {called === null ? null : (
        <Fact label={t("facts.server")}>
          {/* The window of the prompt shows nothing but prompts: a link would lead it away from this one. */}
          {path === "/approval-window" ? (
            <code className="fact-code">
              <CommandText text={called.server} />
            </code>
          ) : (
            <Link href={`/clients/servers/${encodeURIComponent(called.server)}`} className="evidence">
              <CommandText text={called.server} />
            </Link>
          )}{" "}
          <span className="dim">{t("facts.serverNote")}</span>
        </Fact>
      )}
      <Fact label={t("facts.rule")}>
        <Sources sources={request.rule.sources} />
      </Fact>
    </dl>
  );
}

/** What a file holds: the hash in short, the size beside it. The whole hash stands in the text above. */
function Content({ text }: { text: string }) {
  const t = useT("approvals");
  const [, sha256, size] = /^sha256 ([0-9a-f]{64}) \(([^)]*)\)$/.exec(text) ?? [];
  if (sha256 !== undefined) {
    return (
      <>
        <code className="fact-code" title={sha256}>
          {t("facts.hash", { start: sha256.slice(0, 4), end: sha256.slice(-2) })}
        </code>{" "}
        <span className="dim">{size}</span>
      </>
    );
  }
  if (text === "no file") return <span>{t("facts.noFile")}</span>;
  if (text === "nothing") return <span>{t("facts.deleted")}</span>;
  return <CommandText text={text} />;
}

/** Two values of one line are one place. */
function Sources({ sources }: { sources: readonly RuleSource[] }) {
  const paths = new Map<string, string[]>();
  for (const source of sources) {
    const place = sourceText(source);
    paths.set(place, [...(paths.get(place) ?? []), source.configPath]);
  }
  return [...paths].map(([place, configPaths]) => (
    <code key={place} className="fact-source" title={configPaths.join(", ")}>
      {place}
    </code>
  ));
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="approval-fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function HowItRuns({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const words = [
    request.pty ? t("facts.pty") : null,
    request.background ? t("facts.background") : null,
    request.timeoutMs === null ? null : t("facts.timeout", { time: clockText(request.timeoutMs) }),
  ].filter((word) => word !== null);
  return words.length === 0 ? null : <span className="dim"> · {words.join(" · ")}</span>;
}

function Programs({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const programs = new Map(
    (request.segments ?? []).map((segment) => [
      segment.resolvedPath ?? segment.argv[0] ?? "",
      { real: segment.realPath, sha256: segment.sha256 },
    ]),
  );
  const pinned = [...programs.values()].filter(({ sha256 }) => sha256 !== null).length;
  const [only] = [...programs];
  if (only === undefined) return <span className="dim">{t("facts.programsUnknown")}</span>;
  const rows = [...programs].map(([path, { real, sha256 }]) => (
    <li key={path}>
      <code className="fact-code">
        <CommandText text={path} />
      </code>
      {real !== null && real !== path ? (
        <code className="dim">
          {" "}
          <span aria-hidden="true">→</span> <CommandText text={real} />
        </code>
      ) : null}
      {sha256 === null ? (
        <span className="dim"> {t("facts.noHash")}</span>
      ) : (
        <code className="dim" title={sha256}>
          {" "}
          {t("facts.hash", { start: sha256.slice(0, 4), end: sha256.slice(-2) })}
        </code>
      )}
    </li>
  ));
  if (programs.size === 1) return <ul>{rows}</ul>;
  return (
    <details className="fact-details">
      <summary>{pinned === 0 ? t("facts.noHash") : t("facts.programsPinned", { count: pinned })}</summary>
      <ul>{rows}</ul>
    </details>
  );
}

function Env({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  if (request.env.length === 0) return <span>{t("facts.none")}</span>;
  return (
    <>
      {request.env.map((entry) => (
        <span key={entry.name} className="fact-env">
          <code className="fact-code">
            <CommandText text={`${entry.name}=${entry.shown}`} />
          </code>
          {entry.isMasked ? (
            <span className="dim">
              {" "}
              {entry.length === undefined
                ? t("facts.masked")
                : t("facts.maskedLength", { count: entry.length })}
            </span>
          ) : null}{" "}
        </span>
      ))}
    </>
  );
}

function sourceText(source: RuleSource): string {
  const [, ruleId] = /^hardening\.rules\["([^"]+)"\]$/.exec(source.configPath) ?? [];
  if (ruleId !== undefined && source.line === null) return ruleId;
  return source.line === null ? `${source.file} ${source.configPath}` : `${source.file}:${source.line}`;
}

/** Programs that can do anything that this user can; a text that was not understood counts as one. */
function runsAnything({ segments }: ApprovalRequest): boolean {
  if (segments === null) return true;
  return segments.some(({ argv, realPath }) => {
    const [word = ""] = argv;
    return classifyProgram(word) !== "plain" || (realPath !== null && classifyProgram(realPath) !== "plain");
  });
}
