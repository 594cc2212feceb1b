/** Characters that a reader does not see and that carry hidden text. */

const invisible = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u206A-\u206F\uFEFF]|[\u{E0000}-\u{E007F}]/gu;

/** @returns the text without zero-width, direction and tag characters */
export function stripInvisible(text: string): string {
  return text.replace(invisible, "");
}

/** Control characters have no meaning in text for a model; tab and line breaks do. */
export function stripControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u0080-\u009F]/g, "");
}
