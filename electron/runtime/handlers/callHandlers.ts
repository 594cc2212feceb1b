/** Tools and calls for people: catalog, calls by hand, history, ledger. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import {
  catalogAnswer,
  defaultAgentId,
  normalizeAgentId,
  type RegisteredTool,
} from "../../../shared/policy/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { Calls, FinalOutcome } from "../calls/createCalls.ts";
import { takenIn } from "../calls/takenIn.ts";
import type { Ledger } from "../storage/index.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { callerIn, type PlacesOfCallers } from "./callerIn.ts";
import { catalogView } from "./catalogView.ts";

type Methods = SallyportContract["methods"];
type CallMethods = Exclude<
  Extract<keyof Methods, `tools.${string}` | `calls.${string}` | `ledger.${string}`>,
  // Answered where policy is.
  "tools.effective"
>;

export interface CallHandlersDeps extends PlacesOfCallers {
  calls: Calls;
  registry: ToolRegistry;
  ledger: Ledger;
  presentFor(agentId: string): readonly RegisteredTool[];
  onVerified(): void;
}

export function createCallHandlers(deps: CallHandlersDeps): Pick<Handlers<SallyportContract>, CallMethods> {
  const { calls, registry, config, ledger } = deps;
  const outcomes = new WeakMap<object, FinalOutcome>();

  const started = (toolCallId: string) => {
    const call = calls.get(toolCallId);
    if (call === undefined)
      throw new AppError("NOT_FOUND", `There is no call ${toolCallId}. The ledger has older calls.`);
    return call;
  };

  return {
    "tools.list": () => ({
      sections: catalogView(registry, deps.presentFor(defaultAgentId(config.effective().config))),
    }),
    "tools.catalog": ({ agentId, includePlugins }) => {
      const asked =
        agentId === undefined ? defaultAgentId(config.effective().config) : normalizeAgentId(agentId);
      if (agentId !== undefined && !deps.agentIds().includes(asked)) {
        throw new AppError("INVALID_INPUT", `unknown agent id "${agentId}"`);
      }
      return catalogAnswer(asked, registry.registered(), { includePlugins: includePlugins ?? true });
    },
    "calls.start": async ({ tool, args, ...place }, { principal }) => {
      const call = await takenIn(calls, calls.start(callerIn(deps, place, principal), tool, args));
      void call.outcome.then((outcome) => outcomes.set(call, outcome));
      return { toolCallId: call.toolCallId };
    },
    "calls.wait": async ({ toolCallId }, { signal }) => {
      const call = started(toolCallId);
      const outcome = outcomes.get(call) ?? (await untilAborted(call.outcome, signal));
      const snapshot = calls.snapshot(toolCallId);
      if (snapshot === undefined)
        throw new AppError("NOT_FOUND", `The call ${toolCallId} is no longer kept. The ledger has it.`);
      return { call: snapshot, result: resultOf(outcome) };
    },
    "calls.cancel": ({ toolCallId }) => {
      started(toolCallId).cancel();
      return {};
    },
    "calls.list": ({ limit }) => ({ calls: calls.list(limit) }),
    "ledger.list": ({ limit, beforeSeq }) => ({
      entries: ledger.list({ limit, ...(beforeSeq === undefined ? {} : { beforeSeq }) }),
    }),
    "ledger.verify": async () => {
      const verdict = await ledger.verifyInTurns();
      deps.onVerified();
      return verdict;
    },
  };
}

function resultOf(outcome: FinalOutcome) {
  if (outcome.kind === "result") {
    const { content, details, isError } = outcome;
    return { content, isError, ...(details === undefined ? {} : { details }) };
  }
  if (outcome.kind === "refused") {
    return {
      content: [{ type: "text" as const, text: outcome.text }],
      isError: true,
      details: outcome.details,
    };
  }
  return null;
}

/** The call goes on; only this wait ends. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AppError("CANCELLED", "Stopped waiting. The call goes on."));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
