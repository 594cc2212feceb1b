/** A rule over a burst before it is saved: what it stores, which waiting requests it covers, and which not (A9, A11). */

import { useEffect, useMemo, useRef, useState } from "react";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useViewKeys } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Picker } from "../../ui/Picker.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { StoredGrant } from "./AlwaysPanel.tsx";
import { RuleRows } from "./RuleRows.tsx";
import type { RuleChoice, RuleProposal } from "./ruleProposals.ts";
import { ScopeChooser } from "./ScopeChooser.tsx";
import { useActivationGuard } from "./useActivationGuard.ts";
import "./rules.css";
import "./scope.css";

export interface RulePreviewPanelProps {
  pending: readonly ApprovalRequest[];
  /** At least one, the largest group first. */
  proposals: readonly RuleProposal[];
  isBusy: boolean;
  onClose: () => void;
  /** @param others allowed once beside `source`, each by its own digest */
  onSave: (source: ApprovalRequest, choice: RuleChoice, others: ApprovalRequest[]) => void;
}

export function RulePreviewPanel({ pending, proposals, isBusy, onClose, onSave }: RulePreviewPanelProps) {
  const t = useT("approvals");
  const ref = useRef<HTMLElement>(null);
  useActivationGuard(ref);
  useEffect(() => ref.current?.focus(), []);
  useViewKeys({ Escape: { label: t("rule.keys.close"), run: onClose } });
  const [sourceId, setSourceId] = useState(proposals[0]?.source.id ?? "");
  const [chosen, setChosen] = useState<RuleChoice | null>(null);
  const proposal = proposals.find((one) => one.source.id === sourceId) ?? null;
  return (
    <section ref={ref} className="rule-panel" aria-label={t("rule.title")} tabIndex={-1}>
      <header className="row">
        <h3 className="grow">{t("rule.title")}</h3>
        {proposals.length > 1 || proposal === null ? (
          <Picker
            label={t("rule.from")}
            value={sourceId}
            options={proposals.map(({ source, count }) => ({
              value: source.id,
              label: source.command.slice(0, shownLength),
              hint: t("rule.ofGroup", { count }),
            }))}
            onChange={(id) => {
              setSourceId(id);
              setChosen(null);
            }}
          />
        ) : null}
        <Button onClick={onClose}>{t("rule.close")}</Button>
      </header>
      {proposal === null ? (
        <p role="status">{t("rule.gone")}</p>
      ) : (
        <OneRule
          // Another rule covers other rows: they are read anew.
          key={proposal.source.id}
          source={proposal.source}
          choice={chosen ?? proposal.choice}
          pending={pending}
          isBusy={isBusy}
          onChoose={setChosen}
          onSave={onSave}
        />
      )}
    </section>
  );
}

const shownLength = 60;

interface OneRuleProps extends Pick<RulePreviewPanelProps, "pending" | "isBusy" | "onSave"> {
  source: ApprovalRequest;
  choice: RuleChoice;
  onChoose: (choice: RuleChoice) => void;
}

function OneRule({ source, choice, pending, isBusy, onChoose, onSave }: OneRuleProps) {
  const t = useT("approvals");
  const { scope, lifetime } = choice;
  const { data, error, refetch } = useQueryRpc(
    "approvals.previewRule",
    { id: source.id, scopeId: scope.id, lifetime },
    { staleTimeMs: 0 },
  );
  const arrivals = useMemo(() => pending.map(({ id }) => id).join(" "), [pending]);
  const judged = useRef(arrivals);
  useEffect(() => {
    if (judged.current === arrivals) return;
    const timer = setTimeout(() => {
      judged.current = arrivals;
      void refetch();
    }, settleMs);
    return () => clearTimeout(timer);
  }, [arrivals, refetch]);
  return (
    <>
      <div className="scope-panel">
        <ScopeChooser
          request={withoutEntries(source)}
          choice={choice}
          onChoose={(next) => {
            if (next.kind === "grant") onChoose(next);
          }}
        />
        <div className="rule-stores">
          <StoredGrant request={source} choice={choice} />
        </div>
      </div>
      {error !== null && data === undefined ? (
        <ErrorState title={t("rule.failed")} error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <RuleRows
          key={`${scope.id} ${JSON.stringify(lifetime)}`}
          preview={data}
          source={source}
          pending={pending}
          isBusy={isBusy}
          onSave={(others) => onSave(source, choice, others)}
        />
      )}
    </>
  );
}

/** Requests of a burst arrive one by one; judging all of them once is enough. */
const settleMs = 400;

/** An entry of the approvals file lets any arguments through: no rule to put over a burst. */
function withoutEntries(request: ApprovalRequest): ApprovalRequest {
  const { always } = request;
  return always.kind === "offered" ? { ...request, always: { ...always, stores: [] } } : request;
}
