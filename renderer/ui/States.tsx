/** What a view shows when it has nothing, or when something failed. */

import { type ReactNode, useState } from "react";
import { AppError } from "../../shared/errors/index.ts";
import { useT } from "../i18n/index.ts";
import { Button } from "./Button.tsx";
import { VerdictShape } from "./Verdict.tsx";

/** Says what belongs here and the one act that fills it. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty-state">
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <div className="second">{children}</div>}
      {action}
    </div>
  );
}

export interface ErrorStateProps {
  /** What happened, from the catalogue. */
  title: string;
  error: unknown;
  /** What to do now, from the catalogue. */
  hint?: string | undefined;
  onRetry?: (() => void) | undefined;
}

/** What happened, what to do, and folded details that can be copied. */
export function ErrorState({ title, error, hint, onRetry }: ErrorStateProps) {
  const t = useT("common");
  const [isCopied, setIsCopied] = useState(false);
  const details = errorDetails(error);
  return (
    <div className="error-state" role="alert">
      <p className="row">
        <VerdictShape kind="denied" />
        <strong>{title}</strong>
      </p>
      <p className="second">
        {hint ?? t(`errorHint.${error instanceof AppError ? error.code : "INTERNAL"}`)}
      </p>
      <div className="row">
        {onRetry === undefined ? null : <Button onClick={onRetry}>{t("error.retry")}</Button>}
        <Button
          look="plain"
          icon="copy"
          onClick={() => {
            void navigator.clipboard.writeText(details).then(() => setIsCopied(true));
          }}
        >
          {isCopied ? t("copied") : t("error.copy")}
        </Button>
      </div>
      <details>
        <summary className="small">{t("error.details")}</summary>
        <pre className="error-details">{details}</pre>
      </details>
    </div>
  );
}

function errorDetails(error: unknown): string {
  if (error instanceof AppError) {
    const data = error.data === undefined ? "" : `\n${JSON.stringify(error.data, null, 2)}`;
    return `${error.code}: ${error.message}${data}`;
  }
  return error instanceof Error ? error.message : String(error);
}
