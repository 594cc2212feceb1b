/** Whether the window is below 1000 px, where panes become strips and sheets. Page zoom counts in. */

import { useSyncExternalStore } from "react";

const query = "(max-width: 999px)";

const subscribe = (onChange: () => void) => {
  const list = window.matchMedia(query);
  list.addEventListener("change", onChange);
  return () => list.removeEventListener("change", onChange);
};

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
