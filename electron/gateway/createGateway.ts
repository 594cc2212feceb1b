/** The loopback server: panel files, operator sockets and MCP on one port, behind one guard. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AppError, messageOf } from "../../shared/errors/index.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logging/logger.ts";
import type { Runtime } from "../runtime/runtimeTypes.ts";
import { removeGatewayFile, writeGatewayFile } from "../runtime/storage/index.ts";
import { objectionTo } from "./execAncestry.ts";
import { checkRequest, targetOf } from "./http/guard.ts";
import { servePanelFile } from "./http/panelFiles.ts";
import { createPanelSessions, type PanelSessions } from "./http/panelSessions.ts";
import { redirect, sendJson, sendNotice, sendText, setBaseHeaders } from "./http/respond.ts";
import { createToolsInvoke, type ToolsInvoke, toolsInvokePath } from "./http/toolsInvoke.ts";
import { createMcpEndpoint, type McpEndpoint } from "./mcp/mcpEndpoint.ts";
import { createSocketServer } from "./socket/socketServer.ts";
import { createTryoutRunner } from "./tryout/tryoutRunner.ts";

export interface GatewayOptions {
  runtime: Runtime;
  /** Folder of the built panel; null: no panel over HTTP. */
  panelDir: string | null;
  logger: Logger;
  /** The Gateway listens on loopback only. */
  host: "127.0.0.1";
  /** 0 takes any free port. */
  port: number;
  version: string;
  /** Sessions of a Gateway that was on this port before: browsers that are in the panel stay in it. */
  panelSessions?: PanelSessions | null;
  /** Where port and token are written for our own command line; removed by `close`. */
  gatewayFile?: string;
}

export interface Gateway {
  address: string;
  port: number;
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Who is in the panel, for the Gateway that comes after this one; null: no panel over HTTP. */
  panelSessions: PanelSessions | null;
  /** @returns a URL that opens the panel once, within ten minutes; whoever has it decides approvals */
  panelUrl(): string;
  /** Ends every connection, also of those who do not let go, within seconds; may be called twice. */
  close(): Promise<void>;
}

/** @throws AppError UNAVAILABLE when the port is taken: another port would leave clients talking to someone else */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime, panelDir, version, host } = options;
  const logger = options.logger.child({ part: "gateway" });
  const clock = systemClock;
  const startedAtMs = clock.nowMs();
  const http = createServer({ requestTimeout: 60_000, headersTimeout: 15_000, maxHeaderSize: 16_384 });
  http.maxConnections = 512;
  // Also those that became WebSockets or were refused as such: the server itself forgets them, but waits for their end.
  const connections = new Set<Socket>();
  http.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  await listen(http, host, options.port);
  const port = (http.address() as AddressInfo).port;
  const url = `http://${host}:${port}`;

  const panelSessions =
    panelDir === null ? null : (options.panelSessions ?? createPanelSessions({ port, clock }));
  const panelUrl = () => {
    if (panelSessions === null) {
      throw new AppError("UNAVAILABLE", "This Gateway serves no panel. Start it without --no-panel.");
    }
    return `${url}/?token=${panelSessions.issueOneTimeToken()}`;
  };
  const mcp = createMcpEndpoint({ runtime, version, logger, clock });
  const toolsInvoke = createToolsInvoke({ runtime, logger, clock });
  const sockets = createSocketServer({
    runtime,
    gatewayHandlers: {
      "gateway.status": () => ({
        address: host,
        port,
        pid: process.pid,
        version,
        mcpUrl: `${url}/mcp`,
        hasPanel: panelDir !== null,
        operatorConnections: sockets.counts().operators,
        panelConnections: sockets.counts().panels,
        mcpSessions: mcp.sessionCount(),
      }),
      "gateway.panelUrl": () => ({ url: panelUrl() }),
    },
    panelSessions,
    logger,
    clock,
    port,
    version,
    startedAtMs,
  });

  http.on("upgrade", sockets.handleUpgrade);
  http.on("request", (request, response) => {
    route({ request, response, port, panelDir, panelSessions, mcp, toolsInvoke }).catch((error: unknown) => {
      logger.error("gateway.requestFailed", { method: request.method, error });
      if (response.headersSent) response.destroy();
      else sendText(response, 500, "Something failed inside Sallyport. Its log has the details.");
    });
  });
  http.on("clientError", (_error, socket) => {
    // Not HTTP at all, or too slow: there is nobody to talk to.
    socket.destroy();
  });

  let closing: Promise<void> | null = null;
  let stopAnnouncing = () => {};
  const gateway: Gateway = {
    address: host,
    port,
    url,
    panelSessions,
    panelUrl,
    close() {
      closing ??= (async () => {
        stopAnnouncing();
        if (options.gatewayFile !== undefined) await removeGatewayFile(options.gatewayFile, process.pid);
        // Nobody new is taken while those who are here get their last answers.
        const ended = new Promise<void>((resolve) => http.close(() => resolve()));
        await Promise.allSettled([sockets.close(), mcp.close()]);
        for (const socket of connections) socket.destroy();
        await ended;
        runtime.reportGateway({ kind: "off", reason: "The Gateway was closed." });
      })();
      return closing;
    },
  };
  if (options.gatewayFile !== undefined) {
    const file = options.gatewayFile;
    let written = "";
    const announce = async () => {
      const token = runtime.gatewaySettings().operatorToken;
      if (token === written) return;
      written = token;
      await writeGatewayFile(file, { port, address: host, pid: process.pid, startedAtMs, token });
    };
    try {
      await announce();
    } catch (cause) {
      await gateway.close();
      throw new AppError(
        "UNAVAILABLE",
        `Cannot write ${file}, which tells the command line where the Gateway is: ${messageOf(cause)}`,
        { cause },
      );
    }
    // The token may be changed in the config while this runs: the command line must find the new one.
    stopAnnouncing = runtime.events.onAny((event) => {
      if (event !== "config.changed" || closing !== null) return;
      announce().catch((error: unknown) => logger.error("gateway.fileNotWritten", { error }));
    });
  }
  runtime.attachTryout(createTryoutRunner({ tools: runtime.tools, version, logger }));
  runtime.reportGateway({ kind: "listening", address: host, port });
  logger.info("gateway.listening", { host, port });
  return gateway;
}

interface RouteInput {
  request: IncomingMessage;
  response: ServerResponse;
  port: number;
  panelDir: string | null;
  panelSessions: PanelSessions | null;
  mcp: McpEndpoint;
  toolsInvoke: ToolsInvoke;
}

async function route(input: RouteInput): Promise<void> {
  const { request, response, port, panelDir, panelSessions, mcp } = input;
  setBaseHeaders(response);
  const verdict = checkRequest(request, port);
  if (!verdict.ok) return sendJson(response, verdict.status, { error: { message: verdict.message } });
  const target = targetOf(request);
  if (target === null) return sendText(response, 400, "This is no address.");
  if (target.pathname === "/mcp") return mcp.handle(request, response);
  if (target.pathname === toolsInvokePath) return input.toolsInvoke.handle(request, response);
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return sendText(response, 405, "This address answers GET and HEAD.");
  }
  switch (target.pathname) {
    case "/health":
    case "/healthz":
      return sendJson(response, 200, { ok: true, status: "live" });
    case "/ready":
    case "/readyz":
      return sendJson(response, 200, { ready: true });
    case "/": {
      const token = target.searchParams.get("token");
      // HEAD comes from link previews: they must not use up the token.
      const session =
        token === null || request.method === "HEAD" ? null : (panelSessions?.exchange(token) ?? null);
      if (session === null) return sendNoSession(response, panelSessions !== null, token !== null);
      // The URL stands in logs and process lists for a moment, where a command of an agent may find it first.
      const objection = await objectionTo(request, "browser");
      if (objection !== null) return sendNotice(response, 403, "Sallyport", [objection]);
      response.setHeader("Set-Cookie", session.setCookie);
      return redirect(response, `/panel/${session.id}/`);
    }
  }
  const panelPath = /^\/panel\/([\w-]+)(?:\/(.*))?$/.exec(target.pathname);
  const [, id, file] = panelPath ?? [];
  if (id === undefined || panelDir === null || panelSessions === null) {
    return sendText(response, 404, "There is nothing at this address.");
  }
  if (file === undefined) return redirect(response, `/panel/${id}/`);
  if (!panelSessions.isAuthentic(id, request)) return sendNoSession(response, true, false);
  return servePanelFile(panelDir, file, request, response, port);
}

function sendNoSession(response: ServerResponse, hasPanel: boolean, hadToken: boolean): void {
  const how = "Run `sallyport gateway panel-url` in a terminal to get a new one.";
  if (!hasPanel) {
    sendNotice(response, 404, "Sallyport", ["This Gateway serves no panel. Start it without --no-panel."]);
    return;
  }
  sendNotice(response, 401, "Sallyport", [
    hadToken
      ? "This URL was used already or is older than ten minutes."
      : "This browser has no session here.",
    how,
  ]);
}

function listen(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new AppError(
              "UNAVAILABLE",
              `Port ${port} on ${host} is taken by another program, perhaps another gateway. End it, or choose a port with --port, OPENCLAW_GATEWAY_PORT or gateway.port in openclaw.json.`,
              { cause: error, data: { port } },
            )
          : new AppError("UNAVAILABLE", `Cannot listen on ${host}:${port}: ${error.message}`, {
              cause: error,
            }),
      );
    });
    http.listen({ host, port, exclusive: true }, () => resolve());
  });
}
