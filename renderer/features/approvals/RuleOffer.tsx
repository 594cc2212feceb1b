/** Under the table of a burst: how many of the waiting requests a narrow rule would answer, and the way to look at it. */

import type { Ref } from "react";
import { Trans } from "react-i18next";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { useSettled } from "../policy/useSettled.ts";
import { GrantWords } from "./GrantStores.tsx";
import type { RuleProposal } from "./ruleProposals.ts";

export interface RuleOfferProps {
  pending: readonly ApprovalRequest[];
  /** Of the largest group. */
  proposal: RuleProposal;
  isBusy: boolean;
  onOpen: () => void;
  ref: Ref<HTMLButtonElement>;
}

const settleMs = 800;
/** Judging more of them again and again would cost more than the number is worth; the preview itself judges all. */
const countedAtMost = 100;

export function RuleOffer({ pending, proposal, isBusy, onOpen, ref }: RuleOfferProps) {
  const t = useT("approvals");
  const { source, choice } = proposal;
  const { scope, lifetime } = choice;
  const settledId = useSettled(source.id, settleMs);
  const { data } = useQueryRpc(
    "approvals.previewRule",
    { id: source.id, scopeId: scope.id, lifetime },
    { enabled: settledId === source.id && pending.length <= countedAtMost, staleTimeMs: 5_000 },
  );
  const ids = new Set(pending.map(({ id }) => id));
  const count = data?.covered.filter(({ id }) => ids.has(id)).length ?? 0;
  const [parts] = scope.stores;
  return (
    <>
      {count > 1 && parts !== undefined ? (
        <span className="second">
          <Trans
            t={t}
            i18nKey="rule.offer"
            count={count}
            components={{ words: <GrantWords parts={parts} programs={scope.programs} /> }}
          />
        </span>
      ) : null}
      <Button ref={ref} disabled={isBusy} onClick={onOpen}>
        {t("rule.preview")}
      </Button>
    </>
  );
}
