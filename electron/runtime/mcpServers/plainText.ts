/** Text of a foreign server as it may be shown or handed on: bounded, nothing in it that one cannot see. */

import { clip } from "../../../shared/files/index.ts";
import { neutralizeMarkers, stripControls, stripInvisible } from "../../../shared/web/index.ts";

/** Longer texts are cut before they are cleaned, so that cleaning stays cheap. */
const workFactor = 4;
/** Format characters, fillers and variation selectors: each can carry text that nobody sees. */
const unseen = /[\p{Cf}\u115F\u1160\u3164\uFFA0]|\u034F|[\uFE00-\uFE0E]|[\u{E0100}-\u{E01EF}]/gu;

/** @returns text without control and invisible characters and without our own markers, at most `maxChars` long */
export function plainText(text: string, maxChars: number): string {
  const clean = neutralizeMarkers(withoutUnseen(clip(text, maxChars * workFactor)));
  return clean.length > maxChars ? `${clip(clean, maxChars - 1)}…` : clean;
}

/** The same on one line: a line break in it must not begin a line that looks like one of ours. */
export function plainLine(text: string, maxChars: number): string {
  return plainText(text.slice(0, maxChars * workFactor).replace(/[\s\u2028\u2029]+/g, " "), maxChars).trim();
}

/** Whether a text holds something that a reader would not see. */
export function hasHidden(text: string): boolean {
  return withoutUnseen(text) !== text;
}

/** Cleans a whole result without cutting it. */
export function withoutUnseen(text: string): string {
  return stripInvisible(stripControls(text.replace(/[\u2028\u2029]/g, "\n"))).replace(unseen, "");
}
