/** The lines of the config that a repair changes; without a text, the edits as sentences. */

import { useMemo } from "react";
import { editText } from "../../../../shared/policy/debug/index.ts";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { editLines } from "../model/lineDiff.ts";

export function RepairDiff({ text, edits }: { text: string | null; edits: readonly ConfigEdit[] }) {
  const lines = useMemo(() => (text === null ? null : editLines(text, edits)), [text, edits]);
  return (
    <div className="policy-edits">
      {lines === null
        ? edits.map((edit) => (
            <div key={editText(edit)} className="policy-diff is-plus">
              <span />
              <span />
              <span>{editText(edit)}</span>
            </div>
          ))
        : lines.map(({ sign, line, text: content }) => (
            <div
              key={`${sign}${line}${content}`}
              className={sign === "+" ? "policy-diff is-plus" : "policy-diff is-minus"}
            >
              <span className="policy-diff-no">{line}</span>
              <span>{sign}</span>
              <span>{content}</span>
            </div>
          ))}
    </div>
  );
}
