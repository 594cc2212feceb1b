/** Verifies proposed repairs by asking the runtime with the edited config, and ranks them by what else they open. */

import { useQuery } from "@tanstack/react-query";
import type { PolicyContext, PolicyRow, PolicyTrace } from "../../../../shared/policy/types.ts";
import type { PanelRpc } from "../../../rpc/connection.ts";
import { useRpc } from "../../../rpc/hooks.ts";
import { applyToDocument, type RepairCandidate, repairCandidates } from "../model/repairs.ts";
import type { Preset } from "../usePolicyTrace.ts";

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

const maxAgents = 6;
const parallel = 8;

/** @param config the saved document, parsed; null while it is not known */
export function useRepairs(input: {
  trace: PolicyTrace | null;
  row: PolicyRow | null;
  config: unknown;
  configHash: string | null;
  context: PolicyContext;
  preset: Preset;
  agents: readonly string[];
}): { result: RepairResult | null; isWorking: boolean } {
  const rpc = useRpc();
  const { trace, row, config } = input;
  const isEnabled = trace !== null && row !== null && row.verdict.kind !== "kept" && config !== null;
  const query = useQuery({
    queryKey: ["policy.repairs", input.context, input.preset, row?.name, input.configHash],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      trace === null || row === null
        ? Promise.resolve(null)
        : verify({
            rpc,
            trace,
            row,
            config,
            context: input.context,
            preset: input.preset,
            agents: input.agents,
            signal,
          }),
  });
  return { result: query.data ?? null, isWorking: isEnabled && query.isPending };
}

interface Question {
  rpc: PanelRpc;
  trace: PolicyTrace;
  row: PolicyRow;
  config: unknown;
  context: PolicyContext;
  preset: Preset;
  agents: readonly string[];
  signal: AbortSignal;
}

async function verify(question: Question): Promise<RepairResult> {
  const { rpc, trace, row, config, context, preset, agents, signal } = question;
  const started = performance.now();
  const candidates = repairCandidates(trace, row, config);
  const others = otherContexts(context, agents);
  const toolsFor = async (asked: PolicyContext, document: unknown) =>
    new Set(
      (await rpc.call("policy.explain", { context: asked, preset, config: document }, { signal })).tools,
    );
  const all = [context, ...others.map((other) => other.context)];
  const before = await pooled(all, parallel, (asked) => toolsFor(asked, config));
  const repairs = await pooled(candidates, 1, async (candidate): Promise<VerifiedRepair | null> => {
    const edited = applyToDocument(config, candidate.edits);
    const after = await pooled(all, parallel, (asked) => toolsFor(asked, edited));
    const opened = after.map((tools, index) => [...tools].filter((name) => !before[index]?.has(name)));
    // A proposal that does not bring the tool back is no repair, whatever it was meant to do.
    if (!opened[0]?.includes(row.name)) return null;
    return {
      ...candidate,
      alsoOpens: opened[0].filter((name) => name !== row.name),
      otherContexts: others.flatMap((other, index) => {
        const opens = opened[index + 1] ?? [];
        // The tool itself in another session of the asked agent is what was wished for.
        const besides = other.agentId === context.agentId ? opens.filter((name) => name !== row.name) : opens;
        return besides.length === 0 ? [] : [{ agentId: other.agentId, opens: besides }];
      }),
    };
  });
  return {
    repairs: repairs.filter((repair) => repair !== null).sort((a, b) => cost(a) - cost(b)),
    contextsChecked: others.length + 1,
    tookMs: performance.now() - started,
  };
}

/** The asked situation for other agents, and for every agent its plain main session, with and without the owner. */
function otherContexts(
  context: PolicyContext,
  agents: readonly string[],
): { agentId: string; context: PolicyContext }[] {
  const asked = { ...context, sessionKey: undefined };
  const plain: PolicyContext = { provider: context.provider, model: context.model, surface: context.surface };
  return agents
    .slice(0, maxAgents)
    .flatMap((agentId) => [
      ...(agentId === context.agentId ? [] : [{ agentId, context: { ...asked, agentId } }]),
      { agentId, context: { ...plain, agentId, senderIsOwner: false } },
      { agentId, context: { ...plain, agentId, senderIsOwner: true } },
    ]);
}

/** Runs at most `limit` at once: a connection that asks too much at once is refused. */
async function pooled<T, R>(items: readonly T[], limit: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += limit) {
    results.push(...(await Promise.all(items.slice(start, start + limit).map(run))));
  }
  return results;
}

/** Tools opened elsewhere weigh most: they reach people who did not ask. */
function cost(repair: VerifiedRepair): number {
  const elsewhere = repair.otherContexts.reduce((sum, other) => sum + other.opens.length, 0);
  return elsewhere * 100 + repair.alsoOpens.length * 10 + repair.edits.length;
}
