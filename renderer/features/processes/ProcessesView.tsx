/** Exec sessions: the list by agent, and up to four terminals beside it. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { ProcessInfo } from "../../../shared/contract/index.ts";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { useLive, useMutationRpc } from "../../rpc/hooks.ts";
import { EmptyState, Pane, Skeleton, SplitView, useIsNarrow } from "../../ui/index.ts";
import { TryoutCard } from "../tryout/TryoutCard.tsx";
import { type EndTarget, EndTreeDialog } from "./EndTreeDialog.tsx";
import { sizeText } from "./format.ts";
import { ProcessList } from "./ProcessList.tsx";
import { arrangeTiles, isLive } from "./processWords.ts";
import "./processes.css";
import { TerminalTile } from "./TerminalTile.tsx";
import { useProcessCounts } from "./useProcessCounts.ts";

const tileLimit = { wide: 4, narrow: 1 };

export default function ProcessesView() {
  const t = useT("processes");
  const [path, navigate] = useLocation();
  const processes = useProcessCounts(useLive((state) => state.processes));
  const survivors = useLive((state) => state.survivors);
  const isNarrow = useIsNarrow();
  const remove = useMutationRpc("processes.remove");
  const adopt = useMutationRpc("processes.adopt");
  const picked = pickedOf(path);
  const [shown, setShown] = useState<readonly string[]>([]);
  const [ending, setEnding] = useState<EndTarget | null>(null);
  const limit = isNarrow ? tileLimit.narrow : tileLimit.wide;
  const tiles = useMemo(
    () => arrangeTiles(isNarrow && picked !== null ? [picked] : shown, processes ?? [], limit, picked),
    [isNarrow, shown, processes, limit, picked],
  );
  useEffect(() => {
    if (!isNarrow) setShown((old) => (old.join() === tiles.join() ? old : tiles));
  }, [isNarrow, tiles]);
  const pick = useCallback(
    (id: string) => navigate(`/processes/${encodeURIComponent(id)}`, { replace: true }),
    [navigate],
  );
  useViewKeys({
    "Ctrl+`": {
      label: t("nextTile"),
      run: () => {
        const next = tiles[(tiles.indexOf(picked ?? "") + 1) % Math.max(1, tiles.length)];
        if (next === undefined) return;
        pick(next);
        document.querySelector<HTMLTextAreaElement>(`[data-tile="${CSS.escape(next)}"] textarea`)?.focus();
      },
    },
  });
  if (processes === null) return <Skeleton rows={6} />;
  const live = processes.filter(isLive).length;
  const kept = processes.reduce((sum, process) => sum + process.bytesKept, 0);
  const byId = new Map(processes.map((process) => [process.id, process]));
  return (
    <div className="proc-view">
      <Breadcrumb>{t("running", { count: live })}</Breadcrumb>
      <SplitView>
        <Pane
          kind="list"
          label={t("list")}
          header={
            <h2 className="proc-head">
              <span className="view-title">{t("title")}</span>
              <span className="second">{t("liveCount", { count: live })}</span>
            </h2>
          }
          footer={
            <p className="small">
              {t("footer")} {kept > 0 ? t("buffers", { size: sizeText(kept) }) : null}
            </p>
          }
        >
          <ProcessList
            processes={processes}
            survivors={survivors}
            picked={picked}
            onPick={pick}
            onRemove={(id) => remove.mutate({ id })}
            onAdopt={({ id }) => adopt.mutate({ id })}
            onEndSurvivor={(survivor) =>
              setEnding({
                kind: "survivor",
                id: survivor.id,
                name: t("pid", { pid: survivor.pid }),
                command: survivor.command,
                treeSize: survivor.treeSize,
              })
            }
          />
        </Pane>
        {tiles.length === 0 ? (
          <Pane label={t("terminals")}>
            <EmptyState title={t("emptyTitle")}>{t("emptyText")}</EmptyState>
            <TryoutCard />
          </Pane>
        ) : (
          <div className="proc-area">
            <div className={`proc-tiles has-${tiles.length}`}>
              {tiles.map((id) => {
                const info = byId.get(id);
                return info === undefined ? null : (
                  <div key={id} data-tile={id} className="proc-tile-holder">
                    <TerminalTile
                      info={info}
                      isFocused={id === picked}
                      onFocus={() => {
                        if (id !== picked) pick(id);
                      }}
                      onEnd={() => setEnding(targetOf(info))}
                    />
                  </div>
                );
              })}
            </div>
          </div>
        )}
      </SplitView>
      {ending === null ? null : <EndTreeDialog target={ending} onClose={() => setEnding(null)} />}
    </div>
  );
}

function targetOf(info: ProcessInfo): EndTarget {
  return { kind: "process", id: info.id, name: info.id, command: info.command, treeSize: info.treeSize };
}

function pickedOf(path: string): string | null {
  const id = path.split("/")[2];
  return id === undefined || id === "" ? null : decodeURIComponent(id);
}
