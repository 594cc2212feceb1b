/** Asks for an address and opens it in a new tab. */

import { type FormEvent, useState } from "react";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, Dialog, Field } from "../../ui/index.ts";
import { withScheme } from "./browserWords.ts";

export function OpenPage(props: {
  profile: string;
  onClose: () => void;
  onOpened: (targetId: string) => void;
}) {
  const t = useT("browser");
  const [url, setUrl] = useState("");
  const open = useMutationRpc("browser.open");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (url.trim() === "" || open.isPending) return;
    open.mutate(
      { profile: props.profile, url: withScheme(url) },
      { onSuccess: ({ targetId }) => props.onOpened(targetId) },
    );
  };
  return (
    <Dialog title={t("newTab")} onClose={props.onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label={t("address")} error={open.isError ? open.error.message : null}>
          {(control) => (
            <input
              {...control}
              autoFocus
              className="input evidence"
              spellCheck={false}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button type="submit" size="primary" look="filled" disabled={url.trim() === "" || open.isPending}>
            {t("open")}
          </Button>
          <Button look="plain" onClick={props.onClose}>
            {t("cancel")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
