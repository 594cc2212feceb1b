/** Names of characters in words, for screen readers and sentences. */

import { useT } from "../../i18n/index.ts";

/** @returns the name of a character in words: its own name, else that of its group */
export function useCharacterName(): (codePoint: number, group: string) => string {
  const t = useT("approvals");
  return (codePoint, group) => {
    const code = codePoint.toString(16).toUpperCase().padStart(4, "0");
    return t([`character.${code}`, `characterGroup.${group}`], { code: `U+${code}` });
  };
}
