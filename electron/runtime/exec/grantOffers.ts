/** Which grants a prompt offers, each tried out beforehand: what is offered will not ask again (A11, A12). */

import { randomUUID } from "node:crypto";
import type { GrantLifetime, GrantOffer, Reason } from "../../../shared/contract/index.ts";
import { abilitiesOf } from "../../../shared/exec/explain/explainWords.ts";
import {
  describeGrantScope,
  type ExecDecision,
  type Grant,
  type GrantProposal,
  proposeGrants,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { programsOf } from "../approvals/grantViews.ts";

/** Whose request it is. */
export interface GrantOwner {
  command: string;
  agentId: string;
  sessionKey: string;
  /** Canonical. */
  cwd: string;
}

export interface OfferInput {
  decision: ExecDecision;
  owner: GrantOwner;
  hasEnvOverrides: boolean;
  /** Files that a grant must pin. */
  pins: NonNullable<Grant["pinned"]>;
  hardening: Hardening;
  nowMs: number;
  /** Whether the request would run unasked with these grants beside those that count now. */
  isEnough(grants: readonly Grant[]): boolean;
}

export type GrantOffers =
  | { offers: GrantOffer[]; proposals: ReadonlyMap<string, GrantProposal>; withheld: null }
  | { offers: []; proposals: ReadonlyMap<string, GrantProposal>; withheld: Reason };

/** @returns the narrowest first; `withheld` says why there is none */
export function offerGrants(input: OfferInput): GrantOffers {
  const { decision, owner } = input;
  const none = (code: string): GrantOffers => ({
    offers: [],
    proposals: new Map(),
    withheld: { code: `always.${code}`, params: {} },
  });
  const { effective } = decision;
  if (effective.security.value !== "allowlist") return none("notAllowlistMode");
  if (effective.ask.value === "always" || effective.alwaysAsk.length > 0) return none("askAlways");
  if (input.hasEnvOverrides) return none("envAdded");
  if (decision.obfuscation.length > 0) return none("obfuscation");
  const covered = new Set(
    decision.segments.flatMap((verdict) =>
      verdict.satisfiedBy === "none" || verdict.satisfiedBy === "unevaluated" ? [] : [verdict.segmentIndex],
    ),
  );
  const proposed = proposeGrants(decision.analysis, input.hardening, covered);
  if ("withheld" in proposed) return none(proposed.withheld);
  const proposals = new Map<string, GrantProposal>();
  const offers = proposed.proposals.flatMap((proposal): GrantOffer[] => {
    // The lifetimes differ in who else is covered, never in whether this request is.
    if (!input.isEnough(grantsOf(proposal, { kind: "session" }, owner, "offer", input.nowMs, input.pins)))
      return [];
    proposals.set(proposal.label, proposal);
    return [toOffer(proposal, owner.cwd, input.pins)];
  });
  return offers.length === 0 ? none("nothingWouldMatch") : { offers, proposals, withheld: null };
}

function toOffer(proposal: GrantProposal, cwd: string, pins: OfferInput["pins"]): GrantOffer {
  const programs = [...new Set(proposal.scopes.flatMap(programsOf))];
  return {
    id: proposal.label,
    kind: proposal.label,
    programs,
    stores: proposal.scopes.map(describeGrantScope),
    cwd: proposal.bindsCwd ? cwd : null,
    pinnedFiles: pins.map((file) => file.realPath),
    abilities: [...new Set(programs.flatMap(abilitiesOf))],
  };
}

const minuteMs = 60_000;

/** @returns the grants to be stored for one answer, with one `groupId` */
export function grantsOf(
  proposal: GrantProposal,
  lifetime: GrantLifetime,
  owner: GrantOwner,
  createdBy: string,
  nowMs: number,
  pins: NonNullable<Grant["pinned"]>,
): Grant[] {
  const groupId = randomUUID();
  const isOfSession = lifetime.kind === "session" || lifetime.kind === "minutes";
  return proposal.scopes.map((scope) => ({
    id: randomUUID(),
    groupId,
    madeFor: owner.command,
    scope,
    agentId: lifetime.kind === "allAgents" ? "*" : owner.agentId,
    ...(isOfSession ? { sessionKey: owner.sessionKey } : {}),
    ...(proposal.bindsCwd ? { cwd: owner.cwd } : {}),
    ...(pins.length === 0 ? {} : { pinned: pins }),
    createdAtMs: nowMs,
    ...(lifetime.kind === "minutes" ? { expiresAtMs: nowMs + lifetime.minutes * minuteMs } : {}),
    createdBy,
  }));
}
