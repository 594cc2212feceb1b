/** Which rules a burst suggests: one per group, made from a request of it that says nothing unusual. */

import type { ApprovalRequest, GrantLifetime, GrantOffer } from "../../../shared/contract/index.ts";
import type { BurstGroup } from "./burstGroups.ts";
import { scopesOf } from "./useAlways.ts";

export interface RuleChoice {
  kind: "grant";
  scope: GrantOffer;
  lifetime: GrantLifetime;
}

export interface RuleProposal {
  /** Saving the rule answers this request, as "Always" on its card would. */
  source: ApprovalRequest;
  /** How many of its group wait. */
  count: number;
  choice: RuleChoice;
}

/** @returns the largest group first; none when no waiting request offers a grant */
export function proposeRules(groups: readonly BurstGroup[]): RuleProposal[] {
  return groups
    .flatMap((group): RuleProposal[] => {
      // What carries a warning is decided on its own card, where the warning is spelled out.
      const source = group.rows.find(
        ({ oddity, request }) =>
          oddity === null && request.warnings.length === 0 && scopesOf(request).length > 0,
      )?.request;
      const choice = source === undefined ? null : narrowChoice(source, group);
      return source === undefined || choice === null ? [] : [{ source, count: group.rows.length, choice }];
    })
    .sort((a, b) => b.count - a.count);
}

/** The narrowest scope that can cover more than one of the group: one free word, or the very same command. */
function narrowChoice(source: ApprovalRequest, group: BurstGroup): RuleChoice | null {
  const scopes = scopesOf(source);
  const shape = group.isIdentical ? undefined : scopes.find((scope) => scope.kind === "argumentShape");
  const scope = shape ?? scopes[0];
  return scope === undefined ? null : { kind: "grant", scope, lifetime: { kind: "session" } };
}
