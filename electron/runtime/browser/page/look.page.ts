/** What of the page can be seen, by people and by assistive technology, remembered for the length of one walk. */

import {
  attributeOf,
  closest,
  firstChildOf,
  isElement,
  isRendered,
  isText,
  localNameOf,
  nextSiblingOf,
  parentAcrossShadow,
  parentElementOf,
  rectOf,
  shadowRootOf,
  slotOf,
} from "./dom.page.ts";
import type { Generated } from "./generated.page.ts";

const ignoredTags = new Set(["style", "script", "noscript", "template"]);

/** One element's looks. */
export interface Looks {
  style: CSSStyleDeclaration;
  display: string;
  /** Not there for assistive technology. */
  isHidden: boolean;
  /** `display: none`, `aria-hidden` or without a slot, by itself or through an ancestor: children are hidden too. */
  hidesChildren: boolean;
  /** Nothing below it can be seen by anybody: no box, and children have none either. */
  isGone: boolean;
}

export class LookPass {
  readonly #known = new Map<Element, Looks>();
  readonly #range = document.createRange();
  readonly generated: Generated;

  constructor(generated: Generated) {
    this.generated = generated;
  }

  of(element: Element): Looks {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    // Ancestors first, in a loop: pages nest deeper than a stack holds.
    const chain: Element[] = [element];
    let parent = parentAcrossShadow(element);
    while (parent !== null && !this.#known.has(parent)) {
      chain.push(parent);
      parent = parentAcrossShadow(parent);
    }
    let above = parent === null ? undefined : this.#known.get(parent);
    for (let i = chain.length - 1; i >= 0; i -= 1) {
      const one = chain[i];
      if (one === undefined) continue;
      above = this.#compute(one, above);
      this.#known.set(one, above);
    }
    return above ?? this.#compute(element, undefined);
  }

  #compute(element: Element, parent: Looks | undefined): Looks {
    const style = getComputedStyle(element);
    const display = style.display;
    const tag = localNameOf(element);
    let hidesChildren = parent?.hidesChildren === true || display === "none";
    if (!hidesChildren && attributeOf(element, "aria-hidden")?.toLowerCase() === "true") hidesChildren = true;
    if (!hidesChildren) {
      const host = parentElementOf(element);
      if (host !== null && shadowRootOf(host) !== null && slotOf(element) === null) hidesChildren = true;
    }
    if (ignoredTags.has(tag)) return { style, display, isHidden: true, hidesChildren, isGone: true };
    const isSlot = tag === "slot";
    if (display === "contents" && !isSlot) {
      const isHidden = hidesChildren || !this.#hasVisibleChild(element);
      return { style, display, isHidden, hidesChildren, isGone: false };
    }
    const isOption = (tag === "option" || tag === "optgroup") && closest(element, "select") !== null;
    const hasBox = isSlot || isRendered(element);
    const isHidden =
      hidesChildren ||
      (!isSlot && !(tag === "option" && isOption) && (!hasBox || style.visibility !== "visible"));
    const isGone = !hasBox && !isOption && tag !== "select";
    return { style, display, isHidden, hidesChildren, isGone };
  }

  #hasVisibleChild(element: Element): boolean {
    for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child)) {
      if (isElement(child)) {
        const style = getComputedStyle(child);
        if (
          style.display === "contents"
            ? this.#hasVisibleChild(child)
            : isRendered(child) && style.visibility === "visible"
        ) {
          return true;
        }
      } else if (isText(child) && this.#isTextVisible(child)) return true;
    }
    return false;
  }

  #isTextVisible(text: Text): boolean {
    this.#range.selectNode(text);
    const rect = this.#range.getBoundingClientRect();
    return rect.width > 0 && rect.height > 0;
  }

  /** Whether a person sees a box of it, whatever assistive technology is told. */
  hasBox(element: Element): boolean {
    const looks = this.of(element);
    if (looks.display === "contents") return this.#hasVisibleChild(element);
    if (looks.display === "none" || looks.style.visibility !== "visible" || !isRendered(element))
      return false;
    const rect = rectOf(element);
    return rect.width > 0 && rect.height > 0;
  }

  /** Text without a slot, and that of a closed `<details>`, is in the page but not on it. */
  isTextDropped(text: Text): boolean {
    const parent = parentElementOf(text);
    if (parent === null) return false;
    if (shadowRootOf(parent) !== null && slotOf(text) === null) return true;
    return parent instanceof HTMLDetailsElement && !parent.open;
  }
}
