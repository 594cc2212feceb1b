/** Entries of exec-approvals.json: what each lets through, its use, its faults; added by hand, removed with two presses. */

import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useT } from "../../i18n/index.ts";
import type { PanelOutput } from "../../rpc/connection.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { EmptyState, ErrorState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { AllowlistAdd } from "./AllowlistAdd.tsx";
import { type AllowlistEntry, AllowlistTable } from "./AllowlistTable.tsx";
import { CommandText } from "./CommandText.tsx";

type FileView = PanelOutput<"exec.approvals.get">;

/** What the last removal was, and how its undoing went. */
type Removed = { entry: Pick<AllowlistEntry, "pattern" | "agentId">; state: "removed" | "busy" | "failed" };

export function AllowlistPane({ query }: { query: UseQueryResult<FileView, Error> }) {
  const t = useT("approvals");
  const { data, error, refetch } = query;
  const [removed, setRemoved] = useState<Removed | null>(null);
  const changed = () => void refetch();
  if (error !== null && data === undefined)
    return (
      <div className="view-body">
        <ErrorState title={t("allowlist.failed")} error={error} onRetry={changed} />
      </div>
    );
  if (data === undefined)
    return (
      <div className="view-body">
        <Skeleton rows={6} />
      </div>
    );
  if (data.state === "broken") return <Unreadable view={data} />;
  return (
    <div className="view-body">
      <AllowlistAdd
        agents={data.entries.map((entry) => entry.agentId)}
        onAdded={() => {
          setRemoved(null);
          changed();
        }}
      />
      <RemovedLine removed={removed} onChange={setRemoved} onAdded={changed} />
      {data.entries.length === 0 ? (
        <EmptyState title={t("allowlist.empty")}>
          <p>{t(data.state === "missing" ? "allowlist.missingText" : "allowlist.emptyText")}</p>
        </EmptyState>
      ) : (
        <AllowlistTable
          entries={data.entries}
          onRemoved={({ pattern, agentId }) => {
            setRemoved({ entry: { pattern, agentId }, state: "removed" });
            changed();
          }}
        />
      )}
      <p className="small rules-foot">
        <CommandText text={data.path} />
      </p>
    </div>
  );
}

/** Nothing is offered on a file that cannot be read: what is in it is not known. */
function Unreadable({ view }: { view: FileView }) {
  const t = useT("approvals");
  return (
    <div className="view-body">
      <div className="error-state" role="alert">
        <p className="row">
          <VerdictShape kind="denied" />
          <strong>{t("allowlist.unreadable")}</strong>
        </p>
        <p>{t("allowlist.unreadableText")}</p>
        <ul>
          {view.problems.map((problem) => (
            <li key={`${problem.line} ${problem.column} ${problem.message}`} className="evidence">
              <CommandText
                text={`${view.path}${problem.line === null ? "" : `:${problem.line}${problem.column === null ? "" : `:${problem.column}`}`} ${problem.message}`}
              />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface RemovedLineProps {
  removed: Removed | null;
  onChange: (removed: Removed | null) => void;
  onAdded: () => void;
}

/** Says what was removed and takes it back; stays until the next change. */
function RemovedLine({ removed, onChange, onAdded }: RemovedLineProps) {
  const t = useT("approvals");
  const rpc = useRpc();
  const undo = useRef<HTMLButtonElement>(null);
  const pattern = removed?.entry.pattern;
  const agentId = removed?.entry.agentId;
  useEffect(() => {
    // The row takes the focus with it when it goes: the way back gets it, unless somebody has gone elsewhere.
    const focused = document.activeElement;
    const isOfRow = focused === null || focused === document.body || focused.closest(".entry-table") !== null;
    if (pattern !== undefined && agentId !== undefined && isOfRow) undo.current?.focus();
  }, [pattern, agentId]);
  return (
    <div role="status">
      {removed === null || pattern === undefined || agentId === undefined ? null : (
        <p className="entry-removed">
          <VerdictShape kind="done" />
          <span>
            {agentId === "*" ? t("allowlist.removedAll") : t("allowlist.removed", { agent: agentId })}{" "}
            <code>
              <CommandText text={pattern} />
            </code>
          </span>
          <Button
            ref={undo}
            aria-disabled={removed.state === "busy"}
            onKeyDown={(event) => {
              // The key that removed the entry may still be down.
              if (event.repeat) event.preventDefault();
            }}
            onClick={() => {
              if (removed.state === "busy") return;
              onChange({ ...removed, state: "busy" });
              rpc
                .call("exec.approvals.allowlistAdd", { pattern, agentId })
                .then(() => {
                  onChange(null);
                  onAdded();
                })
                .catch(() => onChange({ ...removed, state: "failed" }));
            }}
          >
            {t("allowlist.undo")}
          </Button>
          {removed.state === "failed" ? <span className="tone-stop">{t("allowlist.addFailed")}</span> : null}
        </p>
      )}
    </div>
  );
}
