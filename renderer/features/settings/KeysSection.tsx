/** Keys of services: where each stands, storing one, testing it. A value is typed once and never shown again. */

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import type { KeyService, SecretsView } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc, useQueryRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";

export function KeysSection() {
  const t = useT("settings");
  const query = useQueryRpc("secrets.list", {});
  const [open, setOpen] = useState<string | null>(null);
  const view = query.data;
  return (
    <section className="settings-section settings-secrets" aria-labelledby="keys-title">
      <h2 id="keys-title">{t("keys.title")}</h2>
      <p className="second">{t("keys.order")}</p>
      {view === undefined ? (
        query.isError ? (
          <ErrorState title={t("keys.notRead")} error={query.error} onRetry={() => void query.refetch()} />
        ) : null
      ) : (
        <>
          <Protection view={view} />
          <ul className="secret-list">
            {view.services.map((service) => (
              <KeyRow
                key={service.id}
                service={service}
                view={view}
                isOpen={open === service.id}
                onOpen={(isOpen) => setOpen(isOpen ? service.id : null)}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Protection({ view }: { view: SecretsView }) {
  const t = useT("settings");
  if (view.problem !== null) {
    return (
      <p className="tone-stop row" role="alert">
        <VerdictShape kind="danger" />
        <span>{t("keys.unreadable", { problem: view.problem })}</span>
      </p>
    );
  }
  return view.protection.kind === "keyring" ? (
    <p className="second">{t("keys.keyring", { backend: view.protection.backend })}</p>
  ) : (
    <p className="tone-ask">{t("keys.noKeyring", { path: view.path })}</p>
  );
}

function KeyRow(props: {
  service: KeyService;
  view: SecretsView;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}) {
  const t = useT("settings");
  const { service, view, isOpen } = props;
  const queryClient = useQueryClient();
  const test = useMutationRpc("secrets.test");
  const remove = useMutationRpc("secrets.remove");
  const take = (next: SecretsView) => queryClient.setQueryData(["secrets.list", {}], next);
  const { state } = service;
  const stored = view.stored.find(({ name }) => name === service.name);
  const opener = useRef<HTMLButtonElement>(null);
  // The form goes away with the focus in it.
  const close = () => {
    props.onOpen(false);
    opener.current?.focus();
  };
  return (
    <li className="secret-row">
      <VerdictShape kind={state.kind === "missing" ? "skipped" : "kept"} />
      <div className="secret-what">
        <strong>{service.label}</strong>
        <span className="second">{service.tools.join(", ")}</span>
      </div>
      <div className="secret-where">
        <span>{t(`keys.state.${state.kind}`)}</span>
        <code className="second ellipsis">{placeText(service, stored?.masked ?? null)}</code>
      </div>
      <div className="row secret-acts">
        <Button
          ref={opener}
          aria-expanded={isOpen}
          disabled={view.problem !== null}
          onClick={() => props.onOpen(!isOpen)}
          aria-label={t("keys.setOf", { service: service.label })}
        >
          {t("keys.set")}
        </Button>
        {service.canTest && state.kind !== "missing" ? (
          <Button
            disabled={test.isPending}
            onClick={() => test.mutate({ service: service.id })}
            aria-label={t("keys.testOf", { service: service.label })}
          >
            {test.isPending ? t("keys.testing") : t("keys.test")}
          </Button>
        ) : null}
        {stored === undefined ? null : (
          <Button
            look="plain"
            disabled={remove.isPending}
            onClick={() => {
              // What the test said was about the key that goes.
              test.reset();
              remove.mutate({ name: service.name }, { onSuccess: take });
            }}
            aria-label={t("keys.removeOf", { service: service.label })}
          >
            {t("keys.remove")}
          </Button>
        )}
      </div>
      {test.data === undefined ? null : (
        <p className={test.data.ok ? "secret-note" : "secret-note tone-stop"} role="status">
          {test.data.ok
            ? t("keys.works", { tookMs: test.data.tookMs })
            : t("keys.fails", { message: test.data.message })}
        </p>
      )}
      {test.isError ? (
        <p className="secret-note tone-stop" role="alert">
          {t("keys.fails", { message: test.error.message })}
        </p>
      ) : null}
      {remove.isError ? (
        <p className="secret-note tone-stop" role="alert">
          {t("keys.notRemoved", { message: remove.error.message })}
        </p>
      ) : null}
      {stored?.masked === null ? <p className="secret-note tone-ask">{t("keys.sealedElsewhere")}</p> : null}
      {isOpen ? (
        <KeyForm
          service={service}
          onSaved={(next) => {
            take(next);
            test.reset();
            close();
          }}
          onCancel={close}
        />
      ) : null}
    </li>
  );
}

function placeText({ state, name }: KeyService, masked: string | null): string {
  switch (state.kind) {
    case "missing":
      return name;
    case "config":
      return state.path;
    case "environment":
      return state.variable;
    case "stored":
      return `${state.variable} ${masked ?? ""}`.trim();
  }
}

function KeyForm(props: { service: KeyService; onSaved: (view: SecretsView) => void; onCancel: () => void }) {
  const t = useT("settings");
  const { service } = props;
  const [value, setValue] = useState("");
  const save = useMutationRpc("secrets.set");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === "" || save.isPending) return;
    save.mutate({ name: service.name, value }, { onSuccess: props.onSaved });
  };
  const isHidden = service.state.kind === "config" || service.state.kind === "environment";
  return (
    <form className="secret-form" onSubmit={submit}>
      <Field
        label={t("keys.value", { name: service.name })}
        hint={t("keys.from", { docs: service.docs })}
        error={save.isError ? save.error.message : null}
      >
        {(control) => (
          <input
            {...control}
            className="input"
            type="password"
            autoComplete="off"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: the person just opened this field with its button
            autoFocus
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      {isHidden ? <p className="small tone-ask">{t("keys.shadowed")}</p> : null}
      <div className="row">
        <Button size="primary" type="submit" disabled={value.trim() === "" || save.isPending}>
          {t("keys.save")}
        </Button>
        <Button look="plain" onClick={props.onCancel}>
          {t("keys.cancel")}
        </Button>
      </div>
    </form>
  );
}
