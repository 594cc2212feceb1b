/** Why a grant made for another request would not let this waiting one through. */

import type { Reason } from "../../../shared/contract/index.ts";
import {
  type AnalyzeOptions,
  type ExecDecision,
  type Grant,
  grantDifference,
} from "../../../shared/exec/index.ts";
import type { Binding } from "../approvals/binding.ts";
import { grantsWithChangedFiles } from "./grantPins.ts";
import { isLetThrough, placeDifference, withoutPlace } from "./grantPreview.ts";

export interface RuleCoverageInput {
  candidate: readonly Grant[];
  /** Grants that count now. */
  present: readonly Grant[];
  /** The waiting request. */
  waiting: { agentId: string; sessionKey: string; cwd: string; hasEnv: boolean; binding: Binding };
  /** Judges the waiting request with these grants; null when it could not run at all. */
  judgeWith(grants: readonly Grant[]): ExecDecision | null;
  options: AnalyzeOptions;
}

/** @returns null when the grant would let it through */
export function whyNotCovered(input: RuleCoverageInput): Reason | null {
  const { candidate, present, waiting, judgeWith } = input;
  const ids = new Set(candidate.map((grant) => grant.id));
  const decision = judgeWith([...present, ...candidate]);
  if (decision === null) return { code: "differs.other", params: {} };
  if (isLetThrough(decision, ids)) {
    const [changed] = grantsWithChangedFiles(decision, waiting.binding, candidate).values();
    return changed === undefined ? null : { code: "grantFileChanged", params: { path: changed } };
  }
  if (decision.outcome === "allow") return { code: "differs.passesAlready", params: {} };
  const relaxed = judgeWith([...present, ...candidate.map(withoutPlace)]);
  if (waiting.hasEnv || (relaxed !== null && isLetThrough(relaxed, ids))) {
    const place = placeDifference(candidate, waiting);
    if (place !== null) return place;
  }
  const difference = grantDifference(
    candidate.map((grant) => grant.scope),
    decision.analysis,
    input.options,
  );
  if (difference === null) return { code: "differs.program", params: {} };
  return { code: `differs.${difference.code}`, params: { word: difference.word } };
}
