/** Keys that were meant for what stood there before must not answer the request that has taken its place (A2). */

import { useCallback, useEffect, useRef } from "react";
import { lockMs } from "./useUnlock.ts";

export interface KeyGuard {
  /** The person picked this one: it does not come by surprise. */
  choose: (id: string) => void;
  /** Asked when a card appears: whether hands may still be busy with something else. */
  isUnderFingers: (id: string) => boolean;
}

/** @param currentId the request on screen; lives as long as the place that shows one after the other */
export function useKeyGuard(currentId: string | null): KeyGuard {
  const shown = useRef<string | null>(null);
  const chosen = useRef<string | null>(null);
  const quietSinceMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const touch = () => {
      quietSinceMs.current = performance.now();
    };
    document.addEventListener("keydown", touch, true);
    return () => document.removeEventListener("keydown", touch, true);
  }, []);
  useEffect(() => {
    shown.current = currentId;
    if (currentId === null) return;
    return () => {
      quietSinceMs.current = performance.now();
    };
  }, [currentId]);
  const choose = useCallback((id: string) => {
    chosen.current = id;
  }, []);
  const isUnderFingers = useCallback((id: string) => {
    if (performance.now() - quietSinceMs.current < lockMs) return true;
    return shown.current !== null && shown.current !== id && chosen.current !== id;
  }, []);
  return { choose, isUnderFingers };
}

/** @returns whether this key press would deny, on its own or by the button that has the focus */
export function isDenyingKey(
  event: Pick<KeyboardEvent, "key" | "target">,
  denyButton: HTMLElement | null,
): boolean {
  if (event.key === "Escape") return true;
  return (event.key === "Enter" || event.key === " ") && event.target === denyButton;
}
