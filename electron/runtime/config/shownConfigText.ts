/** A text of openclaw.json, or a part of one, as records may hold it. */

import { parseJson5 } from "../../../shared/json5/json5Document.ts";
import { redact } from "./redaction.ts";

/** @returns the text without its secrets; its length only where that cannot be proven */
export function shownConfigText(text: string): string {
  const parsed = parseJson5(text, { path: "" });
  const shown = parsed.ok ? redact(parsed.document).raw : null;
  return shown ?? `(${text.length} characters)`;
}
