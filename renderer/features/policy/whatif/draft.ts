/** The text that a person tries out beside the config it came from; it outlives a change of view, never a reload. */

import { useMemo } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { editedText } from "../model/lineDiff.ts";
import type { Subject } from "../source/subject.ts";

export interface WhatIfDraft {
  /** null: nothing edited, the subject's own text counts. */
  text: string | null;
  /** Hash of the file when the edit began; a save must still find it. */
  baseHash: string | null;
  /** The diff is shown in place of the editor. */
  isReviewing: boolean;
}

const untouched: WhatIfDraft = { text: null, baseHash: null, isReviewing: false };

/** The saved config and an opened file have drafts of their own. */
const draftStore = createStore<Record<Subject["kind"], WhatIfDraft>>(() => ({
  saved: untouched,
  file: untouched,
}));

export type WhatIf = WhatIfDraft & {
  edit: (text: string) => void;
  /** Starts from the subject's text with edits made in place, comments kept. @returns whether they have a place in it */
  propose: (edits: readonly ConfigEdit[], isReviewing: boolean) => boolean;
  review: (isReviewing: boolean) => void;
  discard: () => void;
};

/** @param subject null while nothing is known: edits are then ignored */
export function useWhatIfDraft(subject: Subject | null): WhatIf {
  const kind = subject?.kind ?? "saved";
  const draft = useStore(draftStore, (state) => state[kind]);
  return useMemo(() => {
    const set = (change: Partial<WhatIfDraft>) =>
      draftStore.setState((state) => ({ [kind]: { ...state[kind], ...change } }));
    return {
      ...draft,
      edit: (text) => {
        if (subject === null) return;
        const isBack = text === (subject.text ?? "");
        set({
          text: isBack ? null : text,
          baseHash: draft.text === null ? subject.hash : draft.baseHash,
        });
      },
      propose: (edits, isReviewing) => {
        const text = subject?.text == null ? null : editedText(subject.text, edits);
        if (text === null) return false;
        set({ text, baseHash: subject?.hash ?? null, isReviewing });
        return true;
      },
      review: (isReviewing) => set({ isReviewing }),
      discard: () => set(untouched),
    };
  }, [draft, kind, subject]);
}

/** For what forgets an opened file. */
export function discardFileDraft(): void {
  draftStore.setState({ file: untouched });
}
