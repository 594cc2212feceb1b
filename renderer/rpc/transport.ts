/** Where the panel's frames go: over the bridge of the desktop shell, else over a WebSocket to the host that served the page. */

import type { Frame, Transport } from "../../shared/rpc/index.ts";

/** What the preload script puts on `window`. */
export interface PanelBridge {
  transport: {
    send(frame: Frame): void;
    onMessage(listener: (message: unknown) => void): () => void;
    onClose(listener: () => void): () => void;
  };
}

declare global {
  interface Window {
    sallyport?: PanelBridge;
  }
}

/** Opens one connection; rejects when it cannot be opened. */
export type OpenTransport = () => Promise<Transport>;

/** @returns the way to the runtime that this page has. */
export function defaultTransport(): OpenTransport {
  const bridge = window.sallyport?.transport;
  if (bridge !== undefined) return () => Promise.resolve(bridgeTransport(bridge));
  // Relative to the page: the session's cookie is valid in this folder only, because cookies do not know ports.
  const url = new URL("ws", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  return () => openWebSocket(url.href);
}

function bridgeTransport(bridge: PanelBridge["transport"]): Transport {
  const offs = new Set<() => void>();
  const closeListeners = new Set<() => void>();
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const off of offs) off();
    for (const listener of [...closeListeners]) listener();
  };
  offs.add(bridge.onClose(close));
  return {
    send: (frame) => {
      if (!isClosed) bridge.send(frame);
    },
    onMessage: (listener) => {
      const off = bridge.onMessage(listener);
      offs.add(off);
      return off;
    },
    onClose: (listener) => {
      closeListeners.add(listener);
      return () => closeListeners.delete(listener);
    },
    close,
  };
}

/** The session cookie of the page authenticates the socket; there is no token in the address. */
function openWebSocket(address: string): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    const messageListeners = new Set<(message: unknown) => void>();
    const closeListeners = new Set<() => void>();
    socket.addEventListener("open", () =>
      resolve({
        send: (frame) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
        },
        onMessage: (listener) => {
          messageListeners.add(listener);
          return () => messageListeners.delete(listener);
        },
        onClose: (listener) => {
          closeListeners.add(listener);
          return () => closeListeners.delete(listener);
        },
        close: () => socket.close(),
      }),
    );
    socket.addEventListener("message", (event) => {
      const message = parseFrame(event.data);
      for (const listener of [...messageListeners]) listener(message);
    });
    socket.addEventListener("close", () => {
      reject(new Error("The socket closed."));
      for (const listener of [...closeListeners]) listener();
    });
  });
}

function parseFrame(data: unknown): unknown {
  if (typeof data !== "string") return null;
  try {
    return JSON.parse(data);
  } catch {
    // Not a frame: the client ignores what it cannot read, as it does every unknown message.
    return null;
  }
}
