/** What a request to call a foreign tool would send, whole: labels dim, texts line by line, nothing in it unseen. */

import { type ReactNode, useMemo } from "react";
import { CommandText } from "./CommandText.tsx";
import { readCallText } from "./callText.ts";

export function CallBlock({ text, end }: { text: string; end: ReactNode }) {
  const read = useMemo(() => readCallText(text), [text]);
  if (read === null) {
    return (
      <div className="call-text">
        <CommandText text={text} />
        {end}
      </div>
    );
  }
  return (
    <div className="call-text">
      {read.head.map(({ start, labelEnd, end: lineEnd }, index) => (
        <div key={start} className={index === 0 ? "call-name" : undefined}>
          {labelEnd > start ? (
            <span className="dim">
              <CommandText text={text} start={start} end={labelEnd} />
            </span>
          ) : null}
          <CommandText text={text} start={labelEnd} end={lineEnd} />
        </div>
      ))}
      <div className="call-arguments">
        {read.pieces.map((piece) => (
          <span key={piece.start} className={piece.isTextLine ? "call-text-line" : undefined}>
            <CommandText text={text} start={piece.start} end={piece.end} />
          </span>
        ))}
        {end}
      </div>
    </div>
  );
}
