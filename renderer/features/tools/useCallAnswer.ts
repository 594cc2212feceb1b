/** Follows one call that was started here: live while it runs, with its result when it has ended. */

import { useEffect, useState } from "react";
import type { ToolCallSnapshot } from "../../../shared/contract/index.ts";
import type { PanelOutput } from "../../rpc/connection.ts";
import { useLive, useRpc } from "../../rpc/hooks.ts";

type Answer = PanelOutput<"calls.wait">;

export interface CallAnswer {
  call: ToolCallSnapshot | undefined;
  /** null until the call has ended. */
  answer: Answer | null;
  /** Why the result could not be read. */
  error: string | null;
}

/** @param callId null: none was started yet */
export function useCallAnswer(callId: string | null): CallAnswer {
  const rpc = useRpc();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const live = useLive((state) => (callId === null ? undefined : state.calls.get(callId)));
  useEffect(() => {
    setAnswer(null);
    setError(null);
    if (callId === null) return;
    const abort = new AbortController();
    rpc
      .call("calls.wait", { toolCallId: callId }, { signal: abort.signal })
      .then(setAnswer, (thrown: unknown) => {
        if (!abort.signal.aborted) setError(thrown instanceof Error ? thrown.message : String(thrown));
      });
    return () => abort.abort();
  }, [rpc, callId]);
  return { call: answer?.call ?? live, answer, error };
}
