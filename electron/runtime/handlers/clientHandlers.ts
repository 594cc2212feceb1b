/** MCP clients over the contract; every change of who may connect as whom is on the record. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { Clients } from "../clients/createClients.ts";
import type { LedgerRecorder } from "../ledgerRecorder.ts";

type ClientMethods = Extract<keyof SallyportContract["methods"], `clients.${string}`>;

export function createClientHandlers(deps: {
  clients: Clients;
  recorder: LedgerRecorder;
  mcpUrl(): string | null;
}): Pick<Handlers<SallyportContract>, ClientMethods> {
  const { clients, recorder } = deps;
  return {
    "clients.list": () => ({ clients: clients.list(), mcpUrl: deps.mcpUrl() }),
    "clients.create": async (input, { principal }) => {
      const made = await clients.create(input);
      recorder.record("client.created", principal.id, { id: made.client.id, agentId: made.client.agentId });
      return made;
    },
    "clients.update": async (input, { principal }) => {
      const before = clients.list().find((client) => client.id === input.id);
      const client = await clients.update(input);
      const { agentId, isOwner, provider, model } = client;
      recorder.record("client.updated", principal.id, {
        id: client.id,
        before: before === undefined ? null : { agentId: before.agentId, isOwner: before.isOwner },
        after: { agentId, isOwner, provider, model },
      });
      return client;
    },
    "clients.rotateToken": async ({ id }, { principal }) => {
      const made = await clients.rotateToken(id);
      recorder.record("client.tokenRotated", principal.id, { id });
      return made;
    },
    "clients.revoke": async ({ id }, { principal }) => {
      await clients.revoke(id);
      recorder.record("client.revoked", principal.id, { id });
      return {};
    },
  };
}
