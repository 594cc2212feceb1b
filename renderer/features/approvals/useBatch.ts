/** Decides several requests one by one, each by its own id and digest. */

import { useCallback, useRef, useState } from "react";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useRpc } from "../../rpc/hooks.ts";

export interface BatchResult {
  kind: "allowed" | "denied" | "partly";
  count: number;
  /** Requests that were decided, expired or changed before their turn. */
  failed: number;
}

export interface Batch {
  isBusy: boolean;
  /** What the last batch did. */
  said: BatchResult | null;
  run: (decision: "allow-once" | "deny", requests: readonly ApprovalRequest[]) => Promise<void>;
}

export function useBatch(): Batch {
  const rpc = useRpc();
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState<BatchResult | null>(null);
  const running = useRef(false);
  const run = useCallback<Batch["run"]>(
    async (decision, requests) => {
      if (running.current || requests.length === 0) return;
      running.current = true;
      setIsBusy(true);
      let count = 0;
      let failed = 0;
      for (const { id, digest } of requests) {
        try {
          await rpc.call("approvals.resolve", { id, digest, decision });
          count += 1;
        } catch {
          // It left or changed while its neighbours were decided; the sentence below says how many did.
          failed += 1;
        }
      }
      running.current = false;
      setIsBusy(false);
      setSaid({ kind: failed > 0 ? "partly" : decision === "deny" ? "denied" : "allowed", count, failed });
    },
    [rpc],
  );
  return { isBusy, said, run };
}
