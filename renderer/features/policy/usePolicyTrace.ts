/** Asks for the trace of a context and hands it out in the form the views read. */

import { useMemo } from "react";
import type { FileProblem } from "../../../shared/contract/index.ts";
import type { PolicyContext, PolicyTrace } from "../../../shared/policy/types.ts";
import type { PanelOutput } from "../../rpc/connection.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import type { Positions } from "./model/matrixModel.ts";

export type Preset = "reference" | "sallyport";

export interface TraceView {
  trace: PolicyTrace;
  preset: Preset;
  positions: Positions;
  problems: FileProblem[];
  evaluatedInMs: number;
}

export interface TraceQuery {
  context: PolicyContext;
  /** Absent: the one that counts. */
  preset?: Preset | undefined;
  /** A config to evaluate instead of the saved one. */
  configText?: string | undefined;
}

/** @returns the last answer, kept while the next one is on its way, and the error of the newest question */
export function usePolicyTrace(
  query: TraceQuery,
  isEnabled = true,
): { view: TraceView | null; error: Error | null; isStale: boolean; retry: () => void } {
  const input = {
    context: query.context,
    ...(query.preset === undefined ? {} : { preset: query.preset }),
    ...(query.configText === undefined ? {} : { configText: query.configText }),
  };
  const result = useQueryRpc("policy.trace", input, { keepPrevious: true, enabled: isEnabled });
  const { data } = result;
  const view = useMemo(() => (data === undefined ? null : toTraceView(data)), [data]);
  return {
    view,
    error: result.error,
    isStale: result.isPlaceholderData,
    retry: () => void result.refetch(),
  };
}

export function toTraceView(data: PanelOutput<"policy.trace">): TraceView {
  return {
    trace: data.trace,
    preset: data.preset,
    positions: new Map(Object.entries(data.positions)),
    problems: data.problems,
    evaluatedInMs: data.evaluatedInMs,
  };
}
