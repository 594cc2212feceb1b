/** While a text cannot be read, the last one that could stays in force, so that the matrix does not flicker away. */

import { useEffect, useMemo, useState } from "react";
import { parseJson5 } from "../../../../shared/json5/json5Document.ts";
import type { EditorProblem } from "./TextEditor.tsx";

export interface ReadableText {
  text: string;
  /** The parsed document. */
  value: unknown;
  /** Why the newest text is not the one in force. */
  problem: EditorProblem | null;
}

export function useLastReadable(text: string): ReadableText {
  const [last, setLast] = useState<{ text: string; value: unknown }>({ text, value: null });
  const parsed = useMemo(() => parseJson5(text, { path: "openclaw.json" }), [text]);
  useEffect(() => {
    if (parsed.ok) setLast({ text, value: parsed.document.value });
  }, [text, parsed]);
  if (parsed.ok) return { text, value: parsed.document.value, problem: null };
  const { line, column, message } = parsed.problem;
  return { ...last, problem: { line: line ?? 1, column: column ?? 1, message } };
}
