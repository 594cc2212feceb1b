/** Why it asks, in one phrase for the head of the card and for announcements. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";

export function useHeadline(): (request: ApprovalRequest) => string {
  const t = useT("approvals");
  const reason = useReason();
  return (request) => {
    const asking = request.segments?.filter((segment) => segment.verdict === "asks") ?? [];
    const [first] = request.askedBecause;
    const isMiss = first === undefined || first.code === "allowlistMiss";
    if (isMiss && asking.length > 1) {
      return t("asks.parts", { count: asking.length, total: request.segments?.length ?? asking.length });
    }
    const own = asking[0];
    if (first !== undefined && first.code !== "allowlistMiss") return reason(first);
    if (own !== undefined) {
      return reason({
        code: own.reason.code,
        params: { ...own.reason.params, program: own.argv[0] ?? "" },
      });
    }
    return first === undefined ? t("asks.unknown") : reason(first);
  };
}
