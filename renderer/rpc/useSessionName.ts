/** What to call a session: the client that it belongs to, else the part of its key that tells sessions apart. */

import { useCallback } from "react";
import type { McpClient } from "../../shared/contract/index.ts";
import { useLive } from "./hooks.ts";

/** @returns name of a session key, for lists; the whole key belongs beside it as a title */
export function useSessionName(): (sessionKey: string) => string {
  const clients = useLive((state) => state.clients);
  return useCallback((sessionKey: string) => sessionName(sessionKey, clients ?? []), [clients]);
}

/** Two clients may carry one name: then the key says which of them it is. */
export function sessionName(sessionKey: string, clients: readonly McpClient[]): string {
  const tail = sessionKey.replace(/^agent:[^:]*:/u, "");
  const client = clients.find((one) => one.sessionKey === sessionKey);
  if (client === undefined) return tail;
  return clients.some((other) => other !== client && other.name === client.name) ? tail : client.name;
}
