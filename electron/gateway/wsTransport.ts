/** Transport over one WebSocket: the same for the Gateway and for our own clients on Node. */

import { WebSocket } from "ws";
import type { Transport } from "../../shared/rpc/index.ts";

/** Limits that `hello-ok` announces. */
export const socketLimits = {
  maxPayloadBytes: 26_214_400,
  maxBufferedBytes: 52_428_800,
  tickIntervalMs: 30_000,
} as const;

export interface SocketTransportOptions {
  /** A receiver that reads slower than this backlog is cut off with code 1008. */
  maxBufferedBytes?: number;
}

/**
 * @param socket already open. Messages that arrive before the first `onMessage` are lost: subscribe in the same turn
 */
export function createSocketTransport(socket: WebSocket, options: SocketTransportOptions = {}): Transport {
  const maxBufferedBytes = options.maxBufferedBytes ?? socketLimits.maxBufferedBytes;
  const messageListeners = new Set<(message: unknown) => void>();
  const closeListeners = new Set<() => void>();

  socket.on("message", (data, isBinary) => {
    const message = isBinary ? undefined : parseJson(data.toString());
    for (const listener of [...messageListeners]) listener(message);
  });
  socket.on("close", () => {
    for (const listener of [...closeListeners]) listener();
    closeListeners.clear();
    messageListeners.clear();
  });
  // `close` always follows and is what the owners listen to; without a listener the error would end the process.
  socket.on("error", () => {});

  return {
    send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount > maxBufferedBytes) {
        socket.close(1008, "slow consumer");
        // The close frame queues behind the backlog: do not wait for a receiver that does not read.
        setTimeout(() => socket.terminate(), 2000).unref();
        return;
      }
      socket.send(JSON.stringify(frame));
    },
    onMessage(listener) {
      messageListeners.add(listener);
      return () => messageListeners.delete(listener);
    },
    onClose(listener) {
      if (socket.readyState === WebSocket.CLOSED) queueMicrotask(listener);
      else closeListeners.add(listener);
      return () => closeListeners.delete(listener);
    },
    close() {
      socket.close(1000);
    },
  };
}

/** @returns undefined for what is not JSON: no frame, and answered as one */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
