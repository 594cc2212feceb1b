/** Label, control, hint and error, tied together for screen readers. */

import { type ReactNode, useId } from "react";

export interface FieldControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | null | undefined;
  /** Shows the label to screen readers only. */
  hideLabel?: boolean;
  /** Gets the attributes that the control must carry. */
  children: (control: FieldControlProps) => ReactNode;
}

export function Field({ label, hint, error, hideLabel = false, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const hasError = error !== undefined && error !== null;
  const described = [hint === undefined ? null : hintId, hasError ? errorId : null].filter(
    (part) => part !== null,
  );
  return (
    <div className="field">
      <label className={hideLabel ? "sr-only" : "field-label"} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": hasError ? true : undefined,
      })}
      {hint === undefined ? null : (
        <p className="small" id={hintId}>
          {hint}
        </p>
      )}
      {hasError ? (
        <p className="field-error" id={errorId}>
          {error}
        </p>
      ) : null}
    </div>
  );
}
