/** Keeps a view that throws from taking the frame, and with it the approvals, away. */

import { Component, type ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { ErrorState } from "./States.tsx";

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ViewFailed error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}

function ViewFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useT("common");
  return (
    <div className="view-pad">
      <ErrorState
        title={t("error.viewFailed")}
        hint={t("error.viewFailedHint")}
        error={error}
        onRetry={onRetry}
      />
    </div>
  );
}
