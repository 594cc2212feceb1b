/** Sentences for reason codes of the runtime, in the language of the panel. */

import type { Reason } from "../../shared/contract/index.ts";
import { type ReasonForm, reasonText } from "../../shared/text/reasonText.ts";
import { useT } from "./index.ts";

/** @returns `(reason, form)`: a sentence, a few words for a chip, or why "always" is withheld */
export function useReason(): (reason: Reason, form?: ReasonForm) => string {
  const t = useT("reasons");
  return (reason, form = "sentence") => reasonText(t, reason, form);
}
