/** Where the page is, going elsewhere by hand, and taking a new look. */

import { type FormEvent, useEffect, useState } from "react";
import type { BrowserGuardSettings, BrowserProfileView, BrowserTab } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/index.ts";
import { withScheme } from "./browserWords.ts";
import { GuardChip } from "./GuardChip.tsx";

export function AddressBar(props: {
  profile: BrowserProfileView;
  tab: BrowserTab;
  guard: BrowserGuardSettings;
  isLooking: boolean;
  onLook: () => void;
}) {
  const t = useT("browser");
  const { profile, tab, onLook } = props;
  const [url, setUrl] = useState(tab.url);
  const [isTyping, setIsTyping] = useState(false);
  const navigate = useMutationRpc("browser.navigate");
  // What a person types stays theirs; otherwise the field follows the page.
  useEffect(() => {
    if (!isTyping) setUrl(tab.url);
  }, [tab.url, isTyping]);
  const at = { profile: profile.name, targetId: tab.targetId };
  const go = (request: { url: string } | { history: "back" | "forward" | "reload" }) =>
    navigate.mutate({ ...at, ...request }, { onSuccess: onLook });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTyping(false);
    if (url.trim() !== "") go({ url: withScheme(url) });
  };
  return (
    <div className="browser-address">
      <form className="row grow" onSubmit={submit}>
        <Button look="plain" aria-label={t("back")} onClick={() => go({ history: "back" })}>
          ←
        </Button>
        <Button look="plain" aria-label={t("forward")} onClick={() => go({ history: "forward" })}>
          →
        </Button>
        <Button look="plain" aria-label={t("reload")} onClick={() => go({ history: "reload" })}>
          ↻
        </Button>
        <input
          className="input evidence grow"
          aria-label={t("address")}
          spellCheck={false}
          value={url}
          onFocus={() => setIsTyping(true)}
          onBlur={() => setIsTyping(false)}
          onChange={(event) => setUrl(event.target.value)}
        />
      </form>
      <GuardChip guard={props.guard} />
      <Button disabled={props.isLooking} onClick={onLook}>
        {props.isLooking ? t("looking") : t("newSnapshot")}
      </Button>
      {navigate.isError ? (
        <p className="browser-address-error tone-stop" role="alert">
          {navigate.error.message}
        </p>
      ) : null}
    </div>
  );
}
