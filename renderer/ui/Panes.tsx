/** The panes of a view: list, content, detail. They are the regions that F6 walks through. */

import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { useT } from "../i18n/index.ts";
import { Button } from "./Button.tsx";
import { useIsNarrow } from "./useIsNarrow.ts";

/** Panes side by side; below 1000 px the list becomes a strip on top. */
export function SplitView({ children }: { children: ReactNode }) {
  return <div className="split-view">{children}</div>;
}

export interface PaneProps {
  /** Read to screen readers; also the name of the F6 region. */
  label: string;
  kind?: "list" | "content";
  header?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
}

export function Pane({ label, kind = "content", header, footer, children }: PaneProps) {
  return (
    <section className={`pane pane-${kind}`} aria-label={label} data-region tabIndex={-1}>
      {header === undefined ? null : <div className="pane-header">{header}</div>}
      <div className="pane-body">{children}</div>
      {footer === undefined ? null : <div className="pane-footer">{footer}</div>}
    </section>
  );
}

export interface DetailPaneProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** To the right of the content; below 1000 px a sheet over its right half. Esc closes the sheet. */
export function DetailPane({ label, onClose, children }: DetailPaneProps) {
  const t = useT("common");
  const isNarrow = useIsNarrow();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isNarrow) return;
    const before = document.activeElement;
    ref.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [isNarrow]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || !isNarrow) return;
    event.preventDefault();
    onClose();
  };
  return (
    <aside
      ref={ref}
      className={`pane pane-detail${isNarrow ? " is-sheet" : ""}`}
      aria-label={label}
      data-region
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {isNarrow ? (
        <div className="sheet-bar">
          <Button look="plain" icon="cross" onClick={onClose}>
            {t("close")}
          </Button>
        </div>
      ) : null}
      <div className="pane-body">{children}</div>
    </aside>
  );
}
