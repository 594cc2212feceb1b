/** Carries JSON-RPC messages between a stdio client and the Gateway's `/mcp`, message by message, unchanged. */

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../../shared/errors/index.ts";

export interface Upstream {
  url: string;
  token: string;
}

export interface BridgeOptions {
  /** The end of the MCP client, not yet started. */
  downstream: Transport;
  /** Finds or starts the app; called again when it went away. */
  openUpstream: (refusedToken: string | null) => Promise<Upstream>;
  log: (text: string) => void;
}

/** Id of our own ping; no client uses it. */
const probeId = "sallyport-bridge-probe";

interface Connection {
  upstream: Upstream;
  transport: StreamableHTTPClientTransport;
}

/** @returns when the client's end closed and the session on the Gateway was ended */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { downstream, log } = options;
  /** Requests that wait for an answer: each gets one, also when the app goes away. */
  const open = new Set<RequestId>();
  let initialize: JSONRPCMessage | null = null;
  let initializeId: RequestId | null = null;
  let connection: Promise<Connection> | null = null;
  let isInitialized = false;
  let isClosing = false;

  const toClient = (message: JSONRPCMessage) => {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id !== undefined) open.delete(message.id);
    }
    downstream.send(message).catch((error: unknown) => log(`cannot write to the client: ${messageOf(error)}`));
  };
  const failRequest = (id: RequestId, error: unknown) => {
    if (!open.has(id)) return;
    toClient({ jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message: `Sallyport: ${messageOf(error)}` } });
  };

  const connect = async (refusedToken: string | null): Promise<Connection> => {
    const upstream = await options.openUpstream(refusedToken);
    const transport = new StreamableHTTPClientTransport(new URL(upstream.url), {
      requestInit: { headers: { Authorization: `Bearer ${upstream.token}` } },
    });
    const opened = { upstream, transport };
    transport.onmessage = (message) => {
      if (isAnswerTo(message, probeId)) return;
      if (isJSONRPCResultResponse(message) && message.id === initializeId) {
        isInitialized = true;
        const version = (message.result as { protocolVersion?: unknown }).protocolVersion;
        if (typeof version === "string") transport.setProtocolVersion(version);
      }
      toClient(message);
    };
    transport.onerror = (error) => {
      if (isClosing) return;
      log(`connection: ${error.message}`);
      verify(opened);
    };
    await transport.start();
    return opened;
  };

  /** After a restart of the app its sessions are gone: opens a new one as the client opened the first. */
  const reconnect = async (refusedToken: string | null): Promise<Connection> => {
    const opened = await connect(refusedToken);
    if (initialize === null) return opened;
    const { transport } = opened;
    const forward = transport.onmessage;
    await new Promise<void>((resolve, reject) => {
      // The client had its answer long ago: this one is for us.
      transport.onmessage = (message) => {
        if (isJSONRPCErrorResponse(message)) return reject(new Error(message.error.message));
        if (!isJSONRPCResultResponse(message)) return;
        const version = (message.result as { protocolVersion?: unknown }).protocolVersion;
        if (typeof version === "string") transport.setProtocolVersion(version);
        resolve();
      };
      if (initialize !== null) transport.send(initialize).catch(reject);
    });
    if (forward !== undefined) transport.onmessage = forward;
    await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    toClient({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    return opened;
  };

  const current = () => {
    connection ??= isInitialized ? reconnect(null) : connect(null);
    return connection;
  };

  /** A stream broke: asks whether the session still lives, and answers what waits on it when it does not. */
  let verifying: Promise<void> | null = null;
  function verify({ transport }: Connection): void {
    verifying ??= transport
      .send({ jsonrpc: "2.0", id: probeId, method: "ping" })
      .catch((error: unknown) => {
        connection = null;
        const lost = `the connection was lost (${messageOf(error)}). A command that was running may have been ended.`;
        for (const id of [...open]) failRequest(id, new Error(lost));
      })
      .finally(() => {
        verifying = null;
      });
  }

  const send = async (message: JSONRPCMessage): Promise<void> => {
    const used = current();
    let opened: Connection | null = null;
    try {
      opened = await used;
      await opened.transport.send(message);
    } catch (error) {
      if (isClosing) return;
      // A status means that the app answered: only a lost session or a refused token is worth another try.
      const status = statusOf(error);
      if (status !== null && status !== 404 && status !== 401) throw error;
      log(`connecting again: ${messageOf(error)}`);
      const refusedToken = status === 401 ? (opened?.upstream.token ?? null) : null;
      if (connection === used) connection = isInitialized ? reconnect(refusedToken) : connect(refusedToken);
      const again = await current();
      await again.transport.send(message);
    }
  };

  const closed = new Promise<void>((resolve) => {
    downstream.onclose = resolve;
  });
  downstream.onerror = (error) => log(`client: ${error.message}`);
  downstream.onmessage = (message) => {
    if (isJSONRPCRequest(message)) {
      open.add(message.id);
      if (isInitializeRequest(message)) {
        initialize = message;
        initializeId = message.id;
      }
    }
    send(message).catch((error: unknown) => {
      log(messageOf(error));
      // The next message tries anew instead of meeting the same failure.
      connection = null;
      if (isJSONRPCRequest(message)) failRequest(message.id, error);
    });
  };
  await downstream.start();
  await closed;
  isClosing = true;
  const last = await (connection as Promise<Connection> | null)?.catch(() => null);
  if (last === null || last === undefined) return;
  // Ends the session now instead of leaving it to the idle sweep; the app may be gone already.
  await last.transport.terminateSession().catch((error: unknown) => log(messageOf(error)));
  await last.transport.close();
}

function isAnswerTo(message: JSONRPCMessage, id: RequestId): boolean {
  return (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id === id;
}

function statusOf(error: unknown): number | null {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "number") return code;
  // The SDK throws this class for 401 when there is no OAuth provider to ask.
  return error instanceof Error && /unauthorized/i.test(error.name + error.message) ? 401 : null;
}
