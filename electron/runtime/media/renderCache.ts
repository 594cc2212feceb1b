/** Keeps what was rendered last, within a budget: paging back and forth draws nothing twice. */

export interface RenderCache<Value> {
  get(key: string): Value | undefined;
  /** @param size in any unit, the one of the budget; a value over it is not kept */
  set(key: string, value: Value, size: number): void;
}

/** @param budget of all kept values together; the longest unused goes first */
export function createRenderCache<Value>(budget: number): RenderCache<Value> {
  const kept = new Map<string, { value: Value; size: number }>();
  let used = 0;
  const remove = (key: string) => {
    used -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    set(key, value, size) {
      remove(key);
      if (size > budget) return;
      kept.set(key, { value, size });
      used += size;
      for (const oldest of kept.keys()) {
        if (used <= budget) return;
        remove(oldest);
      }
    },
  };
}
