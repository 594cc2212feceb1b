/** The button that says yes: locked for its time, and no single key presses it. */

import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { Button } from "../../ui/Button.tsx";
import { lockMs, type Unlock } from "./useUnlock.ts";

/** The second press of a double click would land on the next request: it does nothing. */
export function once(act: () => void): (event: MouseEvent) => void {
  return (event) => {
    if (event.detail <= 1) act();
  };
}

/** Enter and Space never approve: the chord does, or a pointer, or the press of assistive technology. */
export function refuseKeys(event: KeyboardEvent): void {
  const isChord = event.shiftKey && (event.ctrlKey || event.metaKey);
  if ((event.key === "Enter" && !isChord) || event.key === " ") event.preventDefault();
}

export interface LockedButtonProps {
  unlock: Unlock;
  mayPress: boolean;
  /** Of the element that says why it is locked. */
  reasonId: string;
  onPress: () => void;
  children: ReactNode;
}

export function LockedButton({ unlock, mayPress, reasonId, onPress, children }: LockedButtonProps) {
  return (
    <div className="lock-button">
      <Button
        size="primary"
        icon={unlock.isUnlocked ? undefined : "lock"}
        aria-disabled={!mayPress}
        aria-describedby={reasonId}
        aria-keyshortcuts="Control+Shift+Enter"
        onKeyDown={refuseKeys}
        onKeyUp={refuseKeys}
        onClick={once(onPress)}
      >
        {children}
      </Button>
      {unlock.remainingMs > 0 ? (
        <span
          className="lock-progress"
          aria-hidden="true"
          style={{ width: `${100 - (unlock.remainingMs / lockMs) * 100}%` }}
        />
      ) : null}
    </div>
  );
}
