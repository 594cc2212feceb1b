/** The entries as rows: grouped by agent, each with source, use and faults, and a removal that asks for two presses. */

import { useState } from "react";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import type { PanelOutput } from "../../rpc/connection.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { CommandText, PlainText } from "./CommandText.tsx";
import { useTime } from "./useTime.ts";

export type AllowlistEntry = PanelOutput<"exec.approvals.get">["entries"][number];

export interface AllowlistTableProps {
  entries: readonly AllowlistEntry[];
  onRemoved: (entry: AllowlistEntry) => void;
}

const commandLength = 120;
/** Rarely more; all of them would make a slow page. */
const firstShown = 300;

export function AllowlistTable({ entries, onRemoved }: AllowlistTableProps) {
  const t = useT("approvals");
  const [isWhole, setIsWhole] = useState(false);
  // Entries for everybody first: they count for each of the others too.
  const sorted = [...new Map(entries.map((entry) => [keyOf(entry), entry])).values()].sort(
    (a, b) => Number(b.agentId === "*") - Number(a.agentId === "*") || compare(a.agentId, b.agentId),
  );
  const shown = isWhole ? sorted : sorted.slice(0, firstShown);
  return (
    <>
      <table className="table entry-table">
        <thead>
          <tr>
            <th>{t("allowlist.column.pattern")}</th>
            <th>{t("allowlist.column.for")}</th>
            <th>{t("allowlist.column.source")}</th>
            <th>{t("allowlist.column.used")}</th>
            <th>
              <span className="sr-only">{t("burst.column.acts")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((entry) => (
            <EntryRow key={keyOf(entry)} entry={entry} onRemoved={onRemoved} />
          ))}
        </tbody>
      </table>
      {shown.length < sorted.length ? (
        <Button look="plain" icon="down" onClick={() => setIsWhole(true)}>
          {t("burst.more", { count: sorted.length - shown.length })}
        </Button>
      ) : null}
    </>
  );
}

/** The same pattern twice in a file written by hand is one entry: removing it removes both. */
function keyOf({ agentId, pattern }: AllowlistEntry): string {
  return JSON.stringify([agentId, pattern.trim()]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function EntryRow({
  entry,
  onRemoved,
}: {
  entry: AllowlistEntry;
  onRemoved: (entry: AllowlistEntry) => void;
}) {
  const t = useT("approvals");
  const reason = useReason();
  const time = useTime();
  const { lastUsedCommand, lastUsedAtMs, useCount } = entry;
  return (
    <tr>
      <td>
        <code className="entry-pattern">
          <CommandText text={entry.pattern} />
        </code>
        {entry.findings.map((finding) => (
          <p key={`${finding.code} ${JSON.stringify(finding.params)}`} className="second tone-ask">
            <PlainText text={reason(finding)} />
          </p>
        ))}
      </td>
      <td className="evidence">
        {entry.agentId === "*" ? t("grants.allAgents") : <CommandText text={entry.agentId} />}
      </td>
      <td className="nowrap">{t(`allowlist.source.${entry.source ?? "file"}`)}</td>
      <td>
        {lastUsedAtMs === null ? (
          <span className="dim">{t("grants.never")}</span>
        ) : (
          <>
            <span className="nowrap">{t("grants.last", { time: time(lastUsedAtMs) })}</span>
            {useCount === undefined ? null : (
              <p className="second">{t("grants.used", { count: useCount })}</p>
            )}
            {lastUsedCommand === null ? null : (
              <p className="second evidence entry-pattern">
                <CommandText text={lastUsedCommand} end={Math.min(lastUsedCommand.length, commandLength)} />
              </p>
            )}
          </>
        )}
      </td>
      <td>
        <Remove entry={entry} onRemoved={onRemoved} />
      </td>
    </tr>
  );
}

function Remove({ entry, onRemoved }: { entry: AllowlistEntry; onRemoved: (entry: AllowlistEntry) => void }) {
  const t = useT("approvals");
  const rpc = useRpc();
  const { pattern, agentId } = entry;
  const [state, setState] = useState<"idle" | "asked" | "busy" | "failed">("idle");
  const remove = () => {
    setState("busy");
    rpc
      .call("exec.approvals.allowlistRemove", { pattern, agentId })
      .then(() => onRemoved(entry))
      .catch(() => setState("failed"));
  };
  const isAsked = state === "asked" || state === "busy";
  return (
    <>
      <Button
        look={isAsked ? "danger" : "outlined"}
        aria-disabled={state === "busy"}
        aria-label={t(isAsked ? "allowlist.removeAgainNamed" : "allowlist.removeNamed", { pattern })}
        onBlur={() => setState((now) => (now === "asked" ? "idle" : now))}
        onKeyDown={(event) => {
          // A key that is held down is one press.
          if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
        }}
        onClick={(event) => {
          // The second half of a double click is no answer to a question that has just appeared.
          if (state === "busy" || event.detail > 1) return;
          if (state === "asked") remove();
          else setState("asked");
        }}
      >
        {t(isAsked ? "allowlist.removeAgain" : "allowlist.remove")}
      </Button>
      {state === "failed" ? (
        <p className="second tone-stop" role="alert">
          {t("allowlist.removeFailed")}
        </p>
      ) : null}
    </>
  );
}
