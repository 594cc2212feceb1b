/** Which agents are paused now; follows changes from the terminal and other windows. */

import { useCallback } from "react";
import type { AgentPause } from "../../../shared/contract/index.ts";
import { useQueryRpc, useRpcEvent } from "../../rpc/hooks.ts";

/** @returns none until the list was read */
export function usePauses(): readonly AgentPause[] {
  const { data, refetch } = useQueryRpc("approvals.pauses", {});
  useRpcEvent(
    "approvals.pausesChanged",
    useCallback(() => void refetch(), [refetch]),
  );
  return data?.paused ?? [];
}
