/** Finds what was likely meant: an entry of an allow list that is one slip away from a tool's name. Pure. */

import type { PolicyFinding } from "../../../../shared/policy/types.ts";

/** @returns the unknown entry whose nearest known name is the tool, or null */
export function likelySlip(findings: readonly PolicyFinding[], tool: string): PolicyFinding | null {
  return (
    findings.find(
      (finding) =>
        finding.kind === "unknown-entry" && finding.suggestion === tool && finding.entries.length > 0,
    ) ?? null
  );
}
