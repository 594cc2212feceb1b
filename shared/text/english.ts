/** English sentences for codes. The terminal speaks them, and they are the English of the panel: one text, two readers. */

import i18next from "i18next";
import type { Reason } from "../contract/index.ts";
import reasons from "./reasons.en.json" with { type: "json" };
import { type ReasonForm, reasonText, type Translate } from "./reasonText.ts";

/** English catalogues by area that more than the panel reads. */
export const sharedEnglish = { reasons };

let known: Translate | null = null;

/** Made on first use: most commands print no reason. */
function english(): Translate {
  if (known !== null) return known;
  const instance = i18next.createInstance();
  void instance.init({
    resources: { en: sharedEnglish },
    lng: "en",
    fallbackLng: "en",
    defaultNS: "reasons",
    ns: ["reasons"],
    interpolation: { escapeValue: false },
    returnNull: false,
    initAsync: false,
    nsSeparator: false,
  });
  known = instance.getFixedT("en", "reasons");
  return known;
}

/**
 * @param reason values may be words of an agent: a terminal has to make the result harmless
 * @returns a part of a sentence that starts small; whole sentences for `absent.…`
 */
export function englishReason(reason: Reason, form: ReasonForm = "sentence"): string {
  return reasonText(english(), reason, form);
}

/**
 * @param key of the catalogue of reasons, for example `outcome.allowed-once`
 * @returns the text; the last part of the key when there is none
 */
export function englishText(key: string, values: Record<string, unknown> = {}): string {
  return english()(key, { defaultValue: key.slice(key.lastIndexOf(".") + 1), ...values });
}

/** @param key of the catalogue of reasons */
export function hasEnglish(key: string): boolean {
  return english()(key, { defaultValue: "" }) !== "";
}
