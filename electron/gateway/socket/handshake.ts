/** The opening of an operator connection: challenge, one `connect` in time and in size, then hello or a refusal. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { type Frame, firstIssue, type Principal, requestFrame } from "../../../shared/rpc/index.ts";
import type { Clock } from "../../runtime/clock.ts";
import { parseJson } from "../wsTransport.ts";
import { authenticateConnect } from "./authenticate.ts";
import { type ConnectParams, connectParams, handshakeLimits } from "./connectSchema.ts";
import type { DevicePairing } from "./devicePairing.ts";

export interface HandshakeDeps {
  clock: Clock;
  pairing: DevicePairing;
  operatorToken: () => string;
  /** Payload of `hello-ok` without its `auth` block. */
  hello: (connectionId: string) => Promise<Record<string, unknown>>;
  /** Asked last, about the process at the other end: why it may not connect, or null. */
  objection: () => Promise<string | null>;
  timeoutMs?: number;
}

export type HandshakeResult =
  | { kind: "connected"; principal: Principal; connectionId: string; connect: ConnectParams }
  /** The socket is closed or closing, and has been told why. */
  | { kind: "refused"; reason: string };

/** Runs until the connection may be served or is closed; never throws for what the client sends. */
export function runHandshake(
  socket: WebSocket,
  request: IncomingMessage,
  deps: HandshakeDeps,
): Promise<HandshakeResult> {
  const nonce = randomUUID();
  const connectionId = randomUUID();
  const send = (frame: Frame) => socket.send(JSON.stringify(frame));

  return new Promise((resolve, reject) => {
    const settle = (result: HandshakeResult) => {
      clearTimeout(timer);
      socket.off("message", onMessage);
      socket.off("close", onClose);
      request.socket.off("data", countBytes);
      resolve(result);
    };
    const close = (code: number, reason: string) => {
      // A paused socket would never read the other end's close frame.
      if (socket.isPaused) socket.resume();
      // A close reason holds at most 123 bytes.
      socket.close(code, reason.slice(0, 120));
      settle({ kind: "refused", reason });
    };
    const timer = setTimeout(
      () => close(1008, "handshake timeout"),
      deps.timeoutMs ?? handshakeLimits.timeoutMs,
    );
    const onClose = () => settle({ kind: "refused", reason: "closed by the client" });

    // The socket's own limit is that of authenticated connections: nobody may fill it before it is known who calls.
    let receivedBytes = 0;
    const countBytes = (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > handshakeLimits.maxFrameBytes + 1024) close(1009, "handshake frame too large");
    };

    let isAnswered = false;
    const onMessage = (data: unknown, isBinary: boolean) => {
      if (isAnswered) return close(1008, "frame sent before hello-ok");
      isAnswered = true;
      const text = String(data);
      if (Buffer.byteLength(text) > handshakeLimits.maxFrameBytes)
        return close(1009, "handshake frame too large");
      const message = isBinary ? undefined : parseJson(text);
      if (message === undefined) return close(1000, "");
      const frame = requestFrame.safeParse(message);
      if (!frame.success) return close(1008, "invalid request frame");
      const { id, method, params } = frame.data;
      const refuse = (
        error: { code: string; message: string; details?: Record<string, unknown> },
        code: number,
      ) => {
        send({ type: "res", id, ok: false, error });
        close(code, error.message);
      };
      if (method !== "connect") {
        const text = "invalid handshake: first request must be connect";
        return refuse({ code: "INVALID_REQUEST", message: text }, 1008);
      }
      const parsed = connectParams.safeParse(params);
      if (!parsed.success) {
        const text = `invalid connect params: ${firstIssue(parsed.error)}`;
        return refuse({ code: "INVALID_REQUEST", message: text }, 1008);
      }
      const connect = parsed.data;
      const verdict = authenticateConnect({
        connect,
        nonce,
        nowMs: deps.clock.nowMs(),
        operatorToken: deps.operatorToken(),
        origin: request.headers.origin ?? null,
        pairing: deps.pairing,
      });
      if (!verdict.ok) return refuse(verdict.error, verdict.closeCode);

      const principal: Principal = {
        kind: "operator",
        id: connect.client.id === "cli" ? "cli" : `operator:${connect.client.id}`,
        scopes: verdict.scopes,
        approvalSurface: false,
      };
      // Nothing more is read until the caller serves the connection and resumes it.
      socket.pause();
      const answer = async () => {
        const objection = await deps.objection();
        if (objection !== null) {
          const details = { code: "SALLYPORT_SELF_APPROVAL" };
          return refuse({ code: "INVALID_REQUEST", message: objection, details }, 1008);
        }
        const hello = await deps.hello(connectionId);
        const auth =
          verdict.issued === null
            ? {}
            : { auth: { ...verdict.issued, role: verdict.role, scopes: [...verdict.scopes] } };
        send({ type: "res", id, ok: true, payload: { type: "hello-ok", ...hello, ...auth } });
        settle({ kind: "connected", principal, connectionId, connect });
      };
      answer().catch(reject);
    };

    socket.on("message", onMessage);
    socket.on("close", onClose);
    request.socket.on("data", countBytes);
    send({ type: "event", event: "connect.challenge", payload: { nonce, ts: deps.clock.nowMs() } });
  });
}
