/** Numbers of processes in few letters: sizes, rates, ages. Units are the same in every language. */

/** @returns `312 B`, `41 kB`, `104 MB` */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`;
  if (bytes < 1_000_000) return `${short(bytes / 1_000)} kB`;
  if (bytes < 1_000_000_000) return `${short(bytes / 1_000_000)} MB`;
  return `${short(bytes / 1_000_000_000)} GB`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

/** @returns `0:31`, `14:02`, `6 h`, `3 d` */
export function ageText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Thin spaces between thousands read alike in both languages. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/gu, "\u2009");
}
