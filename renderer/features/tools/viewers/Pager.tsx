/** Goes through a known number of things: buttons, a field for the number, Page Up and Page Down. */

import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useState } from "react";
import { useT } from "../../../i18n/index.ts";
import { Button } from "../../../ui/index.ts";

/**
 * @param at from 1
 * @param count null while it is not known
 * @param label what is paged through, for screen readers
 */
export function Pager(props: {
  label: string;
  numberLabel: string;
  at: number;
  count: number | null;
  onGo: (at: number) => void;
  children: ReactNode;
}) {
  const t = useT("tools");
  const { at, count, onGo } = props;
  const last = count ?? at;
  const go = (wanted: number) => {
    const next = Math.min(Math.max(wanted, 1), last);
    if (next !== at) onGo(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A pager inside of this one has taken the key already.
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const isField = event.target instanceof HTMLInputElement;
    const steps = new Map([
      ["PageUp", at - 1],
      ["PageDown", at + 1],
      ...(isField
        ? []
        : ([
            ["Home", 1],
            ["End", last],
          ] as const)),
    ]);
    const wanted = steps.get(event.key);
    if (wanted === undefined) return;
    event.preventDefault();
    go(wanted);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="tools-part" role="group" aria-label={props.label} onKeyDown={onKeyDown}>
      <div className="row">
        <Button aria-keyshortcuts="PageUp" disabled={at <= 1} onClick={() => go(at - 1)}>
          {t("media.previous")}
        </Button>
        <PageNumber label={props.numberLabel} at={at} last={last} onGo={go} />
        <span className="second nowrap">{count === null ? "" : t("media.of", { count })}</span>
        <Button aria-keyshortcuts="PageDown" disabled={at >= last} onClick={() => go(at + 1)}>
          {t("media.next")}
        </Button>
      </div>
      {props.children}
    </div>
  );
}

/** Takes effect with Enter or when it is left: on the way to 12 nobody wants page 1. */
function PageNumber(props: { label: string; at: number; last: number; onGo: (at: number) => void }) {
  const [text, setText] = useState(String(props.at));
  useEffect(() => setText(String(props.at)), [props.at]);
  const take = () => {
    const wanted = Number(text);
    if (text.trim() !== "" && Number.isInteger(wanted)) {
      props.onGo(wanted);
      setText(String(Math.min(Math.max(wanted, 1), props.last)));
    } else setText(String(props.at));
  };
  return (
    <input
      className="input media-number"
      inputMode="numeric"
      aria-label={props.label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
    />
  );
}
