/** Verifies proposed repairs by asking the runtime with the edited config, and ranks them by what else they open. */

import { useQuery } from "@tanstack/react-query";
import type { PolicyContext, PolicyRow, PolicyTrace } from "../../../../shared/policy/types.ts";
import type { PanelRpc } from "../../../rpc/connection.ts";
import { useRpc } from "../../../rpc/hooks.ts";
import { applyToDocument, type RepairCandidate, repairCandidates } from "../model/repairs.ts";

export interface VerifiedRepair extends RepairCandidate {
  /** The new survivors of the asked context besides the tool itself. */
  alsoOpens: string[];
  /** Other checked contexts in which tools are opened. */
  otherContexts: { agentId: string; opens: string[] }[];
}

export interface RepairResult {
  repairs: VerifiedRepair[];
  contextsChecked: number;
  tookMs: number;
}

const maxAgents = 8;

/** @param config the saved document, parsed; null while it is not known */
export function useRepairs(input: {
  trace: PolicyTrace | null;
  row: PolicyRow | null;
  config: unknown;
  configHash: string | null;
  context: PolicyContext;
  agents: readonly string[];
}): { result: RepairResult | null; isWorking: boolean } {
  const rpc = useRpc();
  const { trace, row, config } = input;
  const isEnabled = trace !== null && row !== null && row.verdict.kind !== "kept" && config !== null;
  const query = useQuery({
    queryKey: ["policy.repairs", input.context, row?.name, input.configHash],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      trace === null || row === null
        ? Promise.resolve(null)
        : verify(rpc, trace, row, config, input.context, input.agents, signal),
  });
  return { result: query.data ?? null, isWorking: isEnabled && query.isPending };
}

async function verify(
  rpc: PanelRpc,
  trace: PolicyTrace,
  row: PolicyRow,
  config: unknown,
  context: PolicyContext,
  agents: readonly string[],
  signal: AbortSignal,
): Promise<RepairResult> {
  const started = performance.now();
  const candidates = repairCandidates(trace, row, config);
  const others = agents
    .filter((agentId) => agentId !== context.agentId)
    .slice(0, maxAgents)
    .map((agentId) => ({ agentId, context: { ...context, agentId, sessionKey: undefined } }));
  const toolsFor = async (asked: PolicyContext, document: unknown) =>
    new Set((await rpc.call("policy.explain", { context: asked, config: document }, { signal })).tools);
  const before = await Promise.all([
    toolsFor(context, config),
    ...others.map((other) => toolsFor(other.context, config)),
  ]);
  const repairs = await Promise.all(
    candidates.map(async (candidate): Promise<VerifiedRepair | null> => {
      const edited = applyToDocument(config, candidate.edits);
      const after = await Promise.all([
        toolsFor(context, edited),
        ...others.map((other) => toolsFor(other.context, edited)),
      ]);
      const opened = after.map((tools, index) => [...tools].filter((name) => !before[index]?.has(name)));
      // A proposal that does not bring the tool back is no repair, whatever it was meant to do.
      if (!opened[0]?.includes(row.name)) return null;
      return {
        ...candidate,
        alsoOpens: opened[0].filter((name) => name !== row.name),
        otherContexts: others.flatMap((other, index) => {
          const opens = opened[index + 1] ?? [];
          return opens.length === 0 ? [] : [{ agentId: other.agentId, opens }];
        }),
      };
    }),
  );
  return {
    repairs: repairs.filter((repair) => repair !== null).sort((a, b) => cost(a) - cost(b)),
    contextsChecked: others.length + 1,
    tookMs: performance.now() - started,
  };
}

/** Tools opened elsewhere weigh most: they reach people who did not ask. */
function cost(repair: VerifiedRepair): number {
  const elsewhere = repair.otherContexts.reduce((sum, other) => sum + other.opens.length, 0);
  return elsewhere * 100 + repair.alsoOpens.length * 10 + repair.edits.length;
}
