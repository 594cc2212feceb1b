/** Our own client of a running Gateway: opens the socket, answers the challenge, and gives the typed client. */

import { WebSocket } from "ws";
import { AppError } from "../../shared/errors/index.ts";
import {
  createClient,
  fromFrameError,
  protocolVersion,
  type RpcClient,
  responseFrame,
  type Scope,
} from "../../shared/rpc/index.ts";
import { type ServedContract, servedContract } from "./gatewayContract.ts";
import type { ConnectParams } from "./socket/connectSchema.ts";
import { deviceKeyFromToken, signConnect } from "./socket/deviceIdentity.ts";
import { createSocketTransport, parseJson, socketLimits } from "./wsTransport.ts";

export interface ConnectOptions {
  address: string;
  port: number;
  /** The operator token, as `sallyport-gateway.json` holds it. */
  token: string;
  version: string;
  /** For a person who reads who is connected. */
  displayName?: string;
  timeoutMs?: number;
}

const allScopes: Scope[] = [
  "operator.admin",
  "operator.read",
  "operator.write",
  "operator.approvals",
  "operator.pairing",
];

/**
 * Connects as the operator's command line, with all scopes.
 * @throws AppError UNAVAILABLE when nothing listens, UNAUTHENTICATED when the token is not the Gateway's
 */
export function connectGateway(options: ConnectOptions): Promise<RpcClient<ServedContract>> {
  const { address, port, token } = options;
  const socket = new WebSocket(`ws://${address}:${port}/ws`, {
    maxPayload: socketLimits.maxPayloadBytes,
    perMessageDeflate: false,
    handshakeTimeout: options.timeoutMs ?? 10_000,
  });
  return new Promise((resolve, reject) => {
    const fail = (error: AppError) => {
      clearTimeout(timer);
      socket.terminate();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new AppError("TIMEOUT", `The Gateway on ${address}:${port} does not answer.`)),
      options.timeoutMs ?? 10_000,
    );
    socket.on("error", (cause) =>
      fail(
        new AppError(
          "UNAVAILABLE",
          `No Gateway answers on ${address}:${port}. Start Sallyport, or run \`sallyport gateway run\`.`,
          { cause },
        ),
      ),
    );
    socket.on("close", () => fail(new AppError("UNAVAILABLE", "The Gateway closed the connection.")));
    const onMessage = (data: unknown) => {
      const message = parseJson(String(data));
      const nonce = readNonce(message);
      if (nonce !== null) {
        const key = deviceKeyFromToken(token);
        const params = signConnect(connectRequest(options), key, nonce, Date.now());
        socket.send(JSON.stringify({ type: "req", id: "connect", method: "connect", params }));
        return;
      }
      const answer = responseFrame.safeParse(message);
      if (!answer.success || answer.data.id !== "connect") return;
      if (!answer.data.ok) {
        const refusal = fromFrameError(answer.data.error ?? { code: "UNAVAILABLE", message: "refused" });
        fail(new AppError("UNAUTHENTICATED", `The Gateway refused the connection: ${refusal.message}`));
        return;
      }
      clearTimeout(timer);
      socket.off("message", onMessage);
      socket.removeAllListeners("error");
      socket.removeAllListeners("close");
      resolve(createClient(servedContract, createSocketTransport(socket)));
    };
    socket.on("message", onMessage);
  });
}

function connectRequest(options: ConnectOptions): ConnectParams {
  return {
    minProtocol: protocolVersion,
    maxProtocol: protocolVersion,
    client: {
      id: "cli",
      mode: "cli",
      version: options.version,
      platform: process.platform,
      displayName: options.displayName ?? "sallyport",
    },
    role: "operator",
    scopes: allScopes,
    auth: { token: options.token },
  };
}

function readNonce(message: unknown): string | null {
  const frame = message as { event?: unknown; payload?: { nonce?: unknown } } | null | undefined;
  if (frame?.event !== "connect.challenge") return null;
  return typeof frame.payload?.nonce === "string" ? frame.payload.nonce : null;
}
