/** A small cache in memory: entries live for a time, and the oldest goes when it is full. */

import type { Clock } from "../clock.ts";

export interface TtlCache<Value> {
  get(key: string): Value | undefined;
  /** @param ttlMs 0 or less: not kept */
  set(key: string, value: Value, ttlMs: number): void;
}

/** @param maxChars of all values together, as told by `sizeOf`; a value that is larger on its own is not kept */
export function createTtlCache<Value>(options: {
  clock: Clock;
  maxEntries: number;
  maxChars: number;
  sizeOf(value: Value): number;
}): TtlCache<Value> {
  const { clock, maxEntries, maxChars, sizeOf } = options;
  const entries = new Map<string, { value: Value; untilMs: number; size: number }>();
  let total = 0;
  const remove = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    total -= entry.size;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock.nowMs() < entry.untilMs) return entry.value;
      remove(key);
      return undefined;
    },
    set(key, value, ttlMs) {
      remove(key);
      const size = sizeOf(value) + key.length;
      if (ttlMs <= 0 || size > maxChars) return;
      entries.set(key, { value, untilMs: clock.nowMs() + ttlMs, size });
      total += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && total <= maxChars) break;
        remove(oldest);
      }
    },
  };
}
