/** A browser that does not run, or has no page: what it is, and the one act that changes that. */

import { useState } from "react";
import type { BrowserGuardSettings, BrowserProfileView } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, ErrorState, VerdictShape } from "../../ui/index.ts";
import { GuardChip } from "./GuardChip.tsx";
import { OpenPage } from "./OpenPage.tsx";

export function StartCard(props: {
  profile: BrowserProfileView;
  guard: BrowserGuardSettings;
  onOpened: (targetId: string) => void;
}) {
  const t = useT("browser");
  const { profile } = props;
  const { state } = profile;
  const start = useMutationRpc("browser.start");
  const [isOpening, setIsOpening] = useState(false);
  const isBusy = start.isPending || state.kind === "starting" || state.kind === "stopping";
  return (
    <div className="empty-state browser-start">
      <p className="empty-title">{t(`start.title.${state.kind}`, { name: profile.name })}</p>
      <div className="second">
        <p>{t(`start.kind.${profile.kind}`)}</p>
        {profile.userDataDir === null ? null : (
          <p>
            {t("start.data")} <code>{profile.userDataDir}</code>
          </p>
        )}
      </div>
      {state.kind === "crashed" || state.kind === "unreachable" ? (
        <p className="row tone-stop" role="status">
          <VerdictShape kind="denied" />
          <span>{state.detail}</span>
        </p>
      ) : null}
      <GuardChip guard={props.guard} />
      {start.isError ? (
        <ErrorState title={t("start.failed")} error={start.error} hint={start.error.message} />
      ) : null}
      {state.kind === "running" ? (
        <Button look="filled" size="primary" onClick={() => setIsOpening(true)}>
          {t("newTab")}
        </Button>
      ) : (
        <Button
          look="filled"
          size="primary"
          disabled={isBusy}
          onClick={() => start.mutate({ profile: profile.name })}
        >
          {isBusy ? t("state.starting") : profile.attachOnly ? t("start.attach") : t("start.start")}
        </Button>
      )}
      {isOpening ? (
        <OpenPage profile={profile.name} onClose={() => setIsOpening(false)} onOpened={props.onOpened} />
      ) : null}
    </div>
  );
}
