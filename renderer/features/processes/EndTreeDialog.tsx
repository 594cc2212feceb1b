/** Asks before a process tree is ended, and says what is left if some of it did not go. */

import { useState } from "react";
import { useT } from "../../i18n/index.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button, Dialog, useToast } from "../../ui/index.ts";

export interface EndTarget {
  kind: "process" | "survivor";
  id: string;
  name: string;
  command: string;
  treeSize: number;
}

type Ending =
  | { kind: "asking" }
  | { kind: "ending" }
  | { kind: "left"; pids: readonly number[] }
  | { kind: "failed"; message: string };

export function EndTreeDialog({ target, onClose }: { target: EndTarget; onClose: () => void }) {
  const t = useT("processes");
  const rpc = useRpc();
  const toast = useToast();
  const [ending, setEnding] = useState<Ending>({ kind: "asking" });
  const end = async () => {
    setEnding({ kind: "ending" });
    try {
      const method = target.kind === "process" ? "processes.end" : "processes.endSurvivor";
      const answer = await rpc.call(method, { id: target.id });
      if (!answer.gone) return setEnding({ kind: "left", pids: answer.remaining });
      toast({ text: t("ended", { name: target.name }) });
      onClose();
    } catch (error) {
      setEnding({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <Dialog title={t("endTitle", { name: target.name })} onClose={onClose}>
      <div className="stack proc-dialog">
        <pre className="proc-dialog-command">{target.command}</pre>
        <p>{t("endExplain", { count: target.treeSize })}</p>
        {ending.kind === "left" ? (
          <p className="tone-stop" role="alert">
            {t("endLeft", { pids: ending.pids.join(", ") })}
          </p>
        ) : ending.kind === "failed" ? (
          <p className="tone-stop" role="alert">
            {t("endFailed", { message: ending.message })}
          </p>
        ) : null}
        <div className="row proc-dialog-acts">
          <Button look="plain" onClick={onClose}>
            {t("keepRunning")}
          </Button>
          <Button look="danger" size="primary" disabled={ending.kind === "ending"} onClick={() => void end()}>
            {ending.kind === "ending" ? t("ending") : t("endTree", { count: target.treeSize })}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
