/** Refs of one document: each belongs to one element for as long as the document lives, and is never given again. */

import {
  firstElementOf,
  isConnected,
  nextElementOf,
  parentElementOf,
  parentNodeOf,
  rootOf,
} from "./dom.page.ts";

interface Known {
  element: WeakRef<Element>;
  role: string;
  name: string;
}

export type Found =
  | { kind: "unknown" }
  | { kind: "gone"; role: string; name: string }
  | { kind: "found"; element: Element; role: string; name: string };

export class Refs {
  readonly #numbers = new WeakMap<Element, number>();
  readonly #known = new Map<number, Known>();
  #last: number;

  /** @param last highest number that earlier documents of the same tab gave; theirs are not given again */
  constructor(last: number) {
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  numberOf(element: Element, role: string, name: string): number {
    let number = this.#numbers.get(element);
    if (number === undefined) {
      this.#last += 1;
      number = this.#last;
      this.#numbers.set(element, number);
      this.#known.set(number, { element: new WeakRef(element), role, name });
    } else {
      const known = this.#known.get(number);
      if (known !== undefined) {
        known.role = role;
        known.name = name;
      }
    }
    return number;
  }

  find(number: number): Found {
    const known = this.#known.get(number);
    if (known === undefined) return { kind: "unknown" };
    const { role, name } = known;
    const element = known.element.deref();
    if (element === undefined || !isConnected(element)) return { kind: "gone", role, name };
    return { kind: "found", element, role, name };
  }

  /** All that are still in the page. */
  *living(): Generator<{ number: number; element: Element }> {
    for (const [number, known] of this.#known) {
      const element = known.element.deref();
      if (element === undefined) this.#known.delete(number);
      else if (isConnected(element)) yield { number, element };
    }
  }
}

/**
 * Where an element stands, for a program that can only look from outside.
 * @returns an XPath; null inside of a shadow root, which XPath does not enter
 */
export function xpathOf(element: Element): string | null {
  if (!(rootOf(element) instanceof Document)) return null;
  const steps: string[] = [];
  for (let one: Element | null = element; one !== null; one = parentElementOf(one)) {
    const parent = parentNodeOf(one);
    let position = 1;
    let sibling = parent instanceof Element ? firstElementOf(parent) : null;
    while (sibling !== null && sibling !== one) {
      position += 1;
      sibling = nextElementOf(sibling);
    }
    steps.push(`*[${position}]`);
  }
  return `/${steps.reverse().join("/")}`;
}
