/** Takes WebSocket upgrades: pages of the panel by their cookie, everyone else through the handshake. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { type Handlers, type Principal, serve, type Transport } from "../../../shared/rpc/index.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logging/logger.ts";
import { operatorScopes, type Runtime } from "../../runtime/runtimeTypes.ts";
import { objectionTo } from "../execAncestry.ts";
import { type GatewayContract, type ServedContract, servedContract } from "../gatewayContract.ts";
import { checkRequest, hasOwnOrigin, pathOf } from "../http/guard.ts";
import type { PanelSessions } from "../http/panelSessions.ts";
import { createSocketTransport, socketLimits } from "../wsTransport.ts";
import { handshakeLimits } from "./connectSchema.ts";
import { createDevicePairing } from "./devicePairing.ts";
import { runHandshake } from "./handshake.ts";
import { helloPayload } from "./hello.ts";

export interface SocketServerDeps {
  runtime: Runtime;
  gatewayHandlers: Handlers<GatewayContract>;
  panelSessions: PanelSessions | null;
  logger: Logger;
  clock: Clock;
  port: number;
  version: string;
  startedAtMs: number;
}

export interface SocketServer {
  handleUpgrade(request: IncomingMessage, rawSocket: Duplex, head: Buffer): void;
  counts(): { operators: number; panels: number };
  /** Tells every connection that the Gateway ends, then closes them. */
  close(): Promise<void>;
}

type Connection = { kind: "panel" | "operator"; transport: Transport; socket: WebSocket };

export function createSocketServer(deps: SocketServerDeps): SocketServer {
  const { runtime, logger, port } = deps;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: socketLimits.maxPayloadBytes,
    perMessageDeflate: false,
  });
  const pairing = createDevicePairing();
  const connections = new Set<Connection>();
  const handlers = { ...runtime.handlers, ...deps.gatewayHandlers } as Handlers<ServedContract>;
  let unauthenticated = 0;

  const serveConnection = (
    kind: Connection["kind"],
    socket: WebSocket,
    principal: Principal,
    connectionId: string,
    attends: boolean,
  ) => {
    const transport = createSocketTransport(socket);
    const connection: Connection = { kind, transport, socket };
    connections.add(connection);
    const stopPing = keepAlive(socket, deps.clock);
    const served =
      principal.scopes.size === 0 ? answerHealth(transport, handlers.health, principal) : transport;
    serve({
      contract: servedContract,
      handlers,
      transport: served,
      principal,
      events: runtime.events,
      connectionId,
      onInternalError: ({ logId, method, error }) =>
        logger.error("gateway.requestFailed", { logId, method, error }),
    });
    if (attends) runtime.presence.attend(connectionId);
    logger.info("gateway.connected", { kind, connectionId, principal: principal.id });
    transport.onClose(() => {
      connections.delete(connection);
      stopPing();
      // Also for operators: `approvals.attend` may have counted this connection.
      runtime.presence.leave(connectionId);
      logger.info("gateway.disconnected", { kind, connectionId });
    });
  };

  const servePanel = (socket: WebSocket) => {
    const principal: Principal = {
      kind: "panel",
      id: "panel:browser",
      scopes: operatorScopes,
      approvalSurface: true,
    };
    serveConnection("panel", socket, principal, randomUUID(), true);
  };

  const serveOperator = async (socket: WebSocket, request: IncomingMessage) => {
    unauthenticated += 1;
    const result = await runHandshake(socket, request, {
      clock: deps.clock,
      pairing,
      operatorToken: () => runtime.gatewaySettings().operatorToken,
      // An agent's command can read the operator token, a file of the same user: it is refused by its descent.
      objection: () => objectionTo(request, "program"),
      hello: (connectionId) => helloPayload(deps, connectionId),
    }).finally(() => {
      unauthenticated -= 1;
    });
    if (result.kind === "refused") {
      logger.info("gateway.refused", { reason: result.reason });
      return;
    }
    const { principal, connectionId, connect } = result;
    // A client with a face can show prompts; a program in the background cannot, and says so by `approvals.attend`.
    const attends =
      ["ui", "webchat"].includes(connect.client.mode) &&
      (principal.scopes.has("operator.approvals") || principal.scopes.has("operator.admin"));
    serveConnection("operator", socket, principal, connectionId, attends);
    socket.resume();
  };

  return {
    handleUpgrade(request, rawSocket, head) {
      // Until ws takes over, a reset by the client must not end the process.
      rawSocket.on("error", () => rawSocket.destroy());
      const verdict = checkRequest(request, port);
      if (!verdict.ok) return refuseUpgrade(rawSocket, verdict.status, verdict.message);
      const path = pathOf(request);
      if (path === null) return refuseUpgrade(rawSocket, 400, "This is no address.");
      const panelId = /^\/panel\/([\w-]+)\/ws$/.exec(path)?.[1];
      if (panelId !== undefined) {
        // A browser always sends Origin on a WebSocket: one without it is no page of ours.
        if (!hasOwnOrigin(request, port) || deps.panelSessions?.isAuthentic(panelId, request) !== true) {
          return refuseUpgrade(rawSocket, 401, "This page has no session. Open a new URL of the panel.");
        }
        // It can read a browser's cookies as well, and the URL that opens the panel.
        const open = async () => {
          const objection = await objectionTo(request, "browser");
          if (objection !== null) return refuseUpgrade(rawSocket, 403, objection);
          server.handleUpgrade(request, rawSocket, head, servePanel);
        };
        open().catch((error: unknown) => {
          logger.error("gateway.upgradeFailed", { error });
          rawSocket.destroy();
        });
        return;
      }
      if (path !== "/" && path !== "/ws") return refuseUpgrade(rawSocket, 404, "There is no socket here.");
      if (unauthenticated >= handshakeLimits.maxUnauthenticated) {
        return refuseUpgrade(rawSocket, 503, "Too many connections wait for their handshake. Try again.");
      }
      server.handleUpgrade(request, rawSocket, head, (socket) => {
        socket.on("error", () => socket.terminate());
        serveOperator(socket, request).catch((error: unknown) => {
          logger.error("gateway.handshakeFailed", { error });
          socket.close(1011, "internal error");
        });
      });
    },
    counts() {
      const operators = [...connections].filter((connection) => connection.kind === "operator").length;
      return { operators, panels: connections.size - operators };
    },
    async close() {
      for (const { transport, socket } of [...connections]) {
        transport.send({ type: "event", event: "shutdown", payload: { reason: "gateway closing" } });
        socket.close(1001, "gateway closing");
      }
      const open = [...server.clients];
      await Promise.race([
        Promise.all(
          open.map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))),
        ),
        new Promise<void>((resolve) => setTimeout(resolve, 500)),
      ]);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

/** Pings, so that a peer that vanished is noticed; ticks, which OpenClaw's clients wait for. */
function keepAlive(socket: WebSocket, clock: Clock): () => void {
  let isAlive = true;
  const onPong = () => {
    isAlive = true;
  };
  socket.on("pong", onPong);
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
    socket.send(JSON.stringify({ type: "event", event: "tick", payload: { ts: clock.nowMs() } }));
  }, socketLimits.tickIntervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    socket.off("pong", onPong);
  };
}

/** `health` is the one method that needs no scope: answered here, before scopes are looked at. */
function answerHealth(
  transport: Transport,
  health: Handlers<ServedContract>["health"],
  principal: Principal,
): Transport {
  return {
    ...transport,
    onMessage: (listener) =>
      transport.onMessage((message) => {
        const frame = message as { type?: unknown; id?: unknown; method?: unknown } | null | undefined;
        if (frame?.type !== "req" || frame.method !== "health" || typeof frame.id !== "string") {
          return listener(message);
        }
        const { id } = frame;
        const signal = new AbortController().signal;
        Promise.resolve(health({}, { principal, signal, connectionId: "health" })).then(
          (payload) => transport.send({ type: "res", id, ok: true, payload }),
          () =>
            transport.send({
              type: "res",
              id,
              ok: false,
              error: { code: "UNAVAILABLE", message: "The runtime does not answer." },
            }),
        );
      }),
  };
}

/** How long the other end may take to read a refusal and to close. */
const refusedMs = 2_000;

function refuseUpgrade(socket: Duplex, status: number, message: string): void {
  const text = `${message}\n`;
  // Bytes behind the request that nobody reads would hide the other end's close, and the socket would stay for ever.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), refusedMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `X-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
