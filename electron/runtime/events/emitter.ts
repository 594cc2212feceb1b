/** A small typed event emitter: one listener's failure never reaches the others or the emitter's caller. */

export interface Emitter<Events extends object> {
  /** @returns a function that removes the listener; calling it twice is harmless. */
  on<Name extends keyof Events>(name: Name, listener: (payload: Events[Name]) => void): () => void;
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): void;
  listenerCount(name: keyof Events): number;
  /** Removes every listener, for disposal. */
  clear(): void;
}

export interface EmitterOptions {
  /** Told about a listener that threw; without it the error is reported as an uncaught one in a later turn. */
  onListenerError?(name: PropertyKey, error: unknown): void;
}

/**
 * Listeners are called synchronously in the order they were added. A listener added while an event is being
 * emitted hears only the next one.
 */
export function createEmitter<Events extends object>(options: EmitterOptions = {}): Emitter<Events> {
  type AnyListener = (payload: never) => void;
  const listeners = new Map<keyof Events, Set<AnyListener>>();

  const reportFailure = (name: PropertyKey, error: unknown): void => {
    if (options.onListenerError !== undefined) options.onListenerError(name, error);
    else
      queueMicrotask(() => {
        throw error;
      });
  };

  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set<AnyListener>();
      listeners.set(name, set);
      // A wrapper per call lets one function be registered twice and removed once.
      const entry: AnyListener = (payload) => listener(payload);
      set.add(entry);
      return () => {
        set.delete(entry);
      };
    },
    emit(name, payload) {
      const set = listeners.get(name);
      if (set === undefined) return;
      for (const listener of [...set]) {
        try {
          (listener as (payload: Events[typeof name]) => void)(payload);
        } catch (error) {
          reportFailure(name, error);
        }
      }
    },
    listenerCount(name) {
      return listeners.get(name)?.size ?? 0;
    },
    clear() {
      listeners.clear();
    },
  };
}
