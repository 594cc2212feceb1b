/** All browser profiles: where each lives, making one, and losing one's data only after a second, named click. */

import { type FormEvent, useState } from "react";
import type { BrowserOverview, BrowserProfileView } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, Dialog, Field } from "../../ui/index.ts";
import { profileStateText } from "./browserWords.ts";

type Danger = { act: "delete" | "reset"; name: string };

export function ProfilesDialog(props: {
  overview: BrowserOverview;
  onClose: () => void;
  onGo: (name: string) => void;
}) {
  const t = useT("browser");
  const [danger, setDanger] = useState<Danger | null>(null);
  return (
    <Dialog title={t("manage.title")} onClose={props.onClose} className="browser-profiles">
      <ul className="browser-profile-list">
        {props.overview.profiles.map((profile) => (
          <ProfileRow
            key={profile.name}
            profile={profile}
            danger={danger?.name === profile.name ? danger.act : null}
            onDanger={(act) => setDanger(act === null ? null : { act, name: profile.name })}
            onGo={() => {
              props.onClose();
              props.onGo(profile.name);
            }}
          />
        ))}
      </ul>
      <CreateProfile />
      <div className="row">
        <Button look="plain" onClick={props.onClose}>
          {t("manage.close")}
        </Button>
      </div>
    </Dialog>
  );
}

function ProfileRow(props: {
  profile: BrowserProfileView;
  danger: Danger["act"] | null;
  onDanger: (act: Danger["act"] | null) => void;
  onGo: () => void;
}) {
  const t = useT("browser");
  const { profile, danger } = props;
  const remove = useMutationRpc("browser.deleteProfile");
  const reset = useMutationRpc("browser.resetProfile");
  const done = danger === "delete" ? remove : reset;
  const isManaged = profile.kind === "managed";
  const error = remove.error ?? reset.error;
  return (
    <li className="browser-profile-row" style={{ borderLeftColor: profile.color }}>
      <div className="row">
        <strong className="evidence">{profile.name}</strong>
        <span className="second grow">{profileStateText(t, profile)}</span>
        <Button look="plain" onClick={props.onGo}>
          {t("manage.show")}
        </Button>
        {isManaged ? (
          <Button look="plain" onClick={() => props.onDanger("reset")}>
            {t("manage.reset")}
          </Button>
        ) : null}
        {profile.isInConfig && !profile.isDefault ? (
          <Button look="plain" onClick={() => props.onDanger("delete")}>
            {t("manage.delete")}
          </Button>
        ) : null}
      </div>
      <code className="small">{profile.userDataDir ?? profile.cdpUrl ?? ""}</code>
      {danger === null ? null : (
        <section className="browser-danger" aria-label={t(`manage.${danger}Of`, { name: profile.name })}>
          <p>{t(`manage.${danger}Text`, { name: profile.name })}</p>
          <div className="row">
            <Button look="filled" onClick={() => props.onDanger(null)}>
              {t("manage.keep")}
            </Button>
            <Button
              look="danger"
              disabled={done.isPending}
              onClick={() => done.mutate({ name: profile.name }, { onSuccess: () => props.onDanger(null) })}
            >
              {t(`manage.${danger}Of`, { name: profile.name })}
            </Button>
          </div>
        </section>
      )}
      {error === null ? null : (
        <p className="tone-stop" role="alert">
          {error.message}
        </p>
      )}
    </li>
  );
}

function CreateProfile() {
  const t = useT("browser");
  const [name, setName] = useState("");
  const [cdpUrl, setCdpUrl] = useState("");
  const create = useMutationRpc("browser.createProfile");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "" || create.isPending) return;
    create.mutate(
      { name: name.trim(), ...(cdpUrl.trim() === "" ? {} : { cdpUrl: cdpUrl.trim() }) },
      {
        onSuccess: () => {
          setName("");
          setCdpUrl("");
        },
      },
    );
  };
  return (
    <form className="browser-create" onSubmit={submit}>
      <Field
        label={t("manage.name")}
        hint={t("manage.nameHint")}
        error={create.isError ? create.error.message : null}
      >
        {(control) => (
          <input
            {...control}
            className="input evidence"
            maxLength={64}
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t("manage.cdpUrl")} hint={t("manage.cdpUrlHint")}>
        {(control) => (
          <input
            {...control}
            className="input evidence"
            spellCheck={false}
            value={cdpUrl}
            onChange={(event) => setCdpUrl(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={name.trim() === "" || create.isPending}>
        {t("manage.create")}
      </Button>
    </form>
  );
}
