/** The tree of a page as the snapshots see it: roles, names, states and texts, apart from any element. */

/** One element with a role; strings among the children are texts. */
export interface SnapNode<Source = unknown> {
  role: string;
  name: string;
  children: (SnapNode<Source> | string)[];
  /** Where it came from, for refs; absent in trees that were read from text. */
  source?: Source;
  /** `e12`, `f1e3`; absent for what cannot be acted on. */
  ref?: string;
  checked?: true | "mixed";
  disabled?: true;
  expanded?: true;
  active?: true;
  invalid?: true | "grammar" | "spelling";
  level?: number;
  pressed?: true | "mixed";
  selected?: true;
  ariaHidden?: true;
  /** The pointer over it is a hand. */
  hasPointer?: true;
  /** A person sees a box of it and the pointer reaches it. */
  isReachable?: true;
  /** A handler, a hand as pointer, a tab stop or editing make something of it that its role does not say. */
  isClickable?: true;
  isEditable?: true;
  /** Its content gave it its name. */
  isNameFromContent?: true;
  /** Its text is part of the names around it. */
  isInNames?: true;
  url?: string;
  placeholder?: string;
}

/** Keys of states in the order in which they are printed. */
export const stateKeys = [
  "checked",
  "disabled",
  "expanded",
  "active",
  "invalid",
  "level",
  "pressed",
  "selected",
  "ariaHidden",
] as const;

/** @returns states as printed in brackets: `checked`, `checked=mixed`, `level=2`, `aria-hidden` */
export function statesIn(node: SnapNode): string[] {
  const states: string[] = [];
  for (const key of stateKeys) {
    const value = node[key];
    if (value === undefined) continue;
    const name = key === "ariaHidden" ? "aria-hidden" : key;
    states.push(value === true ? name : `${name}=${value}`);
  }
  return states;
}

/** Blanks, line ends and invisible marks folded into single blanks. */
export function foldBlanks(text: string): string {
  return text
    .replace(/[\u200b\u00ad]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
