/** Who or what decided, and how it ended, in words and shapes (A10). */

import type { ApprovalDecision, Provenance } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import type { VerdictKind } from "../../ui/Verdict.tsx";

export function outcomeShape(decision: ApprovalDecision): VerdictKind {
  switch (decision.outcome) {
    case "allowed-once":
    case "allowed-always":
      return "done";
    case "denied":
      return "denied";
    case "expired":
      return "expired";
    case "cancelled":
      return "skipped";
  }
}

export interface DecisionWords {
  /** One or two words for lists. */
  short: (by: Provenance) => string;
  long: (by: Provenance) => string;
}

export function useDecisionWords(): DecisionWords {
  const t = useT("reasons");
  const reason = useReason();
  return {
    short: (by) =>
      by.kind === "person" && !by.principalId.startsWith("panel")
        ? t("by.personElsewhere", { who: by.principalId })
        : t(`by.${by.kind}`),
    long: (by) => {
      switch (by.kind) {
        case "person":
          return by.principalId.startsWith("panel")
            ? t("by.person")
            : t("by.personElsewhere", { who: by.principalId });
        case "rule":
          return t("by.ruleNamed", { rule: by.ruleId });
        case "expiry":
          return t("by.expiryLong");
        case "system":
          return t("by.systemBecause", { reason: reason(by.reason) });
      }
    },
  };
}
