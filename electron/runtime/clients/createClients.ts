/** MCP clients: who may connect, as which agent, and what each sees. Kept in sallyport.json5. */

import { randomBytes } from "node:crypto";
import type { McpClient } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { normalizeAgentId } from "../../../shared/policy/index.ts";
import type { Clock } from "../clock.ts";
import type { Settings, SettingsStore, StoredClient } from "../config/index.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import type { AuthenticatedClient, Caller, ClientRegistry } from "../runtimeTypes.ts";
import { createToken, findByToken } from "./clientTokens.ts";

export interface ClientsDeps {
  settings: SettingsStore;
  clock: Clock;
  logger: Logger;
  /** The agent that a new client is shown as until it is mapped. */
  defaultAgentId(): string;
  /** Agents of the config; a client is mapped to no other. */
  agentIds(): string[];
  effectiveTools(caller: Caller): string[];
}

export interface ClientUpdate {
  id: string;
  name?: string | undefined;
  agentId?: string | undefined;
  isOwner?: boolean | undefined;
  provider?: string | null | undefined;
  model?: string | null | undefined;
}

export interface Clients extends ClientRegistry {
  events: Emitter<{ changed: undefined }>;
  list(): McpClient[];
  create(input: {
    name: string;
    agentId?: string | undefined;
  }): Promise<{ client: McpClient; token: string }>;
  update(input: ClientUpdate): Promise<McpClient>;
  rotateToken(id: string): Promise<{ client: McpClient; token: string }>;
  revoke(id: string): Promise<void>;
  connectedCount(): number;
}

interface Live {
  connections: number;
  lastSeenAtMs: number | null;
  reported: { name: string; version: string } | null;
}

const reportedMaxLength = 64;

/** @see architecture.md 12 */
export function createClients(deps: ClientsDeps): Clients {
  const { settings, clock, logger } = deps;
  const events = createEmitter<{ changed: undefined }>({
    onListenerError: (event, error) => logger.error("clients.listenerFailed", { event, error }),
  });
  const live = new Map<string, Live>();
  const revokedListeners = new Set<(clientId: string) => void>();
  let known = settings.settings().mcp.clients;

  const announceRevoked = (clientId: string) => {
    for (const listener of [...revokedListeners]) listener(clientId);
  };
  settings.events.on("changed", (now: Settings) => {
    const next = now.mcp.clients;
    // A client that vanished or whose token changed in the file loses its connections at once.
    for (const client of known) {
      const kept = next.find((candidate) => candidate.id === client.id);
      if (kept === undefined || kept.tokenHash !== client.tokenHash) announceRevoked(client.id);
    }
    known = next;
    events.emit("changed", undefined);
  });

  const liveOf = (id: string): Live => {
    const entry = live.get(id) ?? { connections: 0, lastSeenAtMs: null, reported: null };
    live.set(id, entry);
    return entry;
  };

  /** A person chose an agent that has left the config since: its rules are gone, and those of no other are meant. */
  const isAgentGone = (client: StoredClient) =>
    client.mapping === "mapped" && !deps.agentIds().includes(normalizeAgentId(client.agentId));

  const callerFrom = (client: StoredClient): Caller => ({
    id: `mcp:${client.id}`,
    label: client.name,
    agentId: client.agentId,
    sessionKey: `agent:${client.agentId}:mcp:${client.id}`,
    isOwner: client.isOwner,
    provider: client.provider,
    model: client.model,
    surface: "mcp",
    ...(client.mapping === "unmapped" || isAgentGone(client) ? { overlay: "unmapped" as const } : {}),
  });

  const view = (client: StoredClient): McpClient => {
    const caller = callerFrom(client);
    const now = live.get(client.id);
    const { tokenHash: _kept, ...shown } = client;
    return {
      ...shown,
      ...(isAgentGone(client) ? { mapping: "unmapped" as const, isAgentGone: true as const } : {}),
      sessionKey: caller.sessionKey,
      lastSeenAtMs: now?.lastSeenAtMs ?? null,
      reportedName: now?.reported?.name ?? null,
      reportedVersion: now?.reported?.version ?? null,
      connections: now?.connections ?? 0,
      effectiveTools: deps.effectiveTools(caller),
    };
  };

  const stored = (id: string): StoredClient => {
    const client = settings.settings().mcp.clients.find((candidate) => candidate.id === id);
    if (client === undefined)
      throw new AppError("NOT_FOUND", `There is no MCP client ${id}. List them under Clients.`);
    return client;
  };

  const replace = async (id: string, change: (client: StoredClient) => StoredClient): Promise<McpClient> => {
    await settings.update((now) => {
      const index = now.mcp.clients.findIndex((candidate) => candidate.id === id);
      const client = now.mcp.clients[index];
      if (client === undefined)
        throw new AppError("NOT_FOUND", `There is no MCP client ${id}. List them under Clients.`);
      return [{ op: "set", path: ["mcp", "clients", index], value: change(client) }];
    });
    return view(stored(id));
  };

  /** @throws AppError INVALID_INPUT for an agent that the config does not hold */
  const configured = (given: string): string => {
    const agentIds = deps.agentIds();
    const id = given.trim() === "" ? "" : normalizeAgentId(given);
    if (agentIds.includes(id)) return id;
    throw new AppError(
      "INVALID_INPUT",
      `There is no agent ${given.trim() || '""'}. Agents: ${agentIds.join(", ")}. Nothing was changed.`,
    );
  };

  const add = async (name: string, agentId: string | undefined) => {
    const { token, tokenHash, tokenHint } = createToken();
    const client: StoredClient = {
      id: `${slugOf(name)}-${randomBytes(3).toString("hex")}`,
      name,
      agentId: agentId ?? deps.defaultAgentId(),
      isOwner: false,
      provider: null,
      model: null,
      mapping: agentId === undefined ? "unmapped" : "mapped",
      createdAtMs: clock.nowMs(),
      tokenHash,
      tokenHint,
    };
    await settings.update((now) => [
      { op: "set", path: ["mcp", "clients"], value: [...now.mcp.clients, client] },
    ]);
    logger.info("client.created", { clientId: client.id, mapping: client.mapping });
    return { client: view(client), token };
  };

  return {
    events,
    authenticate(token): AuthenticatedClient | null {
      const client = findByToken(settings.settings().mcp.clients, token);
      return client === null ? null : { clientId: client.id, caller: callerFrom(client) };
    },
    callerOf(clientId) {
      const client = settings.settings().mcp.clients.find((candidate) => candidate.id === clientId);
      return client === undefined ? null : callerFrom(client);
    },
    connected(clientId, about) {
      const entry = liveOf(clientId);
      entry.connections += 1;
      entry.lastSeenAtMs = clock.nowMs();
      if (about !== null) {
        entry.reported = {
          name: about.name.slice(0, reportedMaxLength),
          version: about.version.slice(0, reportedMaxLength),
        };
      }
      events.emit("changed", undefined);
      let isLeft = false;
      return () => {
        if (isLeft) return;
        isLeft = true;
        entry.connections -= 1;
        entry.lastSeenAtMs = clock.nowMs();
        events.emit("changed", undefined);
      };
    },
    async ensureClient(name) {
      const { client, token } = await add(name, undefined);
      return { clientId: client.id, token };
    },
    onRevoked(listener) {
      revokedListeners.add(listener);
      return () => revokedListeners.delete(listener);
    },
    list: () => settings.settings().mcp.clients.map(view),
    create: async ({ name, agentId }) => add(name, agentId === undefined ? undefined : configured(agentId)),
    async update({ id, ...change }) {
      const agentId = change.agentId === undefined ? undefined : configured(change.agentId);
      return replace(id, (client) => ({
        ...client,
        ...(change.name === undefined ? {} : { name: change.name }),
        ...(change.isOwner === undefined ? {} : { isOwner: change.isOwner }),
        ...(change.provider === undefined ? {} : { provider: blankToNull(change.provider) }),
        ...(change.model === undefined ? {} : { model: blankToNull(change.model) }),
        // Choosing an agent, even the one it had, is the mapping that a person makes.
        ...(agentId === undefined ? {} : { agentId, mapping: "mapped" as const }),
      }));
    },
    async rotateToken(id) {
      const { token, tokenHash, tokenHint } = createToken();
      const client = await replace(id, (now) => ({ ...now, tokenHash, tokenHint }));
      return { client, token };
    },
    async revoke(id) {
      stored(id);
      await settings.update((now) => [
        { op: "set", path: ["mcp", "clients"], value: now.mcp.clients.filter((client) => client.id !== id) },
      ]);
      live.delete(id);
      logger.info("client.revoked", { clientId: id });
    },
    connectedCount: () => [...live.values()].filter((entry) => entry.connections > 0).length,
  };
}

function blankToNull(value: string | null): string | null {
  return value === null || value.trim() === "" ? null : value.trim();
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 32);
  return slug === "" ? "client" : slug;
}
