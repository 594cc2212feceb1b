/** The saved promises about the policy, and their proof or refutation against a config. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { PanelOutput } from "../../../rpc/connection.ts";
import { useQueryRpc, useRpcEvent } from "../../../rpc/hooks.ts";
import { askedConfig, type TraceQuery } from "../usePolicyTrace.ts";

export type AssertionCheck = PanelOutput<"policy.check">;
export type AssertionResult = AssertionCheck["results"][number];
export type RefutedAssertion = Extract<AssertionResult, { kind: "refuted" }>;

export function refutedOf(check: AssertionCheck | null): RefutedAssertion[] {
  return (check?.results ?? []).filter((result) => result.kind === "refuted");
}

/** The text as saved; read again whenever it or the config was checked anew. */
export function useSavedAssertions() {
  const queryClient = useQueryClient();
  useRpcEvent(
    "policy.assertionsChecked",
    useCallback(
      () =>
        void queryClient.invalidateQueries({
          predicate: ({ queryKey: [method] }) =>
            method === "policy.assertions.get" || method === "policy.check",
        }),
      [queryClient],
    ),
  );
  return useQueryRpc("policy.assertions.get", {});
}

/** @param assertions absent: the saved ones */
export function useAssertionCheck(
  query: Omit<TraceQuery, "context"> & { assertions?: string | undefined },
  isEnabled = true,
) {
  return useQueryRpc(
    "policy.check",
    { ...askedConfig(query), ...(query.assertions === undefined ? {} : { assertions: query.assertions }) },
    { keepPrevious: true, enabled: isEnabled },
  );
}
