/** The policy debugger: which tools reach the model in a context, what removed the others, and what would change it. */

import { useMemo, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { useLive, useQueryRpc } from "../../rpc/hooks.ts";
import { Chip, ErrorState, Picker, Segmented, Skeleton, VerdictChip, VerdictShape } from "../../ui/index.ts";
import { ComparePart } from "./compare/ComparePart.tsx";
import { ContextBar } from "./context/ContextBar.tsx";
import { MatrixPart } from "./MatrixPart.tsx";
import { contextToSearch, searchToContext } from "./model/contextAddress.ts";
import { keptCount } from "./model/matrixModel.ts";
import "./policy.css";
import { Rich } from "./Rich.tsx";
import { type Preset, type TraceView, usePolicyTrace } from "./usePolicyTrace.ts";
import { useWhatIfDraft } from "./whatif/draft.ts";
import { WhatIfPart } from "./whatif/WhatIfPart.tsx";
import { WhyView } from "./why/WhyView.tsx";

const parts = ["matrix", "why", "whatif", "compare"] as const;
type Part = (typeof parts)[number];

export default function PolicyView() {
  const t = useT("policy");
  const [path, navigate] = useLocation();
  const search = useSearch();
  const known = useQueryRpc("policy.contexts", {});
  const saved = useQueryRpc("config.get", {});
  const activePreset = useLive((state) => state.status?.preset ?? "sallyport");
  const [preset, setPreset] = useState<Preset | null>(null);
  const [filter, setFilter] = useState("");
  const [asList, setAsList] = useState(false);
  const filterRef = useRef<HTMLInputElement>(null);
  const draft = useWhatIfDraft();

  const context = useMemo((): PolicyContext => {
    const asked = searchToContext(search);
    const fallback = known.data?.agents.find(({ isDefault }) => isDefault)?.id;
    return asked.agentId !== undefined || asked.sessionKey !== undefined || fallback === undefined
      ? asked
      : { agentId: fallback, ...asked };
  }, [search, known.data]);
  const { part, tool } = partOf(path);
  const { view, error, retry } = usePolicyTrace(
    { context, preset: preset ?? undefined },
    known.data !== undefined || known.error !== null,
  );
  const go = (nextPart: Part, nextTool?: string, nextContext = context) => {
    const query = contextToSearch(nextContext);
    navigate(`${partPath(nextPart, nextTool)}${query === "" ? "" : `?${query}`}`);
  };
  useViewKeys({
    "/": { label: t("filter"), run: () => filterRef.current?.focus() },
    l: { label: t("views.list"), run: () => setAsList(!asList) },
  });
  const firstMissing = view?.trace.rows.find((row) => row.verdict.kind !== "kept")?.name;
  const agentIds = useMemo(() => known.data?.agents.map(({ id }) => id) ?? [], [known.data]);

  return (
    <div className="policy-view">
      <Breadcrumb>{part === "matrix" ? contextTitle(context) : t(`views.${part}`)}</Breadcrumb>
      <header className="policy-header">
        <h1>{t("title")}</h1>
        {view === null ? null : <Reach view={view} context={context} />}
        <span className="grow" />
        {part === "matrix" || part === "why" ? (
          <Picker
            label={t("preset.label")}
            value={preset ?? activePreset}
            options={(["sallyport", "reference"] as const).map((value) => ({
              value,
              label: t(`preset.${value}`),
            }))}
            onChange={(value) => setPreset(value === "reference" ? "reference" : "sallyport")}
          />
        ) : null}
        <Segmented
          label={t("views.label")}
          value={part}
          options={parts.map((value) => ({ value, label: t(`views.${value}`) }))}
          onChange={(next) => go(next, next === "why" ? (tool ?? firstMissing ?? "exec") : undefined)}
        />
      </header>
      <ContextBar
        context={context}
        known={known.data}
        onChange={(next) => go(part, tool ?? undefined, next)}
        {...(view === null ? {} : { note: t("evaluatedIn", { ms: shortMs(view.evaluatedInMs) }) })}
      />
      {view !== null && view.problems.length > 0 ? (
        <p className="policy-problem" role="status">
          <VerdictShape kind="danger" /> {t("error.problems", { count: view.problems.length })}
        </p>
      ) : null}
      <div className="policy-main">
        {view === null && error !== null ? (
          <ErrorState title={t("error.title")} error={error} onRetry={retry} />
        ) : view === null ? (
          <Skeleton rows={12} />
        ) : part === "matrix" ? (
          <MatrixPart
            view={view}
            context={context}
            config={saved.data?.config ?? null}
            filter={filter}
            onFilter={setFilter}
            filterRef={filterRef}
            asList={asList}
            onAsList={setAsList}
          />
        ) : part === "why" ? (
          <WhyView
            tool={tool ?? firstMissing ?? ""}
            view={view}
            context={context}
            agents={agentIds}
            config={saved.data?.config ?? null}
            configHash={saved.data?.hash ?? null}
            onTool={(next) => go("why", next)}
            onTry={(repair) => {
              draft.propose(saved.data ?? null, repair.edits);
              go("whatif");
            }}
          />
        ) : part === "whatif" ? (
          <WhatIfPart view={view} context={context} saved={saved.data ?? null} draft={draft} />
        ) : (
          <ComparePart view={view} context={context} known={known.data} activePreset={activePreset} />
        )}
      </div>
    </div>
  );
}

function Reach({ view, context }: { view: TraceView; context: PolicyContext }) {
  const t = useT("policy");
  const { trace } = view;
  const open = trace.columns.filter((column) => column.failsOpen).length;
  const held = trace.result.findings.filter((finding) => finding.failsOpen && finding.enforced).length;
  // One entry may be reported at two stages; it is still one name.
  const unknown = new Set(
    trace.result.findings
      .filter((finding) => finding.kind === "unknown-entry")
      .map((finding) => `${finding.path} ${finding.entries.join(" ")}`),
  ).size;
  return (
    <>
      <span className="policy-reach">
        <Rich
          t={t}
          k={context.surface === "http" ? "reachHttp" : "reach"}
          values={{ kept: keptCount(trace), total: trace.rows.length }}
        />
      </span>
      {open === 0 ? null : (
        <VerdictChip kind="failsOpen" filled>
          {t("listsFailOpen", { count: open })}
        </VerdictChip>
      )}
      {held === 0 || open > 0 ? null : <Chip>{t("listsHeld", { count: held })}</Chip>}
      {unknown === 0 ? null : (
        <VerdictChip kind="asks" filled>
          {t("unknownNames", { count: unknown })}
        </VerdictChip>
      )}
    </>
  );
}

function partOf(path: string): { part: Part; tool: string | null } {
  const [, , name, tool] = path.split("/");
  if (name === "why") return { part: "why", tool: tool === undefined ? null : decodeURIComponent(tool) };
  if (name === "whatif" || name === "compare") return { part: name, tool: null };
  return { part: "matrix", tool: null };
}

function partPath(part: Part, tool?: string): string {
  if (part === "matrix") return "/policy";
  if (part === "why") return `/policy/why/${encodeURIComponent(tool ?? "")}`;
  return `/policy/${part}`;
}

/** Names only, so it needs no catalogue: agent, then where it speaks. */
function contextTitle(context: PolicyContext): string {
  return [context.agentId, context.channel, context.groupId].filter(Boolean).join(" · ");
}

function shortMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}
