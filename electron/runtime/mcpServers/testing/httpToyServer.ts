/** Real MCP servers on loopback for tests: streamable HTTP and the older SSE. */

import { randomUUID } from "node:crypto";
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  EmptyResultSchema,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerResult,
} from "@modelcontextprotocol/sdk/types.js";
import { answerCall, toyTools } from "./toyTools.mjs";

export interface HttpToyServer {
  origin: string;
  /** Header `authorization` of each request, in order. */
  authorizations: (string | undefined)[];
  /** Ends every connection and forgets every session, as a server that was restarted. */
  drop(): void;
  close(): Promise<void>;
}

/** `/mcp`: streamable HTTP; `/sse` and `/messages`: SSE; `/away`: a redirect to `elsewhere`. */
export async function startHttpToyServer(elsewhere = "http://127.0.0.1:9/"): Promise<HttpToyServer> {
  const streamable = new Map<string, StreamableHTTPServerTransport>();
  const sse = new Map<string, SSEServerTransport>();
  const authorizations: (string | undefined)[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    authorizations.push(request.headers.authorization);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/away") return void response.writeHead(302, { location: elsewhere }).end();
    if (pathname === "/denied") return void response.writeHead(401).end("no");
    if (pathname === "/endless") {
      response.writeHead(200, { "content-type": "application/json" });
      const pump = () => {
        while (!response.destroyed && response.write("z".repeat(500_000)));
      };
      response.on("drain", pump);
      return pump();
    }
    if (pathname === "/endlessEvent") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const pump = () => {
        while (!response.destroyed && response.write(`data: ${"z".repeat(500_000)}\n`));
      };
      response.on("drain", pump);
      return pump();
    }
    if (pathname === "/elsewhereSse") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write(`event: endpoint\ndata: ${elsewhere}messages\n\n`);
    }
    if (pathname === "/mcp") {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? streamable.get(id) : undefined;
      if (known !== undefined) return known.handleRequest(request, response);
      if (typeof id === "string") return void response.writeHead(404).end();
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sessionId) => void streamable.set(sessionId, transport),
      });
      await toyServer().connect(transport);
      return transport.handleRequest(request, response);
    }
    if (pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      sse.set(transport.sessionId, transport);
      return toyServer().connect(transport);
    }
    const transport = sse.get(searchParams.get("sessionId") ?? "");
    if (pathname === "/messages" && transport !== undefined)
      return transport.handlePostMessage(request, response);
    response.writeHead(404).end();
  };

  const http: HttpServer = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    authorizations,
    drop() {
      streamable.clear();
      sse.clear();
      http.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

function toyServer(): Server {
  const server = new Server({ name: "toy", version: "1.2.3" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toyTools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra): Promise<ServerResult> => {
    const notify = async (notification: ServerNotification) => {
      await extra.sendNotification(notification);
      // Its answer says that everything before was taken in.
      await extra.sendRequest({ method: "ping" }, EmptyResultSchema);
    };
    return answerCall(params.name, params.arguments ?? {}, notify, params._meta?.progressToken);
  });
  return server;
}
