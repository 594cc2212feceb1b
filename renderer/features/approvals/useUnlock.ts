/** When Allow may be pressed (A3): 1.5 s of being on screen, and the end of the command seen. */

import { type RefObject, useCallback, useEffect, useState } from "react";

export const lockMs = 1_500;
const tickMs = 100;

/** Whether somebody can see it: the page is on screen, and no dialog covers it but one that it stands in itself. */
function isInSight(element: Element | null): boolean {
  if (document.visibilityState !== "visible") return false;
  const open = [...document.querySelectorAll("dialog[open]")];
  return open.every((dialog) => element !== null && dialog.contains(element));
}

export interface Unlock {
  isUnlocked: boolean;
  /** 0 when the time is up. */
  remainingMs: number;
  isEndSeen: boolean;
  markEndSeen: () => void;
}

/**
 * Counts only time in which the card can be seen. The state belongs to one request: mount the caller with the
 * request's id and digest as key, so that another request starts locked.
 * @param place what is looked at, when that stands in a dialog
 */
export function useUnlock(place?: RefObject<HTMLElement | null>): Unlock {
  const [remainingMs, setRemainingMs] = useState(lockMs);
  const [isEndSeen, setIsEndSeen] = useState(false);
  useEffect(() => {
    let leftMs = lockMs;
    let before = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      // A sleeping page gets one late tick: it counts as one step, not as time in which somebody looked.
      if (isInSight(place?.current ?? null)) leftMs -= Math.min(now - before, tickMs * 3);
      before = now;
      setRemainingMs(Math.max(0, leftMs));
      if (leftMs <= 0) clearInterval(timer);
    }, tickMs);
    return () => clearInterval(timer);
  }, [place]);
  const markEndSeen = useCallback(() => setIsEndSeen(true), []);
  return { isUnlocked: remainingMs === 0 && isEndSeen, remainingMs, isEndSeen, markEndSeen };
}

/**
 * Tells once when the element was really on screen, or when the caret has reached it.
 * @param onSeen stable
 */
export function useSeen(ref: RefObject<HTMLElement | null>, onSeen: () => void): void {
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    let isOnScreen = false;
    const check = () => {
      if (isOnScreen && isInSight(element)) onSeen();
    };
    const observer = new IntersectionObserver(
      (entries) => {
        isOnScreen = entries.at(-1)?.isIntersecting ?? false;
        check();
      },
      { threshold: 1 },
    );
    observer.observe(element);
    const onSelection = () => {
      const node = document.getSelection()?.focusNode;
      if (node === undefined || node === null || element.parentElement === null) return;
      if (element === node || element.contains(node)) onSeen();
    };
    document.addEventListener("selectionchange", onSelection);
    document.addEventListener("visibilitychange", check);
    // A dialog that closes gives the focus back.
    document.addEventListener("focusin", check);
    return () => {
      observer.disconnect();
      document.removeEventListener("selectionchange", onSelection);
      document.removeEventListener("visibilitychange", check);
      document.removeEventListener("focusin", check);
    };
  }, [ref, onSeen]);
}
