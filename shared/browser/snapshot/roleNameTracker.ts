/** Numbers elements that share role and name, so that `nth` tells them apart (browser.md 9.3). */

import type { RefInfo } from "./snapshotTypes.ts";

export class RoleNameTracker {
  readonly #counts = new Map<string, number>();
  readonly #refsByKey = new Map<string, string[]>();

  /** @returns how many of the same role and name came before */
  next(role: string, name: string | undefined, ref: string): number {
    const key = `${role}:${name ?? ""}`;
    const nth = this.#counts.get(key) ?? 0;
    this.#counts.set(key, nth + 1);
    const refs = this.#refsByKey.get(key);
    if (refs === undefined) this.#refsByKey.set(key, [ref]);
    else refs.push(ref);
    return nth;
  }

  /** Takes `nth` from those that turned out to be the only one of their kind. */
  dropSingles(refs: ReadonlyMap<string, RefInfo>): void {
    for (const group of this.#refsByKey.values()) {
      const [only] = group;
      if (group.length === 1 && only !== undefined) delete refs.get(only)?.nth;
    }
  }
}
