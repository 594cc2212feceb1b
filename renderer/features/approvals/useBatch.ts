/** Decides several requests one by one, each by its own id and digest; a rule is saved with one of them. */

import { useCallback, useRef, useState } from "react";
import type { ApprovalRequest, GrantLifetime } from "../../../shared/contract/index.ts";
import { useRpc } from "../../rpc/hooks.ts";

export interface BatchResult {
  /** `ruleSaved`: with one request; the others were allowed once. `ruleRefused`: nothing was saved or allowed. */
  kind: "allowed" | "denied" | "partly" | "ruleSaved" | "ruleRefused";
  count: number;
  /** Requests that were decided, expired or changed before their turn. */
  failed: number;
}

export interface Batch {
  isBusy: boolean;
  /** What the last batch did. */
  said: BatchResult | null;
  run: (decision: "allow-once" | "deny", requests: readonly ApprovalRequest[]) => Promise<void>;
  /** Saves a grant as "Always" of `source` does, then allows `others` once; nothing at all when it is refused. */
  saveRule: (
    source: ApprovalRequest,
    grant: { scopeId: string; lifetime: GrantLifetime },
    others: readonly ApprovalRequest[],
  ) => Promise<void>;
}

export function useBatch(): Batch {
  const rpc = useRpc();
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState<BatchResult | null>(null);
  const running = useRef(false);
  const decideEach = useCallback(
    async (decision: "allow-once" | "deny", requests: readonly ApprovalRequest[]) => {
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
      return { count, failed };
    },
    [rpc],
  );
  const once = useCallback(async (work: () => Promise<BatchResult>) => {
    if (running.current) return;
    running.current = true;
    setIsBusy(true);
    const result = await work();
    running.current = false;
    setIsBusy(false);
    setSaid(result);
  }, []);
  const run = useCallback<Batch["run"]>(
    async (decision, requests) => {
      if (requests.length === 0) return;
      await once(async () => {
        const { count, failed } = await decideEach(decision, requests);
        return { kind: failed > 0 ? "partly" : decision === "deny" ? "denied" : "allowed", count, failed };
      });
    },
    [once, decideEach],
  );
  const saveRule = useCallback<Batch["saveRule"]>(
    ({ id, digest }, grant, others) =>
      once(async () => {
        try {
          await rpc.call("approvals.resolve", { id, digest, decision: "allow-always", grant });
        } catch {
          // The request left or changed, or the rule would not have helped: the sentence says that nothing was done.
          return { kind: "ruleRefused", count: 0, failed: others.length + 1 };
        }
        const { count, failed } = await decideEach("allow-once", others);
        return { kind: "ruleSaved", count: count + 1, failed };
      }),
    [once, decideEach, rpc],
  );
  return { isBusy, said, run, saveRule };
}
