/** Entering a broad mode needs the words typed and an end time (A18). */

import { type FormEvent, useState } from "react";
import { useT } from "../i18n/index.ts";
import { useMutationRpc } from "../rpc/hooks.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";
import { Segmented } from "../ui/Segmented.tsx";

/** Never translated: the runtime compares it word for word. */
export const broadModeWords = "run without asking";
const durations = { "15": 15, "60": 60, "240": 240, "1440": 1_440 } as const;
type Duration = keyof typeof durations;

export function ConfirmBroadDialog({ agents, onClose }: { agents: string[]; onClose: () => void }) {
  const t = useT("frame");
  const [words, setWords] = useState("");
  const [duration, setDuration] = useState<Duration>("15");
  const confirm = useMutationRpc("mode.confirmBroad");
  const isRight = words.trim() === broadModeWords;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRight || confirm.isPending) return;
    const endsAtMs = Date.now() + durations[duration] * 60_000;
    confirm.mutate({ words: words.trim(), endsAtMs }, { onSuccess: onClose });
  };
  return (
    <Dialog title={t("broad.confirmTitle")} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>{t("broad.confirmText", { agents: agents.join(", ") })}</p>
        <div className="row">
          <span className="dim">{t("broad.endsAfter")}</span>
          <Segmented
            role="radio"
            label={t("broad.endsAfter")}
            value={duration}
            options={(Object.keys(durations) as Duration[]).map((value) => ({
              value,
              label: t(`broad.duration.${value}`),
            }))}
            onChange={setDuration}
          />
        </div>
        <Field
          label={t("broad.typeWords", { words: broadModeWords })}
          error={confirm.isError ? t("broad.confirmFailed") : null}
        >
          {(control) => (
            <input
              {...control}
              className="input evidence"
              autoComplete="off"
              spellCheck={false}
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button size="primary" look="filled" onClick={onClose}>
            {t("broad.keepAsking")}
          </Button>
          <Button size="primary" look="danger" type="submit" disabled={!isRight || confirm.isPending}>
            {t("broad.confirm")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
