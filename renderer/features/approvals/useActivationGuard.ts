/** The click that activates the window does nothing else (A4). */

import { type RefObject, useEffect } from "react";

const quietMs = 250;

/** Swallows pointer presses in `ref` that arrive with, or right after, the window getting the focus. */
export function useActivationGuard(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    let focusedAtMs = Number.NEGATIVE_INFINITY;
    let isBlocked = false;
    const onFocus = () => {
      focusedAtMs = performance.now();
    };
    const onDown = (event: Event) => {
      isBlocked = !document.hasFocus() || performance.now() - focusedAtMs < quietMs;
      if (isBlocked) event.stopPropagation();
    };
    // A click belongs to the press that started it, however long that took. Presses by keyboard or by
    // assistive technology have no pointer press in front: detail is 0.
    const onClick = (event: MouseEvent) => {
      if (!isBlocked || event.detail === 0) return;
      event.stopPropagation();
      event.preventDefault();
    };
    window.addEventListener("focus", onFocus);
    element.addEventListener("pointerdown", onDown, true);
    element.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("focus", onFocus);
      element.removeEventListener("pointerdown", onDown, true);
      element.removeEventListener("click", onClick, true);
    };
  }, [ref]);
}
