/** A small runtime for the Gateway's own tests: real interfaces, scripted answers, nothing on disk. */

import type { AppStatus, SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { EventName, EventPayload, Handlers } from "../../../shared/rpc/index.ts";
import type { Caller, CallOptions, CallOutcome, Runtime, ToolListing } from "../../runtime/runtimeTypes.ts";

export const operatorToken = "operator-token-of-the-tests-0123456789";

type AnyListener = <E extends EventName<SallyportContract>>(
  event: E,
  payload: EventPayload<SallyportContract, E>,
) => void;

export interface FakeRuntime extends Runtime {
  emit: AnyListener;
  /** Token to client id; delete an entry and call `revoke` to end a client. */
  tokens: Map<string, string>;
  revoke(clientId: string): void;
  visible: Map<string, ToolListing>;
  openApprovals: Set<string>;
  listChanged(sessionKey: string | null): void;
  attending: Set<string>;
  connectedClients: { clientId: string; name: string | null }[];
  onCall: (caller: Caller, tool: string, args: unknown, options: CallOptions) => Promise<CallOutcome>;
  onWait: (caller: Caller, approvalId: string, options: CallOptions) => Promise<CallOutcome>;
  gatewayStates: string[];
}

export function createFakeRuntime(overrides: Partial<Handlers<SallyportContract>> = {}): FakeRuntime {
  const eventListeners = new Set<AnyListener>();
  const listListeners = new Set<(sessionKey: string | null) => void>();
  const revokeListeners = new Set<(clientId: string) => void>();
  const own: Partial<Handlers<SallyportContract>> = {
    health: () => ({ ok: true, status: "live", uptimeMs: 1 }),
    "app.status": () => ({ config: { path: "openclaw.json" }, stateDir: "state" }) as unknown as AppStatus,
    "approvals.list": () => ({ pending: [], recent: [] }),
    "approvals.attend": (_input, context) => {
      runtime.attending.add(context.connectionId);
      return { attending: true };
    },
    ...overrides,
  };
  const handlers = new Proxy(own, {
    get: (target, name) =>
      Reflect.get(target, name) ??
      (() => {
        throw new AppError("UNAVAILABLE", `${String(name)} is not part of this test.`);
      }),
  }) as Handlers<SallyportContract>;

  const callerOf = (clientId: string): Caller | null =>
    [...runtime.tokens.values()].includes(clientId)
      ? {
          id: `mcp:${clientId}`,
          label: clientId,
          agentId: "main",
          sessionKey: `agent:main:mcp:${clientId}`,
          isOwner: false,
          provider: null,
          model: null,
          surface: "mcp",
        }
      : null;

  const runtime: FakeRuntime = {
    handlers,
    events: {
      onAny: (listener) => {
        eventListeners.add(listener);
        return () => eventListeners.delete(listener);
      },
    },
    emit: (event, payload) => {
      for (const listener of [...eventListeners]) listener(event, payload);
    },
    tokens: new Map([["client-token-a", "a"]]),
    visible: new Map([["echo", fixtureListing("echo")]]),
    openApprovals: new Set(),
    attending: new Set(),
    connectedClients: [],
    gatewayStates: [],
    onCall: async (_caller, tool, args) => ({
      kind: "result",
      toolCallId: "call-1",
      content: [{ type: "text", text: `${tool} ${JSON.stringify(args)}` }],
      details: { got: args },
      isError: false,
    }),
    onWait: async () => ({ kind: "unknownTool", tool: "approval_wait" }),
    tools: {
      listTools: () => ({
        tools: [...runtime.visible.values()],
        instructions: [...runtime.visible.values()].map((tool) => tool.promptLine).join("\n"),
      }),
      callTool: async (caller, tool, args, options) =>
        runtime.visible.has(tool) && options.isRefused !== true
          ? runtime.onCall(caller, tool, args, options)
          : { kind: "unknownTool", tool },
      hasOpenApproval: (sessionKey) => runtime.openApprovals.has(sessionKey),
      waitApproval: (caller, approvalId, options) => runtime.onWait(caller, approvalId, options),
      onListChanged: (listener) => {
        listListeners.add(listener);
        return () => listListeners.delete(listener);
      },
    },
    listChanged: (sessionKey) => {
      for (const listener of [...listListeners]) listener(sessionKey);
    },
    clients: {
      authenticate: (token) => {
        const clientId = runtime.tokens.get(token);
        const caller = clientId === undefined ? null : callerOf(clientId);
        return clientId === undefined || caller === null ? null : { clientId, caller };
      },
      callerOf,
      connected: (clientId, about) => {
        const entry = { clientId, name: about?.name ?? null };
        runtime.connectedClients.push(entry);
        return () => {
          runtime.connectedClients = runtime.connectedClients.filter((other) => other !== entry);
        };
      },
      ensureClient: async (name) => ({ clientId: name, token: `token-of-${name}` }),
      onRevoked: (listener) => {
        revokeListeners.add(listener);
        return () => revokeListeners.delete(listener);
      },
    },
    revoke: (clientId) => {
      for (const [token, id] of runtime.tokens) if (id === clientId) runtime.tokens.delete(token);
      for (const listener of [...revokeListeners]) listener(clientId);
    },
    presence: {
      attend: (connectionId) => runtime.attending.add(connectionId),
      leave: (connectionId) => runtime.attending.delete(connectionId),
    },
    attachTryout: () => {},
    gatewaySettings: () => ({
      port: 0,
      holdMs: 200,
      operatorToken,
      http: {
        auth: { kind: "secret", secret: operatorToken },
        rateLimit: null,
        strictTransportSecurity: null,
      },
    }),
    decideHttp: () => ({
      reachable: false,
      status: 404,
      errorType: "not_found",
      message: "Not part of this test.",
    }),
    reportGateway: (state) => runtime.gatewayStates.push(state.kind),
    reportLag: () => {},
    dispose: async () => {},
  };
  return runtime;
}

export function fixtureListing(name: string): ToolListing {
  return {
    name,
    title: name,
    description: `Fixture ${name}`,
    promptLine: `${name}: a fixture`,
    inputSchema: { type: "object", properties: {} },
    risk: "read",
  };
}
