/** An edit of the config beside the one it came from: the matrix follows the text, and nothing counts until it is saved. */

import { lazy, Suspense, useMemo, useState } from "react";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { Button, Skeleton, VerdictShape } from "../../../ui/index.ts";
import { useAssertionCheck, useSavedAssertions } from "../assertions/useAssertions.ts";
import { CellDetail } from "../detail/CellDetail.tsx";
import { Matrix } from "../matrix/Matrix.tsx";
import type { Cursor } from "../matrix/matrixKeys.ts";
import { differencesOf } from "../model/differences.ts";
import { keptCount, matrixRows } from "../model/matrixModel.ts";
import type { Semantics } from "../model/semantics.ts";
import type { Subject } from "../source/subject.ts";
import { type TraceView, usePolicyTrace } from "../usePolicyTrace.ts";
import { useSettled } from "../useSettled.ts";
import { AssertionStrip } from "./AssertionStrip.tsx";
import { Difference } from "./Difference.tsx";
import type { WhatIf } from "./draft.ts";
import { SaveBar } from "./SaveBar.tsx";
import { useLastReadable } from "./useLastReadable.ts";
import "./whatif.css";
import type { EditorProblem } from "./TextEditor.tsx";

const TextEditor = lazy(() => import("./TextEditor.tsx"));
const TextDiff = lazy(() => import("./TextEditor.tsx").then((module) => ({ default: module.TextDiff })));

/** Short enough to feel immediate, long enough that a burst of keys is one question. */
const debounceMs = 40;

export function WhatIfPart(props: {
  /** The answer for the subject as it is. */
  view: TraceView;
  subject: Subject;
  context: PolicyContext;
  semantics: Semantics;
  draft: WhatIf;
  /** Line to show, counted from 1; the text then stays read-only until a person wants to edit it. */
  line: number | null;
  onOpenContext: (context: PolicyContext, tool: string) => void;
}) {
  const t = useT("policy");
  const { subject, draft, semantics, line } = props;
  const text = draft.text ?? subject.text ?? "";
  const settled = useSettled(text, debounceMs);
  const readable = useLastReadable(settled);
  const isEdited = draft.text !== null;
  const subjectText = subject.kind === "file" ? subject.text : undefined;
  const configText = isEdited ? readable.text : subjectText;
  const edited = usePolicyTrace({ context: props.context, semantics, configText: readable.text }, isEdited);
  const savedAssertions = useSavedAssertions();
  const check = useAssertionCheck({ semantics, configText });
  // Only what counts here can block a write: OpenClaw's semantics are a question, not a rule.
  const enforced = useAssertionCheck({ semantics: "here", configText }, subject.kind === "saved");
  const shownView = isEdited ? (edited.view ?? props.view) : props.view;
  const { trace } = shownView;
  const rows = useMemo(() => matrixRows(trace), [trace]);
  const diffs = useMemo(
    () => (isEdited ? differencesOf(props.view.trace, trace) : []),
    [isEdited, props.view.trace, trace],
  );
  const byName = useMemo(() => new Map(diffs.map((diff) => [diff.name, diff])), [diffs]);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [unlocked, setUnlocked] = useState<number | null>(null);
  const row = cursor === null ? undefined : rows[cursor.row];
  const problems = useMemo(
    (): EditorProblem[] =>
      readable.problem === null
        ? shownView.problems.map((problem) => ({
            line: problem.line ?? 1,
            column: problem.column ?? 1,
            message: problem.message,
          }))
        : [readable.problem],
    [readable.problem, shownView.problems],
  );
  if (subject.text === null) return <p className="view-pad">{t("whatif.unreadable")}</p>;
  const isReadOnly = line !== null && !isEdited && unlocked !== line;
  return (
    <div className="policy-whatif">
      <section className="policy-whatif-edit" aria-label={t("whatif.editor")} data-region tabIndex={-1}>
        <div className="policy-whatif-head">
          <h2>{t("whatif.editor")}</h2>
          {isReadOnly ? (
            <Button onClick={() => setUnlocked(line)}>{t("whatif.unlock")}</Button>
          ) : (
            <span className="second policy-unsaved">{t("whatif.notSaved")}</span>
          )}
        </div>
        <Suspense
          fallback={
            <div className="policy-editor">
              <Skeleton rows={10} />
            </div>
          }
        >
          {draft.isReviewing && isEdited ? (
            <TextDiff before={subject.text} after={text} label={t("whatif.diff")} />
          ) : (
            <TextEditor
              value={text}
              label={t("whatif.editor")}
              problems={problems}
              isReadOnly={isReadOnly}
              revealLine={line}
              onChange={draft.edit}
            />
          )}
        </Suspense>
        {problems.length === 0 ? null : (
          <p className="policy-problem" role="status">
            <VerdictShape kind="danger" />
            <span>
              {t("whatif.problem", { ...problems[0] })}
              {readable.problem === null ? null : ` ${t("whatif.kept")}`}
            </span>
          </p>
        )}
        <AssertionStrip
          check={check.data ?? null}
          isStale={check.isPlaceholderData}
          onOpenContext={props.onOpenContext}
        />
        <SaveBar
          text={text}
          subject={subject}
          draft={draft}
          isReadable={readable.problem === null && shownView.problems.length === 0}
          refuted={enforced.data?.counts.refuted ?? 0}
          onFail={savedAssertions.data?.onFail ?? "block"}
        />
      </section>
      <section className="policy-whatif-matrix" aria-label={t("grid.label")} data-region tabIndex={-1}>
        <div className="policy-whatif-head">
          <Difference diffs={diffs} kept={keptCount(trace)} total={trace.rows.length} isEdited={isEdited} />
        </div>
        <Matrix
          trace={trace}
          rows={rows}
          positions={shownView.positions}
          cursor={cursor}
          onCursor={setCursor}
          onOpen={() => undefined}
          onWhy={() => undefined}
          diffs={byName}
          hideSections
        />
        {row === undefined || cursor === null ? null : (
          <div className="policy-whatif-detail">
            <CellDetail
              view={shownView}
              config={readable.value}
              cell={{ traceIndex: row.traceIndex, columnIndex: cursor.column }}
              hideWarnings
            />
          </div>
        )}
      </section>
    </div>
  );
}
