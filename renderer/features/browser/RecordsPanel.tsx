/** What happened on the page: acts with pictures, console, network errors, dialogs, downloads, refused requests. */

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { BrowserFilmEntry, BrowserTab } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useQueryRpc, useRpcEvent } from "../../rpc/hooks.ts";
import { ErrorState, Segmented, type VerdictKind, VerdictShape } from "../../ui/index.ts";
import { FilmList } from "./FilmList.tsx";

const parts = ["acts", "console", "network", "dialogs", "downloads", "blocked"] as const;
type Part = (typeof parts)[number];

export function RecordsPanel({ profile, tab }: { profile: string; tab: BrowserTab }) {
  const t = useT("browser");
  const [part, setPart] = useState<Part>("acts");
  const { targetId, counts } = tab;
  const { film, error: filmError } = useFilm(profile, targetId);
  const { blocked, error: blockedError } = useBlocked(profile);
  const numbers: Record<Part, number> = {
    acts: film.length,
    console: counts.console + counts.errors,
    network: counts.failedRequests,
    dialogs: counts.dialogs,
    downloads: counts.downloads,
    blocked: blocked.length,
  };
  return (
    <section className="browser-records" aria-label={t("records.label")} data-region tabIndex={-1}>
      <Segmented
        label={t("records.label")}
        value={part}
        options={parts.map((value) => ({ value, label: t(`records.${value}`), count: numbers[value] }))}
        onChange={setPart}
      />
      <div className="browser-records-body">
        {part === "acts" && filmError !== null ? (
          <ErrorState title={t("records.notRead")} error={filmError} />
        ) : part === "acts" ? (
          <FilmList entries={film} />
        ) : part === "blocked" && blockedError !== null ? (
          <ErrorState title={t("records.notRead")} error={blockedError} />
        ) : part === "blocked" ? (
          <Rows
            rows={blocked.map((one, index) => ({
              key: `${one.atMs} ${index}`,
              atMs: one.atMs,
              shape: "removed",
              text: `${one.what} ${one.url}`,
              more: one.message,
            }))}
          />
        ) : (
          <PageRecords profile={profile} tab={tab} part={part} />
        )}
      </div>
    </section>
  );
}

interface Film {
  film: BrowserFilmEntry[];
  error: Error | null;
}

function useFilm(profile: string, targetId: string): Film {
  const queryClient = useQueryClient();
  const input = { profile, limit: 100 };
  const query = useQueryRpc("browser.film", input);
  const take = useCallback(
    ({ entry }: { entry: BrowserFilmEntry }) => {
      if (entry.profile !== profile) return;
      queryClient.setQueryData<{ entries: BrowserFilmEntry[] }>(
        ["browser.film", { profile, limit: 100 }],
        (old) => {
          const entries = old?.entries ?? [];
          const at = entries.findIndex(({ id }) => id === entry.id);
          return { entries: at < 0 ? [...entries, entry].slice(-100) : entries.with(at, entry) };
        },
      );
    },
    [queryClient, profile],
  );
  useRpcEvent("browser.activity", take);
  const entries = query.data?.entries ?? [];
  const film = entries.filter((entry) => entry.targetId === null || entry.targetId === targetId);
  return { film, error: query.error };
}

function useBlocked(profile: string) {
  const query = useQueryRpc("browser.blocked", { profile });
  const { refetch } = query;
  const again = useCallback(
    (one: { profile: string }) => {
      if (one.profile === profile) void refetch();
    },
    [profile, refetch],
  );
  useRpcEvent("browser.blockedRequest", again);
  return { blocked: query.data?.blocked ?? [], error: query.error };
}

/** Read anew whenever the counts say that there is more. */
function PageRecords(props: { profile: string; tab: BrowserTab; part: Exclude<Part, "acts" | "blocked"> }) {
  const t = useT("browser");
  const { profile, tab, part } = props;
  const total = Object.values(tab.counts).reduce((sum, count) => sum + count, 0);
  const query = useQueryRpc("browser.records", { profile, targetId: tab.targetId, limit: 200 });
  const { refetch } = query;
  const seen = useRef(total);
  useEffect(() => {
    if (seen.current === total) return;
    seen.current = total;
    void refetch();
  }, [total, refetch]);
  const records = query.data;
  if (query.isError)
    return (
      <ErrorState title={t("records.notRead")} error={query.error} onRetry={() => void query.refetch()} />
    );
  if (records === undefined) return null;
  switch (part) {
    case "console":
      return (
        <Rows
          rows={[
            ...records.console.map((one) => ({
              key: one.id,
              atMs: one.atMs,
              shape: consoleShape(one.type),
              text: `${one.type}: ${one.text}`,
              more: one.location,
            })),
            ...records.errors.map((one) => ({
              key: one.id,
              atMs: one.atMs,
              shape: "denied" as const,
              text: `${one.name}: ${one.message}`,
              more: one.stack?.split("\n")[1]?.trim() ?? null,
            })),
          ].sort((a, b) => a.atMs - b.atMs)}
        />
      );
    case "network":
      return (
        <Rows
          rows={records.requests
            .filter((one) => one.ok === false || one.failure !== null)
            .map((one) => ({
              key: one.id,
              atMs: one.atMs,
              shape: "denied",
              text: `${one.method} ${one.url}`,
              more: one.failure ?? String(one.status ?? ""),
            }))}
        />
      );
    case "dialogs":
      return (
        <Rows
          rows={records.dialogs.map((one) => ({
            key: one.id,
            atMs: one.atMs,
            shape: one.answer === "accepted" ? "done" : "skipped",
            text: `${one.kind}: ${one.message}`,
            more: `${one.answer} · ${one.answeredBy}`,
          }))}
        />
      );
    case "downloads":
      return (
        <Rows
          rows={records.downloads.map((one) => ({
            key: one.id,
            atMs: one.atMs,
            shape: one.state === "saved" ? "done" : one.state === "running" ? "running" : "denied",
            text: `${one.suggestedFilename} ← ${one.url}`,
            more: one.path ?? one.reason,
          }))}
        />
      );
  }
}

function consoleShape(type: string): VerdictKind {
  if (type === "error") return "denied";
  return type === "warning" ? "asks" : "skipped";
}

interface Row {
  key: string;
  atMs: number;
  shape: VerdictKind;
  /** The page's own words. */
  text: string;
  more: string | null;
}

/** Newest on top. */
function Rows({ rows }: { rows: readonly Row[] }): ReactNode {
  const t = useT("browser");
  const language = useLanguage();
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium", hour12: false });
  if (rows.length === 0) return <p className="second browser-none">{t("records.none")}</p>;
  return (
    <ul className="browser-rows">
      {rows.toReversed().map((row) => (
        <li key={row.key} className="browser-row">
          <code className="second nowrap">{time.format(row.atMs)}</code>
          <VerdictShape kind={row.shape} />
          <code className="browser-row-text">{row.text}</code>
          <code className="second ellipsis" title={row.more ?? ""}>
            {row.more}
          </code>
        </li>
      ))}
    </ul>
  );
}
