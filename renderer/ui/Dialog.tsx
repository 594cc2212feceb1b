/** A modal dialog on the browser's own element: it traps focus, makes the rest inert and gives focus back. */

import { type ReactNode, useEffect, useId, useRef } from "react";

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Hides the title visually, for dialogs that start with a search field. */
  hideTitle?: boolean;
  className?: string;
}

export function Dialog({ title, onClose, children, hideTitle = false, className }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={`dialog${className === undefined ? "" : ` ${className}`}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={titleId} className={hideTitle ? "sr-only" : "dialog-title"}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
