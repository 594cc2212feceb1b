/** Settings of speech: when replies are read aloud, who speaks, how long, and a try. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type SpeechSettingsView, speechMode, speechProviderId } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import type { PanelInput } from "../../rpc/connection.ts";
import { useMutationRpc, useQueryRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { Picker } from "../../ui/Picker.tsx";
import { Segmented } from "../../ui/Segmented.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { SpeechPlayer } from "./SpeechPlayer.tsx";
import "./speech.css";

/** Value of the picker for the automatic choice; no provider has that name. */
const automatic = "auto";

export function SpeechSection() {
  const t = useT("speech");
  const query = useQueryRpc("speech.settings", {});
  return (
    <section className="settings-section" aria-labelledby="speech-title">
      <h2 id="speech-title">{t("title")}</h2>
      {query.data !== undefined ? (
        <Loaded view={query.data} />
      ) : query.isError ? (
        <ErrorState title={t("notRead")} error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
    </section>
  );
}

function Loaded({ view }: { view: SpeechSettingsView }) {
  const t = useT("speech");
  const queryClient = useQueryClient();
  const save = useMutationRpc("speech.set");
  const change = (values: PanelInput<"speech.set">) =>
    save.mutate(values, { onSuccess: (next) => queryClient.setQueryData(["speech.settings", {}], next) });
  const first = view.providers.find(({ isAsked }) => isAsked);
  return (
    <div className="speech-settings">
      {view.problem === null ? null : (
        <p className="tone-stop" role="alert">
          {t("unreadable", { problem: view.problem })}
        </p>
      )}
      <div className="settings-row">
        <div>
          <p>{t("mode.label")}</p>
          <p className="small">{t("mode.hint")}</p>
        </div>
        <Segmented
          role="radio"
          label={t("mode.label")}
          value={view.mode}
          options={speechMode.options.map((value) => ({ value, label: t(`mode.${value}`) }))}
          onChange={(auto) => change({ auto })}
        />
      </div>
      <div className="settings-row">
        <div>
          <p>{t("provider.label")}</p>
          <p className="small">
            {first === undefined
              ? t("provider.none")
              : first.isOnline
                ? t("provider.online", { provider: t(`provider.${first.id}`) })
                : t("provider.offline")}
          </p>
        </div>
        <Picker
          look="field"
          label={t("provider.label")}
          value={view.provider ?? automatic}
          options={[
            { value: automatic, label: t("provider.auto") },
            ...speechProviderId.options.map((id) => {
              const isSetUp = view.providers.find((one) => one.id === id)?.configured === true;
              return {
                value: id,
                label: t(`provider.${id}`),
                ...(isSetUp ? {} : { hint: t("provider.notSetUp") }),
              };
            }),
          ]}
          onChange={(value) => {
            const provider = speechProviderId.options.find((id) => id === value) ?? null;
            change({ provider });
          }}
        />
      </div>
      <Limit key={view.maxLength} view={view} onChange={(maxLength) => change({ maxLength })} />
      {save.isError ? (
        <p className="tone-stop" role="alert">
          {t("notSaved", { reason: save.error.message })}
        </p>
      ) : null}
      <Try provider={view.provider} />
    </div>
  );
}

function Limit({ view, onChange }: { view: SpeechSettingsView; onChange: (maxLength: number) => void }) {
  const t = useT("speech");
  const [text, setText] = useState(String(view.maxLength));
  const wanted = /^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN;
  const isValid = wanted >= 100 && wanted <= 4096;
  const commit = () => {
    if (isValid && wanted !== view.maxLength) onChange(wanted);
  };
  return (
    <Field
      label={t("limit.label")}
      hint={view.canSummarize && view.summarize ? t("limit.summary") : t("limit.cut")}
      error={isValid ? null : t("limit.bad")}
    >
      {(control) => (
        <input
          {...control}
          className="input speech-limit"
          inputMode="numeric"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
        />
      )}
    </Field>
  );
}

function Try({ provider }: { provider: string | null }) {
  const t = useT("speech");
  const say = useMutationRpc("speech.say");
  const { reset } = say;
  // What another provider said is no answer for this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the provider is what makes it stale
  useEffect(() => reset(), [provider, reset]);
  const outcome = say.data;
  return (
    <div className="speech-try">
      <Button disabled={say.isPending} onClick={() => say.mutate({ text: t("try.sentence") })}>
        {say.isPending ? t("try.running") : t("try.label")}
      </Button>
      <div role="status">
        {outcome?.kind === "spoken" ? (
          <>
            <p className="second">{t("try.spoken", { provider: t(`provider.${outcome.provider}`) })}</p>
            <SpeechPlayer audio={outcome.audio} />
          </>
        ) : null}
      </div>
      {outcome?.kind === "failed" || say.isError ? (
        <p className="tone-stop" role="alert">
          {outcome?.kind === "failed" ? outcome.error : say.error?.message}
        </p>
      ) : null}
    </div>
  );
}
