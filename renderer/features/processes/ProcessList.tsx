/** Processes by agent and session, and those that outlived a restart. */

import type { ProcessInfo, Survivor } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useSessionName } from "../../rpc/useSessionName.ts";
import { Button, VerdictShape } from "../../ui/index.ts";
import { useNow } from "../../ui/useNow.ts";
import { ageText } from "./format.ts";
import { groupProcesses, stateShape } from "./processWords.ts";

export function ProcessList(props: {
  processes: readonly ProcessInfo[];
  survivors: readonly Survivor[];
  picked: string | null;
  onPick: (id: string) => void;
  onRemove: (id: string) => void;
  onAdopt: (survivor: Survivor) => void;
  onEndSurvivor: (survivor: Survivor) => void;
}) {
  const t = useT("processes");
  const nowMs = useNow(1_000);
  const sessionName = useSessionName();
  return (
    <div className="proc-list">
      {groupProcesses(props.processes).map((group) => (
        <section
          key={`${group.agentId} ${group.sessionKey}`}
          aria-label={`${group.agentId} ${sessionName(group.sessionKey)}`}
        >
          <h3 className="proc-group" title={group.sessionKey}>
            <span className="ellipsis">
              {t("group", { agent: group.agentId, session: sessionName(group.sessionKey) })}
            </span>
            <span>{group.processes.length}</span>
          </h3>
          <ul>
            {group.processes.map((process) => (
              <li key={process.id} className="proc-row-holder">
                <button
                  type="button"
                  className={process.id === props.picked ? "proc-row is-picked" : "proc-row"}
                  aria-current={process.id === props.picked}
                  onClick={() => props.onPick(process.id)}
                >
                  <VerdictShape kind={stateShape(process.state)} />
                  <code className="proc-name ellipsis">{process.id}</code>
                  <code className="proc-age">{endText(process, nowMs, t)}</code>
                  <span className="proc-row-command ellipsis" title={process.command}>
                    {process.command}
                  </span>
                </button>
                {process.state.kind === "exited" ? (
                  <Button
                    look="plain"
                    className="proc-remove"
                    onClick={() => props.onRemove(process.id)}
                    title={t("removeHint")}
                  >
                    {t("remove")}
                  </Button>
                ) : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {props.survivors.length === 0 ? null : (
        <section className="proc-survivors" aria-label={t("survivors", { count: props.survivors.length })}>
          <h3>
            <VerdictShape kind="asks" /> {t("survivors", { count: props.survivors.length })}
          </h3>
          {props.survivors.map((survivor) => (
            <div key={survivor.id} className="proc-survivor">
              <p>
                {t("pid", { pid: survivor.pid })} <code>{survivor.command}</code>
              </p>
              <p className="second">
                {t("survivorOf", { agent: survivor.agentId, age: ageText(nowMs - survivor.startedAtMs) })}
              </p>
              <div className="row">
                <Button onClick={() => props.onAdopt(survivor)}>{t("adopt")}</Button>
                <Button onClick={() => props.onEndSurvivor(survivor)}>
                  {t("endTree", { count: survivor.treeSize })}
                </Button>
              </div>
            </div>
          ))}
        </section>
      )}
    </div>
  );
}

function endText(process: ProcessInfo, nowMs: number, t: ReturnType<typeof useT>): string {
  if (process.state.kind === "exited") {
    return process.state.signal ?? t("exitShort", { code: process.state.exitCode ?? "?" });
  }
  return ageText(nowMs - process.startedAtMs);
}
