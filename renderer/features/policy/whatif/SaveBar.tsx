/** Leaves an edit: discarded, copied, or shown as a diff and saved. */

import { useState } from "react";
import { useT } from "../../../i18n/index.ts";
import { useMutationRpc } from "../../../rpc/hooks.ts";
import { Button, useToast, VerdictShape } from "../../../ui/index.ts";
import type { Subject } from "../source/subject.ts";
import type { WhatIf } from "./draft.ts";

export function SaveBar(props: {
  text: string;
  subject: Subject;
  draft: WhatIf;
  isReadable: boolean;
  /** Saved assertions that the edited text breaks. */
  refuted: number;
  onFail: "block" | "warn";
}) {
  const t = useT("policy");
  const toast = useToast();
  const save = useMutationRpc("config.set");
  const [isCopied, setIsCopied] = useState(false);
  const { draft, subject } = props;
  const isEdited = draft.text !== null;
  const isStale = isEdited && draft.baseHash !== subject.hash;
  const isBlocked = isEdited && props.refuted > 0 && props.onFail === "block";
  const isFile = subject.kind === "file";
  const copy = () =>
    navigator.clipboard.writeText(props.text).then(
      () => setIsCopied(true),
      () => toast({ text: t("copyFailed") }),
    );
  return (
    <div className="policy-savebar">
      {isFile ? (
        <span className="second">{t("file.neverWritten")}</span>
      ) : isStale ? (
        <span className="tone-ask" role="status">
          <VerdictShape kind="asks" /> {t("whatif.conflict")}
        </span>
      ) : save.error !== null ? (
        <span className="tone-stop" role="alert">
          {t("whatif.failed", { message: save.error.message })}
        </span>
      ) : isBlocked ? (
        <span className="tone-stop" role="status">
          <VerdictShape kind="denied" /> {t("whatif.blocked", { count: props.refuted })}
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
          save.reset();
          draft.discard();
        }}
      >
        {isStale ? t("whatif.takeDisk") : t("whatif.discard")}
      </Button>
      {isFile ? (
        <Button onClick={() => void copy()}>{t(isCopied ? "copied" : "whatif.copyText")}</Button>
      ) : null}
      {draft.isReviewing && isEdited ? (
        <Button onClick={() => draft.review(false)}>{t("whatif.backToEdit")}</Button>
      ) : (
        <Button
          look={isFile ? "outlined" : "filled"}
          disabled={!isEdited || !props.isReadable}
          onClick={() => draft.review(true)}
        >
          {t(isFile ? "whatif.diffOnly" : "whatif.diff")}
        </Button>
      )}
      {!isFile && draft.isReviewing && isEdited ? (
        <Button
          look="filled"
          disabled={isStale || isBlocked || !props.isReadable || save.isPending}
          onClick={() =>
            save.mutate(
              { raw: props.text, baseHash: draft.baseHash },
              {
                onSuccess: ({ warnings }) => {
                  draft.discard();
                  toast({
                    text:
                      warnings === undefined
                        ? t("whatif.saved")
                        : t("whatif.savedWarned", { count: warnings.length }),
                  });
                },
              },
            )
          }
        >
          {save.isPending ? t("whatif.saving") : t("whatif.save")}
        </Button>
      ) : null}
    </div>
  );
}
