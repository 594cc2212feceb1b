/** What was typed into secret fields of a tab, so that it does not come back through results of scripts and messages. */

import { hideSecretsIn } from "../records/hideSecrets.ts";
import type { Tab } from "../tabs/tab.ts";
import type { ActOutcome } from "./acts.ts";

/** Shorter ones stand in any text by chance. */
const minChars = 4;
const maxKept = 50;

export function rememberSecret({ secrets }: Tab, secret: string): void {
  if (secret.length < minChars) return;
  secrets.add(secret);
  for (const oldest of secrets) {
    if (secrets.size <= maxKept) break;
    secrets.delete(oldest);
  }
}

/** The texts of an act's outcome that come from the page, without what was typed as a secret. */
export function withoutSecrets<Part extends Pick<ActOutcome, "performed" | "events">>(
  tab: Tab,
  outcome: Part,
): Part {
  if (tab.secrets.size === 0) return outcome;
  const hide = (text: string) => hideSecretsIn(text, tab.secrets);
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
