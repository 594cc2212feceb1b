/** The command as a field: both gates look at it on each pause, and it is reviewed like a new request before it runs (A14). */

import { useEffect, useState } from "react";
import type { ApprovalRequest, EditPreview } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { PlainText } from "./CommandText.tsx";

const pauseMs = 400;

export interface EditFieldProps {
  /** The request as the agent made it. */
  request: ApprovalRequest;
  initial: string;
  onReview: (edited: ApprovalRequest) => void;
  onCancel: () => void;
}

type Answer =
  | { kind: "none" }
  | { kind: "asking" }
  | { kind: "answered"; command: string; preview: EditPreview }
  | { kind: "failed" };

export function EditField({ request, initial, onReview, onCancel }: EditFieldProps) {
  const t = useT("approvals");
  const rpc = useRpc();
  const [text, setText] = useState(initial);
  const [answer, setAnswer] = useState<Answer>({ kind: "none" });
  const isSame = text === request.command;
  const { id } = request;
  useEffect(() => {
    if (isSame) return setAnswer({ kind: "none" });
    setAnswer({ kind: "asking" });
    const controller = new AbortController();
    const timer = setTimeout(() => {
      rpc.call("approvals.explainEdit", { id, command: text }, { signal: controller.signal }).then(
        (preview) => {
          if (!controller.signal.aborted) setAnswer({ kind: "answered", command: text, preview });
        },
        () => {
          if (!controller.signal.aborted) setAnswer({ kind: "failed" });
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [rpc, id, text, isSame]);
  const ready =
    answer.kind === "answered" && answer.command === text && answer.preview.kind === "ready"
      ? answer.preview
      : null;
  return (
    <div className="edit-field">
      <Field label={t("edit.label")} hint={t("edit.hint")}>
        {(control) => (
          <textarea
            {...control}
            className="textarea evidence"
            rows={Math.min(12, Math.max(3, text.split("\n").length + 1))}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="row">
        <p className="grow second" role="status">
          <Verdict answer={answer} isSame={isSame} />
        </p>
        <Button look="plain" onClick={onCancel}>
          {t("edit.cancel")}
        </Button>
        <Button
          aria-disabled={ready === null}
          onClick={() => {
            if (ready !== null) onReview(ready.request);
          }}
        >
          {t("edit.review")}
        </Button>
      </div>
    </div>
  );
}

function Verdict({ answer, isSame }: { answer: Answer; isSame: boolean }) {
  const t = useT("approvals");
  if (isSame) return t("edit.same");
  if (answer.kind === "failed") return t("edit.failed");
  if (answer.kind !== "answered") return t("edit.asking");
  const { preview } = answer;
  if (preview.kind === "refused")
    return (
      <>
        <VerdictChip kind="denied">{t("edit.refused")}</VerdictChip> <PlainText text={preview.message} />
      </>
    );
  return (
    <VerdictChip kind={preview.outcome === "ask" ? "asks" : "kept"}>
      {t(`edit.${preview.outcome}`)}
    </VerdictChip>
  );
}
