/** Names of files as pages suggest them, made harmless. */

const maxNameChars = 200;

/** @returns a base name without separators, control characters and leading dots; `download` when nothing is left */
export function safeFileName(suggested: string): string {
  const base = suggested.split(/[/\\]/).at(-1) ?? "";
  const clean = base
    .replace(/[\u0000-\u001F\u007F\u200B-\u200F\u202A-\u202E\u2060-\u2069<>:"|?*]/g, "")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  if (clean === "") return "download";
  if (clean.length <= maxNameChars) return clean;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(clean)?.[0] ?? "";
  return (
    Array.from(clean)
      .slice(0, maxNameChars - ending.length)
      .join("") + ending
  );
}
