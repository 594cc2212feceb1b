/** Stops a flood at its source: pauses an agent that has requests waiting, the busiest one first. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { PlainText } from "./CommandText.tsx";
import { usePauses } from "./usePauses.ts";

/** @returns agents by the number of their waiting requests, the paused ones left out */
export function usePausableAgents(pending: readonly ApprovalRequest[]): string[] {
  const paused = new Set(usePauses().map((pause) => pause.agentId));
  const counts = new Map<string, number>();
  for (const { agentId } of pending) counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
  return [...counts]
    .filter(([agentId]) => !paused.has(agentId))
    .sort((a, b) => b[1] - a[1])
    .map(([agentId]) => agentId);
}

export function PauseAgent({ agentId }: { agentId: string }) {
  const t = useT("approvals");
  const pause = useMutationRpc("approvals.pauseAgent");
  return (
    <>
      <Button title={t("pause.hint")} disabled={pause.isPending} onClick={() => pause.mutate({ agentId })}>
        <PlainText text={t("pause.act", { agent: agentId })} />
      </Button>
      {pause.isError ? (
        <span className="tone-stop second" role="alert">
          {t("pause.failed")}
        </span>
      ) : null}
    </>
  );
}
