/** Untrusted text, shown so that nothing in it stays unseen: odd characters as lit boxes, mixed words underlined. */

import { type ReactNode, useMemo } from "react";
import { type DisplayToken, displayCommand, inspectText } from "../../../shared/exec/displayCommand.ts";
import { useCharacterName } from "./characterNames.ts";
import "./command.css";

export interface CommandTextProps {
  text: string;
  /** Only this part is shown; offsets in the DOM stay those of the whole text. */
  start?: number;
  end?: number;
}

/** Inline; the parent decides about wrapping. Tokens carry their offsets, so that a copy gives the true text. */
export function CommandText({ text, start = 0, end = text.length }: CommandTextProps) {
  const part = text.slice(start, end);
  const tokens = useMemo(() => displayCommand(part), [part]);
  return (
    <bdi className="cmd-text">
      {tokens.map((token) => (
        <Token key={token.span.start} token={token} base={start} />
      ))}
    </bdi>
  );
}

/** A sentence with values of others in it: only what cannot be seen is marked, words are left as they are. */
export function PlainText({ text }: { text: string }) {
  const unseen = useMemo(() => inspectText(text).invisible, [text]);
  let at = 0;
  const parts = unseen.map((one) => {
    const before = text.slice(at, one.span.start);
    at = one.span.end;
    return (
      <span key={one.span.start}>
        {before}
        <OddBox codePoint={one.codePoint} group={one.kind} from={one.span.start} to={one.span.end} />
      </span>
    );
  });
  return (
    <bdi>
      {parts}
      {text.slice(at)}
    </bdi>
  );
}

function Token({ token, base }: { token: DisplayToken; base: number }): ReactNode {
  const from = token.span.start + base;
  const to = token.span.end + base;
  if (token.kind === "text") {
    return (
      <span data-start={from} data-end={to}>
        {token.text}
      </span>
    );
  }
  if (token.kind === "oddity")
    return <OddBox codePoint={token.codePoint} group={token.oddity} from={from} to={to} />;
  return <MixedWord token={token} base={base} />;
}

/** A marked word may itself hold unseen characters: each letter is looked at again. */
function MixedWord({ token, base }: { token: Extract<DisplayToken, { kind: "mixedWord" }>; base: number }) {
  const odd = new Set(token.letters.map((letter) => letter.span.start));
  const unseen = new Map(inspectText(token.text).invisible.map((one) => [one.span.start, one]));
  let at = 0;
  return (
    <span className="cmd-mixed">
      {[...token.text].map((letter) => {
        const own = at;
        at += letter.length;
        const from = token.span.start + own + base;
        const hidden = unseen.get(own);
        if (hidden !== undefined) {
          return (
            <OddBox
              key={own}
              codePoint={hidden.codePoint}
              group={hidden.kind}
              from={from}
              to={from + letter.length}
            />
          );
        }
        return (
          <span
            key={own}
            className={odd.has(token.span.start + own) ? "cmd-odd-letter" : undefined}
            data-start={from}
            data-end={from + letter.length}
          >
            {letter}
          </span>
        );
      })}
    </span>
  );
}

function OddBox(props: { codePoint: number; group: string; from: number; to: number }) {
  const name = useCharacterName()(props.codePoint, props.group);
  return (
    <span className="cmd-odd" data-start={props.from} data-end={props.to} data-whole title={name}>
      <span aria-hidden="true">{codePointLabel(props.codePoint)}</span>
      <span className="sr-only">{name}</span>
    </span>
  );
}

/** @returns `U+200B` */
export function codePointLabel(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}
