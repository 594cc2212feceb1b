/** The calling end: typed requests, cancellation, events with gap detection. */

import { AppError } from "../errors/index.ts";
import type { Contract, EventName, EventPayload, MethodInput, MethodName, MethodOutput } from "./contract.ts";
import { cancelMethod, eventFrame, fromFrameError, responseFrame } from "./frames.ts";
import type { Transport } from "./transport.ts";

export interface RpcClient<C extends Contract> {
  /**
   * Sends a request and waits for its answer.
   * @throws AppError as the server sent it; CANCELLED when `signal` aborts; UNAVAILABLE when the connection closes
   */
  call<M extends MethodName<C>>(
    method: M,
    input: MethodInput<C, M>,
    options?: { signal?: AbortSignal },
  ): Promise<MethodOutput<C, M>>;
  on<E extends EventName<C>>(event: E, listener: (payload: EventPayload<C, E>) => void): () => void;
  /** Called when sequence numbers jump: ask for snapshots again. */
  onGap(listener: () => void): () => void;
  onClose(listener: () => void): () => void;
  close(): void;
}

interface Waiting {
  method: string;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * @param contract validates what arrives: the server of another version may answer otherwise
 * @param idPrefix keeps request ids of two clients on one connection apart
 */
export function createClient<C extends Contract>(
  contract: C,
  transport: Transport,
  idPrefix = "",
): RpcClient<C> {
  const waiting = new Map<string, Waiting>();
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const gapListeners = new Set<() => void>();
  let nextId = 0;
  let lastSeq = 0;
  let isClosed = false;

  const settle = (message: unknown) => {
    const parsed = responseFrame.safeParse(message);
    if (!parsed.success) return;
    const entry = waiting.get(parsed.data.id);
    if (entry === undefined) return;
    waiting.delete(parsed.data.id);
    if (!parsed.data.ok) {
      entry.reject(
        fromFrameError(parsed.data.error ?? { code: "UNAVAILABLE", message: "The request failed." }),
      );
      return;
    }
    const output = contract.methods[entry.method]?.output.safeParse(parsed.data.payload);
    if (output?.success) entry.resolve(output.data);
    else entry.reject(new AppError("INTERNAL", `The answer to ${entry.method} has an unexpected shape.`));
  };

  const deliver = (message: unknown) => {
    const parsed = eventFrame.safeParse(message);
    if (!parsed.success) return;
    const { event, payload, seq } = parsed.data;
    if (seq !== undefined) {
      if (lastSeq !== 0 && seq !== lastSeq + 1) for (const listener of [...gapListeners]) listener();
      lastSeq = seq;
    }
    const spec = contract.events[event];
    if (spec === undefined) return;
    const value = spec.payload.safeParse(payload);
    if (!value.success) return;
    for (const listener of [...(listeners.get(event) ?? [])]) listener(value.data);
  };

  transport.onMessage((message) => {
    const type =
      typeof message === "object" && message !== null ? (message as { type?: unknown }).type : undefined;
    if (type === "res") settle(message);
    else if (type === "event") deliver(message);
  });
  transport.onClose(() => {
    isClosed = true;
    for (const entry of waiting.values()) entry.reject(closedError());
    waiting.clear();
  });

  return {
    call(method, input, options = {}) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(closedError());
        if (options.signal?.aborted)
          return reject(new AppError("CANCELLED", "Cancelled before it was sent."));
        nextId += 1;
        const id = `${idPrefix}${nextId}`;
        const onAbort = () => {
          if (!waiting.delete(id)) return;
          transport.send({ type: "req", id: `${id}-cancel`, method: cancelMethod, params: { id } });
          reject(new AppError("CANCELLED", `${method} was cancelled.`));
        };
        options.signal?.addEventListener("abort", onAbort, { once: true });
        const done = () => options.signal?.removeEventListener("abort", onAbort);
        waiting.set(id, {
          method,
          resolve: (value) => {
            done();
            resolve(value as never);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        });
        transport.send({ type: "req", id, method, params: input });
      });
    },
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      const untyped = listener as (payload: unknown) => void;
      set.add(untyped);
      return () => set.delete(untyped);
    },
    onGap(listener) {
      gapListeners.add(listener);
      return () => gapListeners.delete(listener);
    },
    onClose: (listener) => transport.onClose(listener),
    close: () => transport.close(),
  };
}

function closedError(): AppError {
  return new AppError(
    "UNAVAILABLE",
    "The connection to Sallyport is closed. It reconnects by itself when Sallyport runs.",
  );
}
