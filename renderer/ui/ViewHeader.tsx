/** Head row of a view or pane: title, facts, acts at the end. */

import type { ReactNode } from "react";

export interface ViewHeaderProps {
  title: ReactNode;
  /** Numbers and chips behind the title. */
  sub?: ReactNode;
  actions?: ReactNode;
}

export function ViewHeader({ title, sub, actions }: ViewHeaderProps) {
  return (
    <header className="view-header">
      <div className="view-header-title grow">
        <h2 className="view-title nowrap">{title}</h2>
        {sub}
      </div>
      {actions}
    </header>
  );
}
