/** One short confirmation of something the person just did. Never a request, an error or a decision. */

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { Button } from "./Button.tsx";

export interface ToastMessage {
  text: string;
  action?: { label: string; run: () => void };
}

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});
const shownMs = 6_000;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [message, setMessage] = useState<ToastMessage | null>(null);
  const [isHeld, setIsHeld] = useState(false);
  const show = useCallback((next: ToastMessage) => setMessage(next), []);
  useEffect(() => {
    if (message === null || isHeld) return;
    const timer = setTimeout(() => setMessage(null), shownMs);
    return () => clearTimeout(timer);
  }, [message, isHeld]);
  const hold = useMemo(
    () => ({
      onPointerEnter: () => setIsHeld(true),
      onPointerLeave: () => setIsHeld(false),
      onFocus: () => setIsHeld(true),
      onBlur: () => setIsHeld(false),
    }),
    [],
  );
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div className="toast-place" role="status" {...hold}>
        {message === null ? null : (
          <div className="toast">
            <span>{message.text}</span>
            {message.action === undefined ? null : (
              <Button
                look="plain"
                onClick={() => {
                  message.action?.run();
                  setMessage(null);
                }}
              >
                {message.action.label}
              </Button>
            )}
          </div>
        )}
      </div>
    </ToastContext.Provider>
  );
}

/** @returns shows a toast; the former one goes away. */
export function useToast(): (message: ToastMessage) => void {
  return useContext(ToastContext);
}
