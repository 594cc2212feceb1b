/** Where keys lead in a row of which one has the focus: a tab list, a radio group. */

/**
 * Arrows go round at the ends.
 * @param at -1 when none of them has the focus
 * @returns null for a key that leads nowhere, and in an empty row
 */
export function rovingIndex(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (Math.max(at, 0) - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
