/** Which rows of a list somebody could read: those that came into sight at least 1.5 s ago. */

import { useCallback, useEffect, useRef, useState } from "react";
import { lockMs } from "./useUnlock.ts";

/** A row that joins late starts unseen. `mark` is stable. */
export function useSeenLongEnough(): { ids: ReadonlySet<string>; mark: (id: string) => void } {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  useEffect(() => {
    const timers = waiting.current;
    return () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    };
  }, []);
  const mark = useCallback((id: string) => {
    if (waiting.current.has(id)) return;
    waiting.current.set(
      id,
      setTimeout(() => setIds((known) => new Set(known).add(id)), lockMs),
    );
  }, []);
  return { ids, mark };
}
