/** Who was not shown a change of a page because it was too large to come along with an act. */

import type { Tab } from "../tabs/tab.ts";

export interface Unseen {
  has(tab: Tab, viewer: string): boolean;
  /** The engine counts what it took as seen; the viewer has not seen it. */
  add(tab: Tab, viewer: string): void;
  /** The viewer got the whole page. */
  clear(tab: Tab, viewer: string): void;
}

export function createUnseen(): Unseen {
  const byTab = new WeakMap<Tab, Set<string>>();
  return {
    has: (tab, viewer) => byTab.get(tab)?.has(viewer) ?? false,
    add(tab, viewer) {
      const viewers = byTab.get(tab) ?? new Set();
      byTab.set(tab, viewers.add(viewer));
    },
    clear: (tab, viewer) => void byTab.get(tab)?.delete(viewer),
  };
}
