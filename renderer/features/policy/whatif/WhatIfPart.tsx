/** An edit of the config beside the saved one: the matrix follows the text, and nothing counts until it is saved. */

import JSON5 from "json5";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import type { ConfigView } from "../../../../shared/contract/index.ts";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { useMutationRpc } from "../../../rpc/hooks.ts";
import { Button, Skeleton, useToast, VerdictChip, VerdictShape } from "../../../ui/index.ts";
import { CellDetail } from "../detail/CellDetail.tsx";
import { Matrix } from "../matrix/Matrix.tsx";
import type { Cursor } from "../matrix/matrixKeys.ts";
import { keptCount, matrixRows } from "../model/matrixModel.ts";
import { diffTraces, type RowDiff } from "../model/traceDiff.ts";
import { Rich } from "../Rich.tsx";
import { type TraceView, usePolicyTrace } from "../usePolicyTrace.ts";
import type { WhatIf } from "./draft.ts";
import "./whatif.css";
import type { EditorProblem } from "./TextEditor.tsx";

const TextEditor = lazy(() => import("./TextEditor.tsx"));
const TextDiff = lazy(() => import("./TextEditor.tsx").then((module) => ({ default: module.TextDiff })));

/** Short enough to feel immediate, long enough that a burst of keys is one question. */
const debounceMs = 40;

export function WhatIfPart(props: {
  /** The saved config's answer. */
  view: TraceView;
  context: PolicyContext;
  saved: ConfigView | null;
  draft: WhatIf;
}) {
  const t = useT("policy");
  const { saved, draft } = props;
  const savedText = saved === null ? null : saved.exists ? saved.raw : "{}\n";
  const text = draft.text ?? savedText ?? "";
  const settled = useSettled(text, debounceMs);
  const readable = useLastReadable(settled);
  const isEdited = draft.text !== null;
  const edited = usePolicyTrace(
    { context: props.context, preset: props.view.preset, configText: readable.text },
    isEdited,
  );
  const shownView = isEdited ? (edited.view ?? props.view) : props.view;
  const { trace } = shownView;
  const rows = useMemo(() => matrixRows(trace), [trace]);
  const diffs = useMemo(
    () => (isEdited ? diffTraces(props.view.trace, trace) : []),
    [isEdited, props.view.trace, trace],
  );
  const byName = useMemo(() => new Map(diffs.map((diff) => [diff.name, diff])), [diffs]);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [isDiff, setIsDiff] = useState(false);
  const row = cursor === null ? undefined : rows[cursor.row];
  const problems = useMemo(
    (): EditorProblem[] =>
      readable.problem === null
        ? shownView.problems.map(({ line, column, message }) => ({
            line: line ?? 1,
            column: column ?? 1,
            message,
          }))
        : [readable.problem],
    [readable.problem, shownView.problems],
  );
  if (savedText === null) return <p className="view-pad">{t("whatif.unreadable")}</p>;
  return (
    <div className="policy-whatif">
      <section className="policy-whatif-edit" aria-label={t("whatif.editor")} data-region tabIndex={-1}>
        <div className="policy-whatif-head">
          <h2>{t("whatif.editor")}</h2>
          <span className="second policy-unsaved">{t("whatif.notSaved")}</span>
        </div>
        <Suspense fallback={<Skeleton rows={10} />}>
          {isDiff ? (
            <TextDiff before={savedText} after={text} label={t("whatif.diff")} />
          ) : (
            <TextEditor
              value={text}
              label={t("whatif.editor")}
              problems={problems}
              onChange={(next) => draft.edit(next, saved)}
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
        <SaveBar
          text={text}
          saved={saved}
          draft={draft}
          isDiff={isDiff}
          isReadable={readable.problem === null && shownView.problems.length === 0}
          onDiff={setIsDiff}
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
        />
        {row === undefined || cursor === null ? null : (
          <div className="policy-whatif-detail">
            <CellDetail
              trace={trace}
              positions={shownView.positions}
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

function Difference(props: { diffs: readonly RowDiff[]; kept: number; total: number; isEdited: boolean }) {
  const t = useT("policy");
  const names = (direction: RowDiff["direction"]) =>
    props.diffs.filter((diff) => diff.direction === direction).map((diff) => diff.name);
  const [opened, closed, moved] = [names("widens"), names("narrows"), names("same")];
  return (
    <div className="policy-versus" aria-live="polite">
      <span>
        <Rich t={t} k="reach" values={{ kept: props.kept, total: props.total }} />
      </span>
      {!props.isEdited ? <span className="second">{t("whatif.unchanged")}</span> : null}
      {opened.length === 0 ? null : (
        <span title={opened.join(", ")}>
          <VerdictChip kind="kept" filled>
            {t("whatif.opens", { count: opened.length })}
          </VerdictChip>
        </span>
      )}
      {closed.length === 0 ? null : (
        <span title={closed.join(", ")}>
          <VerdictChip kind="removed" filled>
            {t("whatif.closes", { count: closed.length })}
          </VerdictChip>
        </span>
      )}
      {props.isEdited && props.diffs.length === 0 ? <span className="second">{t("whatif.same")}</span> : null}
      <span className="second policy-versus-names">
        {opened.length === 0 ? null : <Rich t={t} k="whatif.opened" values={{ tools: list(opened) }} />}{" "}
        {closed.length === 0 ? null : <Rich t={t} k="whatif.closed" values={{ tools: list(closed) }} />}{" "}
        {moved.length === 0 ? null : <Rich t={t} k="whatif.moved" values={{ tools: list(moved) }} />}
      </span>
    </div>
  );
}

function list(names: readonly string[]): string {
  return names.length <= 6 ? names.join(", ") : `${names.slice(0, 6).join(", ")} +${names.length - 6}`;
}

function SaveBar(props: {
  text: string;
  saved: ConfigView | null;
  draft: WhatIf;
  isDiff: boolean;
  isReadable: boolean;
  onDiff: (isDiff: boolean) => void;
}) {
  const t = useT("policy");
  const toast = useToast();
  const save = useMutationRpc("config.set");
  const { draft, saved } = props;
  const isEdited = draft.text !== null;
  const isStale = isEdited && saved !== null && draft.baseHash !== saved.hash;
  return (
    <div className="policy-savebar">
      {isStale ? (
        <span className="tone-ask" role="status">
          <VerdictShape kind="asks" /> {t("whatif.conflict")}
        </span>
      ) : save.error !== null ? (
        <span className="tone-stop" role="alert">
          {t("whatif.failed", { message: save.error.message })}
        </span>
      ) : (
        <span className="second">
          {props.text.includes("__OPENCLAW_REDACTED__") ? t("whatif.redacted") : null}
        </span>
      )}
      <span className="grow" />
      <Button
        look="plain"
        disabled={!isEdited}
        onClick={() => {
          draft.discard();
          props.onDiff(false);
        }}
      >
        {isStale ? t("whatif.takeDisk") : t("whatif.discard")}
      </Button>
      {props.isDiff ? (
        <>
          <Button onClick={() => props.onDiff(false)}>{t("whatif.backToEdit")}</Button>
          <Button
            look="filled"
            disabled={!isEdited || isStale || !props.isReadable || save.isPending}
            onClick={() =>
              save.mutate(
                { raw: props.text, baseHash: draft.baseHash },
                {
                  onSuccess: () => {
                    draft.discard();
                    props.onDiff(false);
                    toast({ text: t("whatif.saved") });
                  },
                },
              )
            }
          >
            {save.isPending ? t("whatif.saving") : t("whatif.save")}
          </Button>
        </>
      ) : (
        <Button look="filled" disabled={!isEdited || !props.isReadable} onClick={() => props.onDiff(true)}>
          {t("whatif.diff")}
        </Button>
      )}
    </div>
  );
}

function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

/** While a text cannot be read, the last one that could stays in force, so that the matrix does not flicker away. */
function useLastReadable(text: string): { text: string; value: unknown; problem: EditorProblem | null } {
  const [last, setLast] = useState<{ text: string; value: unknown }>({ text, value: null });
  const parsed = useMemo(() => readJson5(text), [text]);
  useEffect(() => {
    if (parsed.problem === null) setLast({ text, value: parsed.value });
  }, [text, parsed]);
  return parsed.problem === null
    ? { text, value: parsed.value, problem: null }
    : { ...last, problem: parsed.problem };
}

function readJson5(text: string): { value: unknown; problem: EditorProblem | null } {
  try {
    return { value: JSON5.parse(text), problem: null };
  } catch (error) {
    const place = error as { lineNumber?: number; columnNumber?: number; message?: string };
    return {
      value: null,
      problem: {
        line: place.lineNumber ?? 1,
        column: place.columnNumber ?? 1,
        message: (place.message ?? "").replace(/^JSON5: /u, "").replace(/ at \d+:\d+$/u, ""),
      },
    };
  }
}
