/** What was typed into secret fields of a tab, so that it does not come back through results of scripts and messages. */

import type { Tab } from "../tabs/tab.ts";
import type { ActOutcome } from "./acts.ts";

/** Shorter ones stand in any text by chance. */
const minChars = 4;
const maxKept = 50;
const mask = "••••";

export function rememberSecret({ secrets }: Tab, secret: string): void {
  if (secret.length < minChars) return;
  secrets.add(secret);
  for (const oldest of secrets) {
    if (secrets.size <= maxKept) break;
    secrets.delete(oldest);
  }
}

/** As it was typed, and as it stands in JSON. What a page made of it otherwise is not recognised. */
export function hideSecrets({ secrets }: Tab, text: string): string {
  let shown = text;
  for (const secret of secrets) {
    shown = shown.replaceAll(secret, mask).replaceAll(JSON.stringify(secret).slice(1, -1), mask);
  }
  return shown;
}

/** The texts of an act's outcome that come from the page, without what was typed as a secret. */
export function withoutSecrets<Part extends Pick<ActOutcome, "performed" | "events">>(
  tab: Tab,
  outcome: Part,
): Part {
  if (tab.secrets.size === 0) return outcome;
  const hide = (text: string) => hideSecrets(tab, text);
  const hideOrNull = (text: string | null) => (text === null ? null : hide(text));
  const { performed, events } = outcome;
  return {
    ...outcome,
    performed: {
      ...performed,
      text: hide(performed.text),
      value: hideOrNull(performed.value),
      ...(performed.steps === undefined
        ? {}
        : {
            steps: performed.steps.map((step) => ({
              ...step,
              text: hide(step.text),
              value: hideOrNull(step.value),
            })),
          }),
    },
    events: events.map((event) => ({ ...event, text: hide(event.text) })),
  };
}
