/** What a person can do with a server. Stopping works at once; letting one start takes a dialog that shows what runs. */

import { useState } from "react";
import type { McpServer } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { AllowServerDialog } from "./AllowServerDialog.tsx";

export function ServerActs({ server }: { server: McpServer }) {
  const t = useT("mcpServers");
  const restart = useMutationRpc("mcpServers.restart");
  const stop = useMutationRpc("mcpServers.stop");
  const withdraw = useMutationRpc("mcpServers.withdraw");
  const [openedFor, setOpenedFor] = useState<string | null>(null);
  const [isTakingBack, setIsTakingBack] = useState(false);
  const { name, state } = server;
  const isBusy = restart.isPending || stop.isPending || withdraw.isPending;
  const error = restart.error ?? stop.error ?? withdraw.error;
  const act = (mutation: typeof restart | typeof stop | typeof withdraw) => {
    for (const one of [restart, stop, withdraw]) one.reset();
    setIsTakingBack(false);
    mutation.mutate({ name });
  };
  if (state.kind === "invalid") return null;
  return (
    <div className="stack">
      {error === null ? null : <ErrorState title={t("acts.failed")} error={error} />}
      <div className="row server-acts">
        {state.kind === "unconfirmed" ? (
          <Button size="primary" icon="play" onClick={() => setOpenedFor(server.digest)}>
            {t(server.transport === "stdio" ? "acts.allow" : "acts.allowConnect")}
          </Button>
        ) : (
          <>
            {state.kind === "starting" ? null : (
              <Button disabled={isBusy} icon="play" onClick={() => act(restart)}>
                {t(`acts.restart.${state.kind}`)}
              </Button>
            )}
            {state.kind === "stopped" ? null : (
              <Button disabled={isBusy} onClick={() => act(stop)}>
                {t(state.kind === "failed" ? "acts.stopTrying" : "acts.stop")}
              </Button>
            )}
            {isTakingBack ? null : (
              <Button look="plain" disabled={isBusy} onClick={() => setIsTakingBack(true)}>
                {t("acts.takeBack")}
              </Button>
            )}
          </>
        )}
      </div>
      {isTakingBack && state.kind !== "unconfirmed" ? (
        <div className="row server-acts">
          <span>{t("acts.takeBackAsk")}</span>
          <Button look="danger" disabled={isBusy} onClick={() => act(withdraw)}>
            {t("acts.takeBackNow")}
          </Button>
          <Button look="plain" onClick={() => setIsTakingBack(false)}>
            {t("cancel")}
          </Button>
        </div>
      ) : null}
      {openedFor !== null && state.kind === "unconfirmed" ? (
        <AllowServerDialog
          key={server.digest}
          server={server}
          changedWhileOpen={openedFor !== server.digest}
          onClose={() => setOpenedFor(null)}
        />
      ) : null}
    </div>
  );
}
