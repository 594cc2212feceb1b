/** The text of a request that changes files, line by line, with what comes and what goes told by sign and colour. */

import { type ReactNode, useMemo } from "react";
import { changeLines } from "../../../shared/files/changeLines.ts";
import { CommandText } from "./CommandText.tsx";

export function ChangeText({ text, end }: { text: string; end: ReactNode }) {
  const lines = useMemo(() => changeLines(text), [text]);
  return (
    <div className="change-text">
      {lines.map((line, index) => (
        <span key={line.start} className={`change-line change-${line.kind}`}>
          <CommandText text={text} start={line.start} end={line.end} />
          {index === lines.length - 1 ? end : null}
        </span>
      ))}
    </div>
  );
}
