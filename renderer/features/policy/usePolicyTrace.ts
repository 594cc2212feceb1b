/** Asks for trace and findings of a context and hands them out in the form the views read. */

import { useMemo } from "react";
import type { FileProblem } from "../../../shared/contract/index.ts";
import type { PolicyContext, PolicyFinding, PolicyTrace } from "../../../shared/policy/types.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import type { Positions } from "./model/matrixModel.ts";
import { presetOf, type Semantics } from "./model/semantics.ts";

export interface TraceView {
  trace: PolicyTrace;
  /** Those of the engine, and slips that no stage notices. */
  findings: readonly PolicyFinding[];
  positions: Positions;
  problems: FileProblem[];
  evaluatedInMs: number;
  /** What the config answered for a sandbox that the context leaves open. */
  sandboxFromConfig: boolean | undefined;
}

export interface TraceQuery {
  context: PolicyContext;
  semantics: Semantics;
  /** A config to evaluate instead of the saved one. */
  configText?: string | undefined;
}

/** The part of a question that names config and semantics, as every policy method takes it. */
export function askedConfig({ semantics, configText }: Omit<TraceQuery, "context">) {
  const preset = presetOf(semantics);
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(configText === undefined ? {} : { configText }),
  };
}

/** @returns the last answer, kept while the next one is on its way, and the error of the newest question */
export function usePolicyTrace(
  query: TraceQuery,
  isEnabled = true,
): { view: TraceView | null; error: Error | null; isStale: boolean; retry: () => void } {
  const input = { context: query.context, ...askedConfig(query) };
  const result = useQueryRpc("policy.trace", input, { keepPrevious: true, enabled: isEnabled });
  const found = useQueryRpc("policy.findings", input, { keepPrevious: true, enabled: isEnabled });
  const { data } = result;
  const view = useMemo(
    (): TraceView | null =>
      data === undefined
        ? null
        : {
            trace: data.trace,
            findings: found.data?.findings ?? data.trace.result.findings,
            positions: new Map(
              Object.entries({
                ...(found.isPlaceholderData ? {} : found.data?.positions),
                ...data.positions,
              }),
            ),
            problems: data.problems,
            evaluatedInMs: data.evaluatedInMs,
            sandboxFromConfig: data.sandboxFromConfig,
          },
    [data, found.data, found.isPlaceholderData],
  );
  return {
    view,
    error: result.error,
    isStale: result.isPlaceholderData,
    retry: () => void result.refetch(),
  };
}
