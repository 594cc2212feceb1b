/** Promises about the policy: each proved over every context, or refuted with one that can be opened in the matrix. */

import { useEffect, useId, useState } from "react";
import { AppError } from "../../../../shared/errors/index.ts";
import { parseAssertions } from "../../../../shared/policy/debug/index.ts";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { useMutationRpc } from "../../../rpc/hooks.ts";
import { Button, ErrorState, Segmented, Skeleton, useToast, VerdictChip } from "../../../ui/index.ts";
import type { Semantics } from "../model/semantics.ts";
import { Rich } from "../Rich.tsx";
import { useSettled } from "../useSettled.ts";
import "./assertions.css";
import { Classes } from "./Classes.tsx";
import { labelWords } from "./labelWords.ts";
import { type AssertionResult, useAssertionCheck, useSavedAssertions } from "./useAssertions.ts";

const debounceMs = 120;

export function AssertionsView(props: {
  semantics: Semantics;
  /** An opened file; absent: the saved config. */
  configText: string | undefined;
  onOpen: (context: PolicyContext, tool: string) => void;
}) {
  const t = useT("policy");
  const toast = useToast();
  const saved = useSavedAssertions();
  const save = useMutationRpc("policy.assertions.set");
  const [draft, setDraft] = useState<{ text: string; onFail: "block" | "warn" } | null>(null);
  const fieldId = useId();
  const { data } = saved;
  const shown = draft ?? data ?? null;
  const text = useSettled(shown?.text ?? "", debounceMs);
  const check = useAssertionCheck(
    { semantics: props.semantics, configText: props.configText, assertions: text },
    shown !== null,
  );
  const isEdited =
    draft !== null && data !== undefined && (draft.text !== data.text || draft.onFail !== data.onFail);
  const { reset } = save;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a refusal said is about a text that has changed since
  useEffect(() => reset(), [draft, reset]);
  if (saved.error !== null)
    return (
      <ErrorState title={t("assertions.failed")} error={saved.error} onRetry={() => void saved.refetch()} />
    );
  if (shown === null) return <Skeleton rows={8} />;
  const edit = (change: Partial<typeof shown>) => setDraft({ ...shown, ...change });
  const counts = check.data?.counts;
  return (
    <div className="policy-assertions">
      <section
        className="policy-assertions-results"
        aria-label={t("assertions.results")}
        data-region
        tabIndex={-1}
      >
        <div className="row">
          <h2>{t("assertions.results")}</h2>
          <span className="second" aria-live="polite">
            {counts === undefined
              ? t("assertions.checking")
              : t("assertions.counts", {
                  proved: counts.proved,
                  refuted: counts.refuted,
                  contexts: t("missing.contexts", { count: check.data?.contexts ?? 0 }),
                })}
          </span>
        </div>
        {check.error !== null ? (
          <p className="tone-stop" role="alert">
            {check.error.message}
          </p>
        ) : (check.data?.results.length ?? 0) === 0 ? (
          <p className="second">
            <Rich t={t} k="assertions.empty" />
          </p>
        ) : (
          <ol className="policy-assertion-list">
            {check.data?.results.map((result) => (
              <Result key={`${result.line} ${result.text}`} result={result} onOpen={props.onOpen} />
            ))}
          </ol>
        )}
        {check.data === undefined ? null : (
          <Classes classes={check.data.classes} contexts={check.data.contexts} />
        )}
      </section>
      <section className="policy-assertions-edit" aria-label={t("assertions.edit")} data-region tabIndex={-1}>
        <h2>
          <label htmlFor={fieldId}>{t("assertions.edit")}</label>
        </h2>
        <textarea
          id={fieldId}
          className="textarea evidence"
          spellCheck={false}
          rows={12}
          value={shown.text}
          onChange={(event) => edit({ text: event.target.value })}
        />
        <p className="second">
          <Rich t={t} k="assertions.grammar" />
        </p>
        <Segmented
          role="radio"
          label={t("assertions.onFail")}
          value={shown.onFail}
          options={(["block", "warn"] as const).map((value) => ({ value, label: t(`assertions.${value}`) }))}
          onChange={(onFail) => edit({ onFail })}
        />
        <div className="row">
          {save.error !== null ? (
            <span className="tone-stop" role="alert">
              {refusalText(t, save.error)}
            </span>
          ) : (
            <span className="second">{isEdited ? t("assertions.unsaved") : t("assertions.savedIn")}</span>
          )}
          <span className="grow" />
          <Button look="plain" disabled={!isEdited} onClick={() => setDraft(null)}>
            {t("whatif.discard")}
          </Button>
          <Button
            look="filled"
            disabled={!isEdited || save.isPending}
            onClick={() =>
              save.mutate(shown, {
                onSuccess: () => {
                  void saved.refetch().then(() => setDraft(null));
                  toast({ text: t("whatif.saved") });
                },
              })
            }
          >
            {t("assertions.save")}
          </Button>
        </div>
      </section>
    </div>
  );
}

type T = ReturnType<typeof useT>;

function refusalText(t: T, error: Error): string {
  const isRefuted = error instanceof AppError && error.data?.reason === "assertionsRefuted";
  return isRefuted ? t("assertions.refusedSave") : error.message;
}

function Result(props: { result: AssertionResult; onOpen: (context: PolicyContext, tool: string) => void }) {
  const t = useT("policy");
  const { result } = props;
  return (
    <li className={`policy-assertion is-${result.kind}`}>
      <div className="policy-assertion-head">
        <span className="policy-assertion-line">{result.line}</span>
        <span className="policy-assertion-sentence">
          {result.kind === "invalid" ? <code>{result.text}</code> : <Sentence text={result.text} />}
        </span>
        <VerdictChip
          kind={result.kind === "proved" ? "done" : result.kind === "refuted" ? "denied" : "asks"}
          filled
        >
          {t(`assertions.${result.kind}`)}
        </VerdictChip>
      </div>
      {result.kind === "proved" ? (
        <p className="second">
          {t("assertions.provedOver", { contexts: t("missing.contexts", { count: result.contexts }) })}
        </p>
      ) : result.kind === "invalid" ? (
        <p className="second">{result.message}</p>
      ) : (
        <div className="policy-counterexample">
          <p>
            <Rich
              t={t}
              k={isAlways(result.text) ? "assertions.missingFor" : "assertions.thereFor"}
              values={{ tool: result.tool, context: labelWords(t, result.label) }}
            />
          </p>
          <p className="second">
            {result.steps
              .filter(
                ({ cell }) => cell.effect !== "skipped" && cell.effect !== "gone" && cell.effect !== "kept",
              )
              .map(({ column, label, cell }) => (
                <span key={column} className="policy-step">
                  <code>{label}</code> {t(`effect.${cell.effect}`)}
                </span>
              ))}
          </p>
          <Button onClick={() => props.onOpen(result.context, result.tool)}>{t("assertions.show")}</Button>
        </div>
      )}
    </li>
  );
}

function isAlways(text: string): boolean {
  return /^always/iu.test(text);
}

/** The line as a sentence: whom it speaks of, what, and under which conditions. */
function Sentence({ text }: { text: string }) {
  const t = useT("policy");
  const [parsed] = parseAssertions(text);
  if (parsed?.kind !== "assertion") return <code>{text}</code>;
  const { verb, agentId, tools, when } = parsed.assertion;
  const conditions = [...when].map(([field, value]) => `${field}=${value}`).join(", ");
  return (
    <>
      <Rich
        t={t}
        k={agentId === undefined ? `assertions.${verb}Anyone` : `assertions.${verb}Agent`}
        values={{ agent: agentId ?? "", tools: tools.join(", ") }}
      />{" "}
      {conditions === "" ? null : (
        <span className="second">
          <Rich t={t} k="assertions.when" values={{ conditions }} />
        </span>
      )}
    </>
  );
}
