/** `/mcp`: streamable HTTP with a token per client, sessions that belong to one client, and an end for idle ones. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logging/logger.ts";
import type { Runtime } from "../../runtime/runtimeTypes.ts";
import { bearerToken } from "../http/guard.ts";
import { sendJson } from "../http/respond.ts";
import { createMcpSession, type McpSession } from "./mcpSession.ts";

export interface McpEndpoint {
  /** Host and Origin are checked by then. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  sessionCount(): number;
  close(): Promise<void>;
}

interface OpenSession {
  id: string;
  clientId: string;
  transport: StreamableHTTPServerTransport;
  session: McpSession;
  lastSeenAtMs: number;
  openRequests: number;
}

const maxBodyBytes = 4 * 1024 * 1024;
const maxSessionsPerClient = 32;
const idleMs = 30 * 60_000;
const sweepMs = 60_000;

export function createMcpEndpoint(deps: {
  runtime: Runtime;
  version: string;
  logger: Logger;
  clock: Clock;
}): McpEndpoint {
  const { runtime, logger, clock } = deps;
  const sessions = new Map<string, OpenSession>();

  const closeSession = async (open: OpenSession, reason: string) => {
    if (!sessions.delete(open.id)) return;
    logger.info("mcp.sessionClosed", { clientId: open.clientId, sessionId: open.id, reason });
    await open.session.close();
  };
  const closeInBackground = (open: OpenSession, reason: string) => {
    closeSession(open, reason).catch((error: unknown) => logger.warn("mcp.closeFailed", { error }));
  };
  const sweep = setInterval(() => {
    for (const open of [...sessions.values()]) {
      if (open.openRequests === 0 && clock.nowMs() - open.lastSeenAtMs > idleMs)
        closeInBackground(open, "idle");
    }
  }, sweepMs);
  sweep.unref();
  const offRevoked = runtime.clients.onRevoked((clientId) => {
    for (const open of [...sessions.values()]) {
      if (open.clientId === clientId) closeInBackground(open, "revoked");
    }
  });

  const openSession = async (clientId: string, request: IncomingMessage, response: ServerResponse) => {
    const own = [...sessions.values()].filter((open) => open.clientId === clientId);
    const idlest = own
      .filter((open) => open.openRequests === 0)
      .sort((a, b) => a.lastSeenAtMs - b.lastSeenAtMs)[0];
    if (own.length >= maxSessionsPerClient) {
      if (idlest === undefined)
        return refuse(response, 503, "This client has too many open sessions. Close one.");
      await closeSession(idlest, "too many sessions");
    }
    const session = createMcpSession({
      tools: runtime.tools,
      caller: () => runtime.clients.callerOf(clientId),
      connected: (about) => runtime.clients.connected(clientId, about),
      holdMs: () => runtime.gatewaySettings().holdMs,
      version: deps.version,
      logger: logger.child({ clientId }),
    });
    const id = randomUUID();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: () => {
        sessions.set(id, open);
        logger.info("mcp.sessionOpened", { clientId, sessionId: id });
      },
      onsessionclosed: () => closeSession(open, "closed by the client"),
    });
    const open: OpenSession = {
      id,
      clientId,
      transport,
      session,
      lastSeenAtMs: clock.nowMs(),
      openRequests: 0,
    };
    await session.connect(transport);
    try {
      await pass(open, request, response);
    } finally {
      // Anything but a valid `initialize` opened nothing, and a failure must not leave its listeners behind.
      if (transport.sessionId === undefined) await session.close();
    }
  };

  const pass = async (open: OpenSession, request: IncomingMessage, response: ServerResponse) => {
    open.openRequests += 1;
    open.lastSeenAtMs = clock.nowMs();
    response.once("close", () => {
      open.openRequests -= 1;
      open.lastSeenAtMs = clock.nowMs();
    });
    await open.transport.handleRequest(request, response);
  };

  return {
    async handle(request, response) {
      const token = bearerToken(request);
      const client = token === null ? null : runtime.clients.authenticate(token);
      if (client === null) {
        response.setHeader("WWW-Authenticate", 'Bearer realm="sallyport"');
        return refuse(
          response,
          401,
          token === null
            ? "This endpoint needs the token of an MCP client: send `Authorization: Bearer <token>`. Tokens are made in the panel under Clients."
            : "This token is unknown or was revoked. Make a new one in the panel under Clients.",
        );
      }
      const sessionId = request.headers["mcp-session-id"];
      if (sessionId === undefined) return openSession(client.clientId, request, response);
      const open = typeof sessionId === "string" ? sessions.get(sessionId) : undefined;
      // Another client's session answers like one that never was.
      if (open === undefined || open.clientId !== client.clientId)
        return refuse(response, 404, "Session not found");
      return pass(open, request, response);
    },
    sessionCount: () => sessions.size,
    async close() {
      clearInterval(sweep);
      offRevoked();
      await Promise.allSettled([...sessions.values()].map((open) => closeSession(open, "gateway closing")));
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, {
    jsonrpc: "2.0",
    error: { code: status === 404 ? -32001 : -32000, message },
    id: null,
  });
}
