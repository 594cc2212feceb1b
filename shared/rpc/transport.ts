/** A transport moves frames between two ends. IPC, WebSocket and memory implement it. */

import type { Frame } from "./frames.ts";

export interface Transport {
  /** Never throws; a frame sent after close is dropped. */
  send(frame: Frame): void;
  /** @param listener gets each message as it came: untrusted, not yet validated */
  onMessage(listener: (message: unknown) => void): () => void;
  onClose(listener: () => void): () => void;
  /** May be called twice. */
  close(): void;
}

/**
 * Two transports joined in memory. Messages are cloned as JSON and arrive in a later microtask,
 * so that what passes in a test passes over a socket.
 */
export function createMemoryPair(): [Transport, Transport] {
  const ends = [createEnd(), createEnd()] as const;
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const end of ends) for (const listener of [...end.closeListeners]) listener();
  };
  const join = (own: End, other: End): Transport => ({
    send(frame) {
      if (isClosed) return;
      const text = JSON.stringify(frame);
      queueMicrotask(() => {
        if (isClosed) return;
        for (const listener of [...other.messageListeners]) listener(JSON.parse(text));
      });
    },
    onMessage: (listener) => subscribe(own.messageListeners, listener),
    onClose: (listener) => subscribe(own.closeListeners, listener),
    close,
  });
  return [join(ends[0], ends[1]), join(ends[1], ends[0])];
}

interface End {
  messageListeners: Set<(message: unknown) => void>;
  closeListeners: Set<() => void>;
}

function createEnd(): End {
  return { messageListeners: new Set(), closeListeners: new Set() };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
