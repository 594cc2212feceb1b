/** The saved assertions against the text that is being edited: how many hold, and each that does not with its context. */

import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { Button, VerdictShape } from "../../../ui/index.ts";
import "../assertions/assertions.css";
import { labelWords } from "../assertions/labelWords.ts";
import { type AssertionCheck, refutedOf } from "../assertions/useAssertions.ts";
import { Rich } from "../Rich.tsx";

export function AssertionStrip(props: {
  check: AssertionCheck | null;
  /** The answer is for an older text. */
  isStale: boolean;
  onOpenContext: (context: PolicyContext, tool: string) => void;
}) {
  const t = useT("policy");
  const { check } = props;
  if (check === null || check.results.length === 0) return null;
  const refuted = refutedOf(check);
  return (
    <div className="policy-strip" aria-live="polite" aria-busy={props.isStale}>
      <p>
        <VerdictShape kind={refuted.length === 0 ? "done" : "denied"} />
        <strong>
          {refuted.length === 0
            ? t("assertions.allProved", { count: check.counts.proved })
            : t("assertions.someFail", { count: refuted.length })}
        </strong>
        <span className="second">{t("missing.contexts", { count: check.contexts })}</span>
      </p>
      {refuted.map((result) => (
        <div key={result.line} className="policy-counterexample">
          <code>{result.text}</code>
          <p className="second">
            <Rich
              t={t}
              k={/^\s*always\b/iu.test(result.text) ? "assertions.missingFor" : "assertions.thereFor"}
              values={{ tool: result.tool, context: labelWords(t, result.label) }}
            />{" "}
            <Button look="plain" onClick={() => props.onOpenContext(result.context, result.tool)}>
              {t("assertions.show")}
            </Button>
          </p>
        </div>
      ))}
    </div>
  );
}
