/** The context that a person pinned to compare others with; forgotten at reload. */

import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { PolicyContext } from "../../../../shared/policy/types.ts";

const pinnedStore = createStore<{ context: PolicyContext | null }>(() => ({ context: null }));

export function usePinned(): PolicyContext | null {
  return useStore(pinnedStore, (state) => state.context);
}

export function pinContext(context: PolicyContext | null): void {
  pinnedStore.setState({ context });
}
