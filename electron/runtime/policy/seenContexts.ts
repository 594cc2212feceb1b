/** Contexts in which tools were really called: what a person most likely asks about, so pickers offer them first. */

import type { PolicyContext } from "../../../shared/policy/index.ts";
import type { Clients } from "../clients/createClients.ts";
import type { Caller } from "../runtimeTypes.ts";
import type { Ledger, LedgerEntry } from "../storage/index.ts";

export interface SeenContext {
  label: string;
  context: PolicyContext;
}

export interface SeenContextsDeps {
  ledger: Pick<Ledger, "listByKind">;
  clients: Pick<Clients, "list" | "callerOf">;
  contextOf(caller: Caller): PolicyContext;
}

/** Calls that are looked through; a session that called before all of them is no longer of interest. */
const lookedThrough = 1000;
const maxContexts = 50;

/** @returns sessions by their last call, the newest first, then clients that have called nothing yet */
export function createSeenContexts({ ledger, clients, contextOf }: SeenContextsDeps): () => SeenContext[] {
  /** The ledger does not say whether the caller was the owner. */
  const of = ({ agentId, sessionKey, callerId }: LedgerEntry): PolicyContext => {
    const { senderIsOwner: _unknown, ...context } = contextOf({
      id: callerId ?? "",
      label: "",
      agentId: agentId ?? "main",
      sessionKey: sessionKey ?? "",
      isOwner: false,
      provider: null,
      model: null,
      surface: callerId === "http" ? "http" : "panel",
    });
    return context;
  };

  return () => {
    const bySession = new Map<string, SeenContext>();
    const mapped = new Map<string, SeenContext>();
    for (const { id, name } of clients.list()) {
      const caller = clients.callerOf(id);
      if (caller !== null) mapped.set(caller.sessionKey, { label: name, context: contextOf(caller) });
    }
    for (const entry of ledger.listByKind("call.proposed", { limit: lookedThrough })) {
      const { sessionKey, agentId, callerId } = entry;
      if (sessionKey === null || agentId === null || bySession.size >= maxContexts) continue;
      const isHttp = callerId === "http";
      const key = isHttp ? `http ${sessionKey}` : sessionKey;
      if (bySession.has(key)) continue;
      const client = isHttp ? undefined : mapped.get(sessionKey);
      // A client goes by its name; everything else by the key that the config and the logs know.
      bySession.set(
        key,
        client ?? { label: isHttp ? `HTTP · ${sessionKey}` : sessionKey, context: of(entry) },
      );
    }
    for (const [sessionKey, seen] of mapped) if (!bySession.has(sessionKey)) bySession.set(sessionKey, seen);
    return [...bySession.values()].slice(0, maxContexts);
  };
}
