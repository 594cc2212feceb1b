/** Two contexts, agents, semantics, files, or saved and edited: only the tools that differ, A above B. */

import { useMemo, useRef, useState } from "react";
import { compareTraces, comparisonLines } from "../../../../shared/policy/debug/index.ts";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { Button, ErrorState, Picker, Skeleton, useToast } from "../../../ui/index.ts";
import { ContextBar, type KnownContexts } from "../context/ContextBar.tsx";
import { differencesOf, type RowDifference } from "../model/differences.ts";
import { otherSemantics, type Semantics } from "../model/semantics.ts";
import { Rich } from "../Rich.tsx";
import { SemanticsPicker } from "../SemanticsPicker.tsx";
import { readOpenedFile, type Subject, setOtherFile, useOpened } from "../source/subject.ts";
import { type TraceView, usePolicyTrace } from "../usePolicyTrace.ts";
import { CompareRows } from "./CompareRows.tsx";
import "./compare.css";
import { pinContext, usePinned } from "./pinned.ts";

type Source = "same" | "edited" | "saved" | "other";

export function ComparePart(props: {
  view: TraceView;
  subject: Subject;
  context: PolicyContext;
  semantics: Semantics;
  known: KnownContexts | undefined;
  /** Instead of the nearest comparison at hand: the same context by the other semantics. */
  startWith: "semantics" | null;
  /** The edit of the what-if view, when there is one. */
  draftText: string | null;
}) {
  const t = useT("policy");
  const toast = useToast();
  const { subject, context, semantics } = props;
  const { other } = useOpened();
  const pinned = usePinned();
  const [start] = useState(() => startOf(props, pinned));
  const [source, setSource] = useState<Source>(start.source);
  const [chosen, setChosen] = useState<PolicyContext | null>(start.context);
  const [by, setBy] = useState<Semantics>(start.by);
  const [showEqual, setShowEqual] = useState(false);
  const fileRef = useRef<HTMLInputElement>(null);
  // Until another context is chosen, B follows A.
  const contextB = chosen ?? context;
  const textB = {
    same: subject.kind === "file" ? subject.text : undefined,
    saved: undefined,
    edited: props.draftText ?? undefined,
    other: other?.text,
  }[source];
  const b = usePolicyTrace({ context: contextB, semantics: by, configText: textB });
  const bView = b.view;
  const diffs = useMemo(
    () => (bView === null ? [] : differencesOf(props.view.trace, bView.trace)),
    [props.view, bView],
  );
  const copy = () => {
    if (bView === null) return;
    const a = props.view.trace;
    const lines = comparisonLines(a, bView.trace, compareTraces(a, bView.trace));
    navigator.clipboard.writeText(lines.join("\n")).then(
      () => toast({ text: t("compare.copied", { count: lines.length }) }),
      () => toast({ text: t("copyFailed") }),
    );
  };
  const sources: Source[] = [
    "same",
    ...(props.draftText === null ? [] : (["edited"] as const)),
    ...(subject.kind === "file" ? (["saved"] as const) : []),
    ...(other?.parsed.kind === "ok" ? (["other"] as const) : []),
  ];
  return (
    <div className="policy-compare">
      <div className="policy-compare-sides">
        <div className="policy-compare-side">
          <b>{t("compare.a")}</b>
          <span className="second">
            {[subject.name, ...contextParts(context), t(`preset.${semantics}`)].join(" · ")}
          </span>
        </div>
        <div className="policy-compare-side">
          <b>{t("compare.b")}</b>
          <Picker
            label={t("compare.config")}
            value={source}
            options={[
              ...sources.map((value) => ({
                value,
                label:
                  value === "other"
                    ? (other?.name ?? "")
                    : t(`compare.source.${value}`, { name: subject.name }),
              })),
              { value: "choose", label: t("compare.source.choose") },
            ]}
            onChange={(value) => {
              const found = sources.find((known) => known === value);
              if (found === undefined) fileRef.current?.click();
              else setSource(found);
            }}
          />
          <SemanticsPicker value={by} onChange={setBy} />
          <ContextBar context={contextB} known={props.known} onChange={setChosen} />
          {chosen === null ? null : (
            <Button
              onClick={() => {
                setChosen(null);
                pinContext(null);
              }}
            >
              {t("compare.sameContext")}
            </Button>
          )}
          <input
            ref={fileRef}
            type="file"
            className="sr-only"
            tabIndex={-1}
            accept=".json,.json5,application/json"
            aria-label={t("compare.source.choose")}
            onChange={(event) => {
              const file = event.target.files?.[0];
              event.target.value = "";
              if (file === undefined) return;
              void readOpenedFile(file).then((opened) => {
                setOtherFile(opened);
                if (opened.parsed.kind === "ok") setSource("other");
              });
            }}
          />
        </div>
        {other !== null && other.parsed.kind === "broken" ? (
          <p className="policy-problem" role="alert">
            {t("file.broken", { name: other.name })}{" "}
            {t("whatif.problem", {
              line: other.parsed.problem.line ?? 1,
              column: other.parsed.problem.column ?? 1,
              message: other.parsed.problem.message,
            })}
          </p>
        ) : other?.parsed.kind === "includes" ? (
          <p className="policy-problem" role="alert">
            {t("file.includes", { name: other.name })}{" "}
            <Rich
              t={t}
              k="file.includesWhy"
              values={{ line: other.parsed.line, column: other.parsed.column }}
            />
          </p>
        ) : null}
      </div>
      <div className="policy-compare-head">
        <h2 aria-live="polite">{t("compare.differences", { count: diffs.length })}</h2>
        <Words diffs={diffs} />
        <span className="grow" />
        <label className="policy-check">
          <input
            type="checkbox"
            checked={showEqual}
            onChange={(event) => setShowEqual(event.target.checked)}
          />
          {t("compare.showEqual")}
        </label>
        <Button onClick={copy} disabled={bView === null || diffs.length === 0}>
          {t("compare.copy")}
        </Button>
      </div>
      {bView === null ? (
        b.error === null ? (
          <Skeleton rows={6} />
        ) : (
          <ErrorState title={t("error.title")} error={b.error} onRetry={b.retry} />
        )
      ) : diffs.length === 0 && !showEqual ? (
        <p className="view-pad">{t("compare.none")}</p>
      ) : (
        <CompareRows a={props.view} b={bView} diffs={diffs} showEqual={showEqual} />
      )}
    </div>
  );
}

/** What lies nearest: what was asked for, then the pinned context, the edit, another agent, the other semantics. */
function startOf(
  props: Pick<
    Parameters<typeof ComparePart>[0],
    "startWith" | "context" | "semantics" | "known" | "draftText"
  >,
  pinned: PolicyContext | null,
): { source: Source; context: PolicyContext | null; by: Semantics } {
  const { semantics } = props;
  if (props.startWith === "semantics")
    return { source: "same", context: null, by: otherSemantics(semantics) };
  if (pinned !== null) return { source: "same", context: pinned, by: semantics };
  if (props.draftText !== null) return { source: "edited", context: null, by: semantics };
  const other = firstOther(props.context, props.known);
  return { source: "same", context: other, by: other === null ? otherSemantics(semantics) : semantics };
}

/** Widening first: it is what a person would regret. */
function Words({ diffs }: { diffs: readonly RowDifference[] }) {
  const t = useT("policy");
  const named = (direction: RowDifference["direction"]) =>
    diffs.filter((diff) => diff.direction === direction).map((diff) => diff.name);
  const [wider, narrower] = [named("widens"), named("narrows")];
  return (
    <span className="policy-compare-words">
      {wider.length === 0 ? null : (
        <span className="tone-stop">
          <Rich t={t} k="compare.wider" values={{ tools: short(wider) }} />
        </span>
      )}{" "}
      {narrower.length === 0 ? null : (
        <span className="tone-keep">
          <Rich t={t} k="compare.narrower" values={{ tools: short(narrower) }} />
        </span>
      )}
    </span>
  );
}

function short(names: readonly string[]): string {
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 4).join(", ")} +${names.length - 4}`;
}

function contextParts(context: PolicyContext): string[] {
  return [
    context.agentId,
    context.provider === undefined ? undefined : [context.provider, context.model].filter(Boolean).join("/"),
    context.channel,
    context.groupId,
  ].filter((part): part is string => part !== undefined && part !== "");
}

/** Another agent in the same situation; null when the config has one agent only. */
function firstOther(context: PolicyContext, known: KnownContexts | undefined): PolicyContext | null {
  const agent = known?.agents.find(({ id }) => id !== context.agentId);
  return agent === undefined ? null : { ...context, agentId: agent.id, sessionKey: undefined };
}
