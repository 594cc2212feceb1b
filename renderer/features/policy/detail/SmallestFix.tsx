/** The smallest verified edit that brings a tool back, beside the cell that took it away. */

import type { ConfigEdit, PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { useQueryRpc } from "../../../rpc/hooks.ts";
import { Button, VerdictShape } from "../../../ui/index.ts";
import type { Semantics } from "../model/semantics.ts";
import { askedAgent, sideEffects } from "../model/sideEffects.ts";
import { Rich } from "../Rich.tsx";
import type { Subject } from "../source/subject.ts";
import { askedConfig } from "../usePolicyTrace.ts";
import { useSettled } from "../useSettled.ts";
import { EffectText } from "../why/EffectText.tsx";
import { RepairDiff } from "../why/RepairDiff.tsx";

/** Arrow keys run over many rows; only one that is stayed on is asked about. */
const settleMs = 180;

export function SmallestFix(props: {
  tool: string;
  context: PolicyContext;
  semantics: Semantics;
  subject: Subject;
  onPropose: (edits: readonly ConfigEdit[], isReviewing: boolean) => void;
}) {
  const t = useT("policy");
  const { subject } = props;
  const tool = useSettled(props.tool, settleMs);
  const asked = useQueryRpc(
    "policy.why",
    {
      tool,
      context: props.context,
      ...askedConfig({
        semantics: props.semantics,
        configText: subject.kind === "file" ? subject.text : undefined,
      }),
    },
    { enabled: tool === props.tool },
  );
  const answer = asked.data?.answer;
  if (answer === undefined || answer.name !== props.tool) return null;
  const [repair] = answer.repairs;
  if (repair === undefined) {
    return (
      <p className="second policy-fix">
        <VerdictShape kind="skipped" />
        <span>{t("missing.noRepair")}</span>
      </p>
    );
  }
  const effects = sideEffects(repair, {
    tool: answer.name,
    agent: askedAgent(subject.config, props.context.agentId),
    isKept: false,
  });
  return (
    <section className="policy-fix-block" aria-label={t("detail.smallestFix")}>
      <div className="policy-fix">
        <VerdictShape kind="kept" />
        <div>
          <strong>{t("detail.smallestFix")}</strong>
          {repair.takesFrom.length === 0 ? null : (
            <p className="second tone-stop">{t("missing.takesFrom", { count: repair.takesFrom.length })}</p>
          )}
          <p className="second">
            {effects.isClean ? (
              <Rich t={t} k="missing.onlyThis" values={{ tool: answer.name }} />
            ) : (
              <EffectText effects={effects} />
            )}
          </p>
        </div>
      </div>
      <RepairDiff text={subject.text} edits={repair.edits} />
      <div className="row">
        <Button look="filled" size="small" onClick={() => props.onPropose(repair.edits, true)}>
          {t("missing.review")}
        </Button>
        <Button size="small" onClick={() => props.onPropose(repair.edits, false)}>
          {t("missing.try")}
        </Button>
      </div>
    </section>
  );
}
