/** The text that a person tries out beside the saved config; it outlives a change of view, never a reload. */

import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { ConfigView } from "../../../../shared/contract/index.ts";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { editText } from "../model/textEdit.ts";

export interface WhatIfDraft {
  /** null: nothing edited, the saved text counts. */
  text: string | null;
  /** Hash of the file when the edit began; a save must still find it. */
  baseHash: string | null;
}

const draftStore = createStore<WhatIfDraft>(() => ({ text: null, baseHash: null }));

export function useWhatIfDraft() {
  const draft = useStore(draftStore);
  return {
    ...draft,
    edit: (text: string, saved: ConfigView | null) =>
      draftStore.setState((state) => ({
        text: text === (saved?.raw ?? "") ? null : text,
        baseHash: state.text === null ? (saved?.hash ?? null) : state.baseHash,
      })),
    /** Starts from the saved text with edits made in place, comments kept. */
    propose: (saved: ConfigView | null, edits: readonly ConfigEdit[]) => {
      const base = saved?.raw ?? (saved?.exists === false ? "{}\n" : null);
      if (base === null) return;
      draftStore.setState({ text: editText(base, edits), baseHash: saved?.hash ?? null });
    },
    discard: () => draftStore.setState({ text: null, baseHash: null }),
  };
}

export type WhatIf = ReturnType<typeof useWhatIfDraft>;
