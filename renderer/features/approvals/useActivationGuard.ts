/** The click that activates the window does nothing else (A4). */

import { type RefObject, useEffect } from "react";

const quietMs = 250;

/** Swallows pointer presses in `ref` that arrive with, or right after, the window getting the focus. */
export function useActivationGuard(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    let focusedAtMs = Number.NEGATIVE_INFINITY;
    let isActive = document.hasFocus();
    let isBlocked = false;
    const onFocus = () => {
      focusedAtMs = performance.now();
      isActive = true;
    };
    const onBlur = () => {
      isActive = false;
    };
    const onDown = (event: Event) => {
      isBlocked = !isActive || performance.now() - focusedAtMs < quietMs;
      // Some window managers never tell of focus: there the first press counts as the activating one.
      isActive = true;
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
    window.addEventListener("blur", onBlur);
    element.addEventListener("pointerdown", onDown, true);
    element.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("focus", onFocus);
      window.removeEventListener("blur", onBlur);
      element.removeEventListener("pointerdown", onDown, true);
      element.removeEventListener("click", onClick, true);
    };
  }, [ref]);
}
