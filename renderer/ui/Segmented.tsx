/** One of few: the tabs of a view and small choices. Arrow keys, Home and End move, as in every tab list. */

import { type KeyboardEvent, useRef } from "react";
import { rovingIndex } from "./rovingIndex.ts";

export interface SegmentedOption<T extends string> {
  value: T;
  label: string;
  /** Shown behind the label. */
  count?: number;
}

export interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  options: readonly SegmentedOption<T>[];
  onChange: (value: T) => void;
  /** `tabs` switch what a view shows; `radio` sets a value. */
  role?: "tabs" | "radio";
}

export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
  role = "tabs",
}: SegmentedProps<T>) {
  const listRef = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const at = options.findIndex((option) => option.value === value);
    const next = options[rovingIndex(event.key, at, options.length) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    onChange(next.value);
    listRef.current?.querySelector<HTMLButtonElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  };
  const isTabs = role === "tabs";
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a label
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a tab list or a radio group
    <div
      ref={listRef}
      className="segmented"
      role={isTabs ? "tablist" : "radiogroup"}
      aria-label={label}
      onKeyDown={move}
    >
      {options.map((option) => {
        const isChosen = option.value === value;
        return (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each role gets only the attribute that it takes
          <button
            key={option.value}
            type="button"
            role={isTabs ? "tab" : "radio"}
            aria-selected={isTabs ? isChosen : undefined}
            aria-checked={isTabs ? undefined : isChosen}
            tabIndex={isChosen ? 0 : -1}
            data-value={option.value}
            className="segment"
            onClick={() => onChange(option.value)}
          >
            {option.label}
            {option.count === undefined ? null : <span className="segment-count">{option.count}</span>}
          </button>
        );
      })}
    </div>
  );
}
