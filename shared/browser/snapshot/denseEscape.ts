/** Marks that keep page text from looking like structure of the dense format, and take them off again. */

/** What structure begins with, at the start of a line or of a bracket. */
const structureStart = /^(?:[#\-|¶:~+@"{*=^<…]|(?:f\d+)?e\d+(?![\w]))/;

/** Page text anywhere: brackets and the mark itself; in cells also the bar, in options the semicolon. */
export function escapeText(text: string, where: "line" | "cell" | "option"): string {
  let escaped = text.replace(/[\\[\]→~]/g, "\\$&");
  if (where === "cell") escaped = escaped.replaceAll("|", "\\|");
  if (where === "option") escaped = escaped.replace(/[;|]/g, "\\$&");
  return escaped;
}

/** Page text with which a line or a bracket begins. */
export function escapeStart(escaped: string): string {
  return structureStart.test(escaped) ? `\\${escaped}` : escaped;
}

/** A name in quotes; brackets and separators in it are marked too, so that one can be read without the other. */
export function quoteName(name: string): string {
  return `"${name.replace(/[\\"[\]|;]/g, "\\$&")}"`;
}

export function unescapeText(text: string): string {
  return text.replace(/\\(.)/gsu, "$1");
}
