/** Counters of running processes, kept fresh while somebody looks: events tell of changes of state only. */

import { useEffect, useMemo, useState } from "react";
import type { ProcessInfo } from "../../../shared/contract/index.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { isLive } from "./processWords.ts";

const everyMs = 1_000;

type Counts = Pick<ProcessInfo, "treeSize" | "bytesTotal" | "bytesKept" | "linesTotal" | "bytesPerSecond">;

/**
 * @param processes as the events tell them; state, place and size always come from here
 * @returns the same processes with counters at most a second old while one of them is live
 */
export function useProcessCounts(processes: readonly ProcessInfo[] | null): readonly ProcessInfo[] | null {
  const rpc = useRpc();
  const [counts, setCounts] = useState<ReadonlyMap<string, Counts>>(new Map());
  const hasLive = processes?.some(isLive) === true;
  useEffect(() => {
    if (!hasLive) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        if (!document.hidden) {
          const list = await rpc.call("processes.list", {}, { signal: abort.signal });
          setCounts(new Map(list.processes.map((process) => [process.id, countsOf(process)])));
        }
      } catch {
        // The connection is away, which the frame says; the last counters stay until it is back.
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void read(), everyMs);
    };
    timer = setTimeout(() => void read(), everyMs);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [rpc, hasLive]);
  return useMemo(
    () => processes?.map((process) => withCounts(process, counts.get(process.id))) ?? null,
    [processes, counts],
  );
}

function countsOf({ treeSize, bytesTotal, bytesKept, linesTotal, bytesPerSecond }: ProcessInfo): Counts {
  return { treeSize, bytesTotal, bytesKept, linesTotal, bytesPerSecond };
}

/** An event may be newer than the last look: totals only grow, so the greater one is the newer one. */
function withCounts(process: ProcessInfo, counts: Counts | undefined): ProcessInfo {
  if (counts === undefined || !isLive(process) || counts.bytesTotal < process.bytesTotal) return process;
  return { ...process, ...counts };
}
