/** Why a decision was not taken: a sentence beside the request, never a silent nothing (A6). */

import { useT } from "../../i18n/index.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import type { DecidePhase } from "./useDecide.ts";

export function Refusal({ phase }: { phase: DecidePhase }) {
  const t = useT("approvals");
  return (
    <div role="alert" className="refusal">
      {phase.kind === "refused" ? (
        <>
          <p className="row">
            <VerdictShape kind="denied" />
            <strong>{t(`refused.${phase.why}`)}</strong>
          </p>
          {phase.why === "other" ? <p className="second">{phase.message}</p> : null}
        </>
      ) : null}
    </div>
  );
}
