/** Finds what was likely meant: an entry of an allow list that is one slip away from a tool's name. Pure. */

import type { PolicyFinding, PolicyTrace } from "../../../../shared/policy/types.ts";

/** @returns the unknown entry whose nearest known name is the tool, or null */
export function likelySlip(trace: PolicyTrace, tool: string): PolicyFinding | null {
  return (
    trace.result.findings.find(
      (finding) =>
        finding.kind === "unknown-entry" && finding.suggestion === tool && finding.entries.length > 0,
    ) ?? null
  );
}

/** @returns the known name nearest to a typed one: same start or contained; null when none is near */
export function nearestName(names: readonly string[], typed: string): string | null {
  const needle = typed.toLowerCase();
  const scored = names
    .map((name) => ({ name, score: sharedStart(name.toLowerCase(), needle) }))
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  return best !== undefined && best.score >= Math.min(3, needle.length) ? best.name : null;
}

function sharedStart(a: string, b: string): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}
