/** What stands behind the name of the view in the top bar; the view on screen sets it. */

import { useEffect } from "react";
import { createStore } from "zustand/vanilla";

export const breadcrumbStore = createStore<{ text: string | null }>(() => ({ text: null }));

/** Renders nothing itself: `children` appears in the top bar while the component lives. */
export function Breadcrumb({ children }: { children: string }) {
  useEffect(() => {
    breadcrumbStore.setState({ text: children });
    return () => breadcrumbStore.setState({ text: null });
  }, [children]);
  return null;
}
