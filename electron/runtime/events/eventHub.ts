/** Where the runtime publishes the contract's events; every connection subscribes once. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { EventName, EventPayload, EventSource } from "../../../shared/rpc/index.ts";
import type { Logger } from "../logging/logger.ts";

type Listener = <E extends EventName<SallyportContract>>(
  event: E,
  payload: EventPayload<SallyportContract, E>,
) => void;

export interface EventHub extends EventSource<SallyportContract> {
  publish<E extends EventName<SallyportContract>>(
    event: E,
    payload: EventPayload<SallyportContract, E>,
  ): void;
}

/** One failing connection never keeps an event from the others. */
export function createEventHub(logger: Logger): EventHub {
  const listeners = new Set<Listener>();
  return {
    publish(event, payload) {
      for (const listener of [...listeners]) {
        try {
          listener(event, payload);
        } catch (error) {
          logger.error("events.listenerFailed", { event, error });
        }
      }
    },
    onAny(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
