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
  /** Given up: what it still reports concerns nobody. */
  isDead: boolean;
  isVerifying: boolean;
}

/** @returns when the client's end closed and the session on the Gateway was ended */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { downstream, log } = options;
  /** Requests that wait for an answer: each gets one, also when the app goes away. */
  const open = new Map<RequestId, Connection | null>();
  let initialize: JSONRPCMessage | null = null;
  let initializeId: RequestId | null = null;
  let connection: Promise<Connection> | null = null;
  /** The connection that `connection` resolved to. */
  let live: Connection | null = null;
  let isInitialized = false;
  let isClosing = false;

  const toClient = (message: JSONRPCMessage) => {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id !== undefined) open.delete(message.id);
    }
    downstream
      .send(message)
      .catch((error: unknown) => log(`cannot write to the client: ${messageOf(error)}`));
  };
  const failRequest = (id: RequestId, error: unknown) => {
    if (!open.has(id)) return;
    toClient({
      jsonrpc: "2.0",
      id,
      error: { code: ErrorCode.InternalError, message: `Sallyport: ${messageOf(error)}` },
    });
  };

  const connect = async (refusedToken: string | null): Promise<Connection> => {
    const upstream = await options.openUpstream(refusedToken);
    const transport = new StreamableHTTPClientTransport(new URL(upstream.url), {
      requestInit: { headers: { Authorization: `Bearer ${upstream.token}` } },
    });
    const opened: Connection = { upstream, transport, isDead: false, isVerifying: false };
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
      if (isClosing || opened.isDead) return;
      log(`connection: ${error.message}`);
      verify(opened);
    };
    await transport.start();
    live = opened;
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

  const current = (refusedToken: string | null = null) => {
    connection ??= isInitialized ? reconnect(refusedToken) : connect(refusedToken);
    return connection;
  };

  /** Answers what waits on a connection that is gone, and lets the next message open another. */
  const abandon = (dead: Connection, error: unknown) => {
    dead.isDead = true;
    if (live === dead) {
      live = null;
      connection = null;
    }
    const lost = `the connection was lost (${messageOf(error)}). A command that was running may have been ended.`;
    for (const [id, carrier] of [...open]) if (carrier === dead) failRequest(id, new Error(lost));
    // Ends its attempts to open the stream again.
    dead.transport.close().catch((failure: unknown) => log(messageOf(failure)));
  };

  /** A stream broke: asks whether the session still lives, and answers what waits on it when it does not. */
  function verify(doubtful: Connection): void {
    if (doubtful.isVerifying) return;
    doubtful.isVerifying = true;
    doubtful.transport
      .send({ jsonrpc: "2.0", id: probeId, method: "ping" })
      .catch((error: unknown) => abandon(doubtful, error))
      .finally(() => {
        doubtful.isVerifying = false;
      });
  }

  const carry = (message: JSONRPCMessage, carrier: Connection) => {
    if (isJSONRPCRequest(message)) open.set(message.id, carrier);
    return carrier.transport.send(message);
  };

  const send = async (message: JSONRPCMessage): Promise<void> => {
    let opened: Connection | null = null;
    try {
      opened = await current();
      await carry(message, opened);
    } catch (error) {
      if (isClosing) return;
      // A status means that the app answered: only a lost session or a refused token is worth another try.
      const status = statusOf(error);
      if (status !== null && status !== 404 && status !== 401) throw error;
      log(`connecting again: ${messageOf(error)}`);
      const refusedToken = status === 401 ? (opened?.upstream.token ?? null) : null;
      // This message goes again; what else waited on the old connection has lost its answer.
      if (isJSONRPCRequest(message)) open.set(message.id, null);
      if (opened !== null) abandon(opened, error);
      await carry(message, await current(refusedToken));
    }
  };

  const closed = new Promise<void>((resolve) => {
    downstream.onclose = resolve;
  });
  downstream.onerror = (error) => log(`client: ${error.message}`);
  downstream.onmessage = (message) => {
    if (isJSONRPCRequest(message)) {
      open.set(message.id, null);
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
