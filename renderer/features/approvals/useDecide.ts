/** Sends a decision for exactly what was shown (A6) and keeps what came of it. */

import { useCallback, useState } from "react";
import type { ApprovalDecision, ApprovalRequest, GrantLifetime } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { useRpc } from "../../rpc/hooks.ts";

export type DecisionKind = "allow-once" | "allow-always" | "deny";

export interface DecideExtra {
  note?: string;
  /** With allow-always: a grant of our own in the place of an entry. */
  grant?: { scopeId: string; lifetime: GrantLifetime };
}

export type DecidePhase =
  | { kind: "open" }
  | { kind: "deciding"; decision: DecisionKind }
  | { kind: "decided"; decision: ApprovalDecision }
  /** The runtime did not take it: nothing was changed. */
  | { kind: "refused"; why: "gone" | "stale" | "busy" | "forbidden" | "lost" | "other"; message: string };

export function useDecide(
  request: ApprovalRequest,
  onDecided: (decision: ApprovalDecision) => void,
): { phase: DecidePhase; decide: (decision: DecisionKind, extra?: DecideExtra) => void } {
  const rpc = useRpc();
  const [phase, setPhase] = useState<DecidePhase>({ kind: "open" });
  const isBusy = phase.kind === "deciding" || phase.kind === "decided";
  const { id, digest, command, editedFrom } = request;
  const decide = useCallback(
    (decision: DecisionKind, extra: DecideExtra = {}) => {
      if (isBusy) return;
      setPhase({ kind: "deciding", decision });
      rpc
        .call("approvals.resolve", {
          id,
          digest,
          decision,
          ...extra,
          ...(editedFrom === undefined || decision === "deny" ? {} : { editedCommand: command }),
        })
        .then((decided) => {
          setPhase({ kind: "decided", decision: decided });
          onDecided(decided);
        })
        .catch((error: unknown) => setPhase(refusal(error)));
    },
    [rpc, id, digest, command, editedFrom, isBusy, onDecided],
  );
  return { phase, decide };
}

function refusal(error: unknown): DecidePhase {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof AppError)) return { kind: "refused", why: "other", message };
  const code = typeof error.data?.reason === "string" ? error.data.reason : "";
  const why =
    error.code === "NOT_FOUND"
      ? "gone"
      : code === "APPROVAL_STALE" || code === "DIGEST_REQUIRED"
        ? "stale"
        : code === "APPROVAL_BUSY"
          ? "busy"
          : error.code === "FORBIDDEN"
            ? "forbidden"
            : error.code === "UNAVAILABLE"
              ? "lost"
              : "other";
  return { kind: "refused", why, message };
}
