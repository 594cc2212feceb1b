/** A plain connection to a browser's debugging socket, for what must hold before anything else attaches. */

import WebSocket from "ws";
import { z } from "zod";
import { AppError } from "../../../../shared/errors/index.ts";

export interface BrowserSocket {
  send(method: string, params?: Record<string, unknown>, sessionId?: string): Promise<unknown>;
  on(method: string, listener: (params: unknown) => void): void;
  /** Settles when the connection ends, whoever ended it. */
  closed: Promise<void>;
  close(): void;
}

const message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

const openTimeoutMs = 10_000;
const answerTimeoutMs = 15_000;

/** @throws AppError UNAVAILABLE */
export async function openBrowserSocket(
  wsUrl: string,
  handshakeTimeout = openTimeoutMs,
): Promise<BrowserSocket> {
  const url = new URL(wsUrl);
  const auth =
    url.username === ""
      ? {}
      : { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
  const socket = new WebSocket(wsUrl, { handshakeTimeout, perMessageDeflate: false, ...auth });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", (cause) =>
      reject(new AppError("UNAVAILABLE", "The browser's debugging socket cannot be opened.", { cause })),
    );
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, ((params: unknown) => void)[]>();
  let lastId = 0;
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => {
      for (const { reject } of waiting.values()) reject(gone());
      waiting.clear();
      resolve();
    });
  });
  // What follows an error is the close, which is handled.
  socket.on("error", () => {});
  socket.on("message", (data) => {
    const parsed = message.safeParse(JSON.parse(String(data)));
    if (!parsed.success) return;
    const { id, method, params, result, error } = parsed.data;
    if (id !== undefined) {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new AppError("UNAVAILABLE", `The browser refuses: ${error.message}`));
    } else if (method !== undefined) for (const listener of listeners.get(method) ?? []) listener(params);
  });
  return {
    send(method, params = {}, sessionId) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(gone());
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new AppError("TIMEOUT", `The browser did not answer ${method}.`));
        }, answerTimeoutMs);
        const settle = () => clearTimeout(timer);
        waiting.set(id, {
          resolve: (value) => {
            settle();
            resolve(value);
          },
          reject: (error) => {
            settle();
            reject(error);
          },
        });
        socket.send(
          JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }),
        );
      });
    },
    on(method, listener) {
      listeners.set(method, [...(listeners.get(method) ?? []), listener]);
    },
    closed,
    close: () => socket.close(),
  };
}

function gone(): AppError {
  return new AppError("UNAVAILABLE", "The browser's debugging socket is closed.");
}
