/** One typed client that outlives its connections: it reconnects by itself and tells when snapshots must be read again. */

import { contract, type SallyportContract } from "../../shared/contract/index.ts";
import { AppError } from "../../shared/errors/index.ts";
import {
  createClient,
  type EventName,
  type EventPayload,
  type MethodInput,
  type MethodName,
  type MethodOutput,
  type RpcClient,
} from "../../shared/rpc/index.ts";
import type { OpenTransport } from "./transport.ts";

export type PanelMethod = MethodName<SallyportContract>;
export type PanelInput<M extends PanelMethod> = MethodInput<SallyportContract, M>;
export type PanelOutput<M extends PanelMethod> = MethodOutput<SallyportContract, M>;
export type PanelEvent = EventName<SallyportContract>;

export type ConnectionState =
  | { kind: "connecting" }
  | { kind: "open" }
  /** Content on screen is old from `sinceMs` on; the next try comes by itself. */
  | { kind: "lost"; sinceMs: number };

export interface PanelRpc {
  /**
   * Waits for the first connection; later, while the connection is lost, rejects at once with UNAVAILABLE,
   * so that a click made on old content is never sent minutes later.
   */
  call<M extends PanelMethod>(
    method: M,
    input: PanelInput<M>,
    options?: { signal?: AbortSignal },
  ): Promise<PanelOutput<M>>;
  /** Listeners stay through reconnects. */
  on<E extends PanelEvent>(
    event: E,
    listener: (payload: EventPayload<SallyportContract, E>) => void,
  ): () => void;
  /** Called after every (re)connect and after a gap in events: read snapshots again. */
  onResync(listener: () => void): () => void;
  onState(listener: (state: ConnectionState) => void): () => void;
  state(): ConnectionState;
  /** Ends the connection for good; may be called twice. */
  dispose(): void;
}

const eventNames = Object.keys(contract.events) as PanelEvent[];
const firstDelayMs = 250;
const longestDelayMs = 5_000;
const probeTimeoutMs = 8_000;

/** @param openTransport is called again for every try */
export function createPanelRpc(openTransport: OpenTransport): PanelRpc {
  const listeners = new Map<PanelEvent, Set<(payload: unknown) => void>>();
  const resyncListeners = new Set<() => void>();
  const stateListeners = new Set<(state: ConnectionState) => void>();
  const firstOpen = new Set<() => void>();
  let client: RpcClient<SallyportContract> | null = null;
  let state: ConnectionState = { kind: "connecting" };
  let delayMs = firstDelayMs;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isDisposed = false;

  const setState = (next: ConnectionState) => {
    if (next.kind === "lost" && state.kind === "lost") return;
    state = next;
    for (const listener of [...stateListeners]) listener(state);
  };
  const resync = () => {
    for (const listener of [...resyncListeners]) listener();
  };
  const retryLater = () => {
    if (isDisposed || timer !== null) return;
    if (state.kind === "open") setState({ kind: "lost", sinceMs: Date.now() });
    timer = setTimeout(() => {
      timer = null;
      void connect();
    }, delayMs);
    delayMs = Math.min(delayMs * 2, longestDelayMs);
  };

  const connect = async () => {
    try {
      const transport = await openTransport();
      if (isDisposed) return transport.close();
      const next = createClient(contract, transport);
      for (const event of eventNames) {
        next.on(event, (payload) => {
          for (const listener of [...(listeners.get(event) ?? [])]) listener(payload);
        });
      }
      next.onGap(resync);
      next.onClose(() => {
        if (client === next) client = null;
        retryLater();
      });
      // A bridge is always there, even when nobody serves it: only an answer proves a connection.
      await next
        .call("health", {}, { signal: AbortSignal.timeout(probeTimeoutMs) })
        .catch((error: unknown) => {
          next.close();
          throw error;
        });
      client = next;
      delayMs = firstDelayMs;
      setState({ kind: "open" });
      for (const start of firstOpen) start();
      firstOpen.clear();
      resync();
    } catch {
      // Nobody listens yet or any more: what failed is shown as the connection state, and is tried again.
      retryLater();
    }
  };
  void connect();

  return {
    call(method, input, options) {
      if (client !== null) return client.call(method, input, options);
      if (state.kind === "lost" || isDisposed) {
        return Promise.reject(new AppError("UNAVAILABLE", "The connection to Sallyport is lost."));
      }
      return new Promise((resolve, reject) => {
        firstOpen.add(() => {
          if (client === null) reject(new AppError("UNAVAILABLE", "The connection to Sallyport is lost."));
          else client.call(method, input, options).then(resolve, reject);
        });
      });
    },
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      // The client has checked the payload against the contract of this very event.
      const untyped = listener as (payload: unknown) => void;
      set.add(untyped);
      return () => set.delete(untyped);
    },
    onResync(listener) {
      resyncListeners.add(listener);
      return () => resyncListeners.delete(listener);
    },
    onState,
    state: () => state,
    dispose() {
      isDisposed = true;
      if (timer !== null) clearTimeout(timer);
      client?.close();
      client = null;
    },
  };

  function onState(listener: (next: ConnectionState) => void): () => void {
    stateListeners.add(listener);
    return () => stateListeners.delete(listener);
  }
}
