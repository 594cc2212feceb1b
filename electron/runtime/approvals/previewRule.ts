/** Which waiting requests a grant of one of them would let through. Stores nothing, decides nothing (A9, A11). */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { GrantLifetime, RulePreview } from "../../../shared/contract/index.ts";
import { type Answerable, deskOf } from "./answer.ts";

const judgedPerTurn = 20;

/**
 * @param waiting oldest first; `entry` is one of them
 * @throws AppError NOT_FOUND for a scope that the request does not offer
 */
export async function previewRule(
  entry: Answerable,
  waiting: readonly Answerable[],
  scopeId: string,
  lifetime: GrantLifetime,
): Promise<RulePreview> {
  const candidate = deskOf(entry).candidate(scopeId, lifetime);
  const covered: RulePreview["covered"] = [];
  const left: RulePreview["left"] = [];
  for (const [index, { request, desk }] of waiting.entries()) {
    // A burst may be long; the main process has other work.
    if (index % judgedPerTurn === judgedPerTurn - 1) await nextTurn();
    const { id, digest } = request;
    const reason =
      desk === undefined ? { code: "differs.noRule", params: {} } : desk.whyNotCovered(candidate);
    if (reason === null) covered.push({ id, digest });
    else left.push({ id, reason });
  }
  return { covered, left };
}
