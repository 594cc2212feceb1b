/** The runtime's clock in the panel, ticking; all countdowns share it. */

import { useEffect, useState } from "react";
import { useLive } from "../rpc/hooks.ts";

/** Milliseconds between this machine's clock and the runtime's: they may be two machines. */
function useClockOffsetMs(): number {
  const status = useLive((state) => state.status);
  const [offsetMs, setOffsetMs] = useState(0);
  useEffect(() => {
    if (status !== null) setOffsetMs(status.nowMs - Date.now());
  }, [status]);
  // A message takes a moment to arrive; only a real difference between two machines counts.
  return Math.abs(offsetMs) < 2_000 ? 0 : offsetMs;
}

/** @returns epoch milliseconds by the runtime's clock, renewed every `everyMs` */
export function useNow(everyMs = 1_000): number {
  const offsetMs = useClockOffsetMs();
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs + offsetMs;
}

/** @returns `4:10`, or `2:03:04` from an hour on; never below `0:00` */
export function clockText(durationMs: number): string {
  const total = Math.max(0, Math.ceil(durationMs / 1_000));
  const hours = Math.floor(total / 3_600);
  const minutes = Math.floor((total % 3_600) / 60);
  const seconds = String(total % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}
