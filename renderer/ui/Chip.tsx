/** A short word in a box: counts, variable parts, marks. For states use VerdictChip. */

import type { ReactNode } from "react";
import type { Tone } from "./Verdict.tsx";

export function Chip({ tone = "none", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`chip chip-filled tone-${tone} bg-${tone}`}>{children}</span>;
}
