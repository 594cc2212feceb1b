/** What a waiting request can do beside being answered: show what a grant would cover, save one, be edited. */

import type { EditPreview, GrantLifetime, GrantPreview, Reason } from "../../../shared/contract/index.ts";
import type { ExecDecision, Grant } from "../../../shared/exec/index.ts";
import type { Binding } from "./binding.ts";
import type { ApprovalDraft } from "./createApprovals.ts";

/** A changed command as both gates saw it, bound to the files that they saw. */
export interface EditedRun {
  command: string;
  decision: ExecDecision;
  binding: Binding;
}

/** Facts of a request as they are shown, without the machinery behind them. */
export type ShownDraft = Omit<ApprovalDraft, "lifetimeMs" | "storeAlways" | "desk">;

export type EditOutcome =
  | { kind: "refused"; reason: Reason; message: string }
  | {
      kind: "ready";
      outcome: Extract<EditPreview, { kind: "ready" }>["outcome"];
      shown: ShownDraft;
      run: EditedRun;
    };

export interface ApprovalDesk {
  /** @throws AppError NOT_FOUND for a scope that is not offered */
  previewGrant(scopeId: string, lifetime: GrantLifetime): Promise<GrantPreview>;
  /**
   * Saves a grant and proves that the same command would not ask; takes it back when it would.
   * @returns its id
   */
  saveGrant(scopeId: string, lifetime: GrantLifetime, createdBy: string): Promise<string>;
  /** The grants that a scope would store. @throws AppError NOT_FOUND for a scope that is not offered */
  candidate(scopeId: string, lifetime: GrantLifetime): readonly Grant[];
  /** @returns why these grants would not let this request through; null when they would */
  whyNotCovered(candidate: readonly Grant[]): Reason | null;
  /** Runs both gates on another command. Nothing runs, nothing is stored. */
  edit(command: string): Promise<EditOutcome>;
}
