/** The policy debugger: which tools reach the model in a context, what removed the others, and what would change it. */

import { type DragEvent, useCallback, useMemo, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Button, ErrorState, Skeleton, useToast, VerdictShape } from "../../ui/index.ts";
import { AssertionsView } from "./assertions/AssertionsView.tsx";
import { useAssertionCheck } from "./assertions/useAssertions.ts";
import { ComparePart } from "./compare/ComparePart.tsx";
import { pinContext, usePinned } from "./compare/pinned.ts";
import { ContextBar } from "./context/ContextBar.tsx";
import { LineContext } from "./LineLink.tsx";
import { MatrixPart } from "./MatrixPart.tsx";
import { contextsOfConfig } from "./model/fileContexts.ts";
import { addressOf, partOf, placeOf } from "./model/policyAddress.ts";
import "./policy.css";
import { PolicyHeader } from "./PolicyHeader.tsx";
import { SemanticsPicker } from "./SemanticsPicker.tsx";
import { BrokenFile, FileBanner } from "./source/FileBanner.tsx";
import { readOpenedFile, showFile, subjectOf, useOpened } from "./source/subject.ts";
import { usePolicyTrace } from "./usePolicyTrace.ts";
import { useWhatIfDraft } from "./whatif/draft.ts";
import { WhatIfPart } from "./whatif/WhatIfPart.tsx";
import { WhyView } from "./why/WhyView.tsx";

export default function PolicyView() {
  const t = useT("policy");
  const toast = useToast();
  const [path, navigate] = useLocation();
  const search = useSearch();
  const { shown } = useOpened();
  const saved = useQueryRpc("config.get", {});
  const savedContexts = useQueryRpc("policy.contexts", {});
  const subject = useMemo(() => subjectOf(saved.data ?? null, shown), [saved.data, shown]);
  const known = useMemo(
    () => (subject?.kind === "file" ? contextsOfConfig(subject.config) : savedContexts.data),
    [subject, savedContexts.data],
  );
  const draft = useWhatIfDraft(subject);
  const pinned = usePinned();
  const [filter, setFilter] = useState("");
  const [asList, setAsList] = useState(false);
  const [isDropping, setIsDropping] = useState(false);
  const filterRef = useRef<HTMLInputElement>(null);

  const { part, tool } = partOf(path);
  const isFile = shown !== null;
  const fallback = known?.agents.find(({ isDefault }) => isDefault)?.id;
  const place = useMemo(() => placeOf(search, fallback, isFile), [search, fallback, isFile]);
  const { context, semantics } = place;
  const configText = subject?.kind === "file" ? subject.text : undefined;
  const isBroken = shown !== null && shown.parsed.kind !== "ok";
  const isReady =
    !isBroken &&
    (subject !== null || saved.error !== null) &&
    (known !== undefined || savedContexts.error !== null);
  const { view, error, retry } = usePolicyTrace({ context, semantics, configText }, isReady);
  const check = useAssertionCheck({ semantics, configText }, isReady);

  const go = useCallback(
    (next: Partial<Parameters<typeof addressOf>[0]>) =>
      navigate(addressOf({ part, tool, context, semantics, isFile, ...next })),
    [navigate, part, tool, context, semantics, isFile],
  );
  const lines = useMemo(
    () => ({
      fileName: subject?.name ?? "",
      open: (line: number) => go({ part: "whatif", tool: null, line }),
    }),
    [subject?.name, go],
  );
  const openContext = (next: PolicyContext, name: string) =>
    go({ part: "matrix", tool: null, context: next, at: name });
  const firstMissing = view?.trace.rows.find((row) => row.verdict.kind !== "kept")?.name;
  const pin = () => {
    pinContext(context);
    toast({ text: t("compare.pinnedToast") });
  };
  useViewKeys({
    "/": { label: t("filter"), run: () => filterRef.current?.focus() },
    l: { label: t("views.list"), run: () => setAsList(!asList) },
    c: { label: t("compare.pin"), run: pin },
  });
  const open = async (file: File | undefined) => {
    if (file !== undefined) showFile(await readOpenedFile(file));
  };
  const dropHandlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setIsDropping(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (event.currentTarget === event.target) setIsDropping(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setIsDropping(false);
      void open(event.dataTransfer.files[0]);
    },
  };
  const propose = (edits: Parameters<typeof draft.propose>[0], isReviewing: boolean) => {
    if (draft.propose(edits, isReviewing)) go({ part: "whatif", tool: null });
    else toast({ text: t("missing.noPlace") });
  };

  return (
    <div className={isDropping ? "policy-view is-dropping" : "policy-view"} {...dropHandlers}>
      <Breadcrumb>{part === "matrix" ? contextTitle(context) : t(`views.${part}`)}</Breadcrumb>
      <PolicyHeader
        part={part}
        // The last answer is about something else than a file that cannot be read.
        view={isBroken ? null : view}
        context={context}
        assertions={isBroken ? null : (check.data ?? null)}
        onPart={(next) => go({ part: next, tool: next === "why" ? (tool ?? firstMissing ?? "exec") : null })}
        onFile={(file) => void open(file)}
      />
      {shown === null ? null : <FileBanner file={shown} onClose={() => showFile(null)} />}
      {isBroken && shown !== null ? (
        <BrokenFile file={shown} />
      ) : (
        <LineContext value={lines}>
          <ContextBar
            context={context}
            known={known}
            onChange={(next) => go({ context: next })}
            {...(view === null
              ? {}
              : { evaluatedInMs: view.evaluatedInMs, sandboxFromConfig: view.sandboxFromConfig })}
          >
            <SemanticsPicker
              value={semantics}
              onChange={(next) => go({ semantics: next })}
              onBoth={() => go({ part: "compare", tool: null, compare: "semantics" })}
            />
            {pinned === null ? null : (
              <Button onClick={() => go({ part: "compare", tool: null })}>{t("compare.withPinned")}</Button>
            )}
          </ContextBar>
          {view !== null && view.problems.length > 0 ? (
            <p className="policy-problem" role="status">
              <VerdictShape kind="danger" />{" "}
              {t("error.problems", { count: view.problems.length, file: subject?.name ?? "" })}{" "}
              {t("whatif.problem", {
                line: view.problems[0]?.line ?? 1,
                column: view.problems[0]?.column ?? 1,
                message: view.problems[0]?.message ?? "",
              })}
            </p>
          ) : null}
          <div className="policy-main">
            {view === null && error !== null ? (
              <ErrorState title={t("error.title")} error={error} onRetry={retry} />
            ) : view === null || subject === null ? (
              <Skeleton rows={12} />
            ) : part === "matrix" ? (
              <MatrixPart
                key={place.tool ?? ""}
                view={view}
                subject={subject}
                context={context}
                semantics={semantics}
                startAt={place.tool}
                filter={filter}
                onFilter={setFilter}
                filterRef={filterRef}
                asList={asList}
                onAsList={setAsList}
                onWhy={(name) => go({ part: "why", tool: name })}
                onWhatIf={(line) => go({ part: "whatif", tool: null, line })}
                onPropose={propose}
              />
            ) : part === "why" ? (
              <WhyView
                tool={tool ?? firstMissing ?? ""}
                view={view}
                subject={subject}
                context={context}
                semantics={semantics}
                assertions={check.data ?? null}
                onTool={(next) => go({ part: "why", tool: next })}
                onSemantics={(next) => go({ semantics: next })}
                onPropose={propose}
              />
            ) : part === "whatif" ? (
              <WhatIfPart
                view={view}
                subject={subject}
                context={context}
                semantics={semantics}
                draft={draft}
                line={place.line}
                onOpenContext={openContext}
              />
            ) : part === "assertions" ? (
              <AssertionsView semantics={semantics} configText={configText} onOpen={openContext} />
            ) : (
              <ComparePart
                key={place.compare ?? ""}
                startWith={place.compare}
                view={view}
                subject={subject}
                context={context}
                semantics={semantics}
                known={known}
                draftText={draft.text}
              />
            )}
          </div>
        </LineContext>
      )}
    </div>
  );
}

/** Names only, so it needs no catalogue: agent, then where it speaks. */
function contextTitle(context: PolicyContext): string {
  return [context.agentId, context.channel, context.groupId].filter(Boolean).join(" · ");
}
