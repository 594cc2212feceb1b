/** The right half of the scope picker: past commands that would not have asked, and near ones that still would. */

import type { GrantPreview } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { useNow } from "../../ui/useNow.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, PlainText } from "./CommandText.tsx";

const shownCovered = 6;
const shownLength = 120;

export function ScopePreview({ preview, error }: { preview: GrantPreview | undefined; error: Error | null }) {
  const t = useT("approvals");
  const day = useDay();
  const reason = useReason();
  if (error !== null) return <p className="scope-preview second">{t("scope.previewFailed")}</p>;
  if (preview === undefined)
    return (
      <div className="scope-preview">
        <Skeleton rows={4} />
      </div>
    );
  const left = preview.covered.length - shownCovered;
  return (
    <div className="scope-preview" aria-live="polite">
      <h4>{t("scope.covered", { covered: preview.coveredCount, count: preview.lookedAt })}</h4>
      <ul>
        {preview.covered.slice(0, shownCovered).map((past) => (
          <li key={`${past.command} ${past.agentId} ${past.sessionKey} ${past.cwd}`}>
            <VerdictShape kind="kept" />
            <Past command={past.command} count={past.count} />
            <span className="scope-when">{day(past.atMs)}</span>
          </li>
        ))}
      </ul>
      {left > 0 ? <p className="second">{t("scope.moreCovered", { count: left })}</p> : null}
      {preview.nearest.length === 0 ? null : <h4 className="dim">{t("scope.nearest")}</h4>}
      <ul>
        {preview.nearest.map((past) => (
          <li key={`${past.command} ${past.agentId} ${past.sessionKey} ${past.cwd}`}>
            <VerdictShape kind="wouldRemove" />
            <Past command={past.command} count={past.count} />
            <span className="scope-when">
              <PlainText text={reason(past.difference)} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Past({ command, count }: { command: string; count: number }) {
  return (
    <code className="ellipsis grow">
      <CommandText text={command} end={Math.min(command.length, shownLength)} />
      {count > 1 ? <span className="dim"> ×{count}</span> : null}
    </code>
  );
}

/** @returns today, the weekday within a week, else the day and month */
function useDay(): (atMs: number) => string {
  const t = useT("approvals");
  const language = useLanguage();
  const nowMs = useNow(60_000);
  return (atMs) => {
    const at = new Date(atMs);
    if (new Date(nowMs).toDateString() === at.toDateString()) return t("scope.today");
    const isThisWeek = nowMs - atMs < 6 * 86_400_000;
    return new Intl.DateTimeFormat(
      language,
      isThisWeek ? { weekday: "short" } : { day: "numeric", month: "short" },
    ).format(at);
  };
}
