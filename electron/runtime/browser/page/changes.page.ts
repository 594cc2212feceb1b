/**
 * Which parts of the last walk still hold. The page is watched from the moment it is first looked at; whatever cannot
 * be noticed by watching (style rules for `:hover` and the like, running animations, changed style sheets) makes the
 * next walk a whole one.
 */

import {
  activeElementOf,
  attributeOf,
  closest,
  isConnected,
  isElement,
  parentElementOf,
  parentNodeOf,
  queryAll,
  queryAllInDocument,
  shadowRootOf,
} from "./dom.page.ts";
import type { PageNode } from "./tree.page.ts";

/** What one element added to the children of the node around it. */
export interface Segment {
  nodes: (PageNode | string)[];
  isInPointer: boolean;
  isInTextbox: boolean;
  elementCount: number;
  /** Walk of the whole page since which it holds; -1 when it does not hold any more. */
  generation: number;
}

const MAX_REUSES = 25;
const MAX_REUSE_MS = 60_000;
const MAX_RECORDS = 2_000;
const MAX_DROPPED = 20_000;

export class Changes {
  readonly #observer: MutationObserver;
  readonly #segments = new WeakMap<Element, Segment>();
  #current = 0;
  readonly #observedRoots = new WeakSet<Node>();
  #controls = new Map<WeakRef<Element>, string>();
  #active: WeakRef<Element> | null = null;
  #mustWalkAll = true;
  #reuses = 0;
  #walkedAllAtMs = 0;
  #fingerprint = "";
  #checkedVersion = 0;
  #dropped = 0;
  mutationCount = 0;
  /** Goes up whenever something of the last walk stops to hold. */
  version = 0;

  constructor() {
    this.#observer = new MutationObserver((records) => this.#apply(records));
    this.observe(document);
  }

  /** Documents and open shadow roots; once each. */
  observe(root: Document | ShadowRoot): void {
    if (this.#observedRoots.has(root)) return;
    this.#observedRoots.add(root);
    this.#observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  }

  /** Takes in what happened up to now. */
  catchUp(): void {
    this.#apply(this.#observer.takeRecords());
  }

  /** @param fingerprint of what may change looks without a mutation: rules, viewport @returns whether anything is kept */
  beginWalk(fingerprint: string, isVolatile: boolean): boolean {
    this.catchUp();
    this.#dropped = 0;
    const isStale = this.#reuses >= MAX_REUSES || performance.now() - this.#walkedAllAtMs > MAX_REUSE_MS;
    if (
      isVolatile ||
      isStale ||
      this.#mustWalkAll ||
      fingerprint !== this.#fingerprint ||
      document.getAnimations().length > 0
    ) {
      this.#current += 1;
      this.version += 1;
      this.#mustWalkAll = false;
      this.#reuses = 0;
      this.#walkedAllAtMs = performance.now();
      this.#fingerprint = fingerprint;
      this.#controls.clear();
      this.#noteActive();
      return false;
    }
    this.#reuses += 1;
    this.#checkControls();
    this.#noteActive();
    this.#checkReferences();
    return true;
  }

  /** What the walk found out about the page's style sheets, those of shadow roots included. */
  endWalk(isVolatile: boolean): void {
    if (isVolatile) this.#mustWalkAll = true;
  }

  segmentOf(element: Element): Segment | undefined {
    const segment = this.#segments.get(element);
    return segment?.generation === this.#current ? segment : undefined;
  }

  keep(element: Element, segment: Segment): void {
    segment.generation = this.#current;
    this.#segments.set(element, segment);
  }

  #forget(element: Element): void {
    const segment = this.#segments.get(element);
    if (segment !== undefined) segment.generation = -1;
  }

  /** A control whose value may change without the document noticing. */
  watchControl(element: Element): void {
    this.#controls.set(new WeakRef(element), fingerprintOf(element));
  }

  #apply(records: readonly MutationRecord[]): void {
    this.mutationCount += records.length;
    if (this.#mustWalkAll || records.length === 0) return;
    if (records.length > MAX_RECORDS) {
      this.#mustWalkAll = true;
      return;
    }
    for (const { type, target, attributeName } of records) {
      const element = isElement(target) ? target : parentElementOf(target);
      if (element === null) {
        this.#mustWalkAll = true;
        return;
      }
      if (type === "attributes") this.#attributeChanged(element, attributeName ?? "");
      else if (shadowRootOf(element) !== null) this.#dropDeep(element);
      else this.#drop(element);
      const label = closest(element, "label");
      if (label instanceof HTMLLabelElement && label.control !== null) this.#drop(label.control);
    }
  }

  /** Style rules reach from an element into it and to its neighbours; other attributes only matter inside. */
  #attributeChanged(element: Element, name: string): void {
    if (name.startsWith("sp-")) return;
    if (element === document.documentElement || element === document.body) {
      this.#mustWalkAll = true;
      return;
    }
    const isLocal = name === "style" || name === "value" || name === "href" || name === "src";
    this.#dropDeep(isLocal ? element : (parentElementOf(element) ?? element));
  }

  /** The element and everything around it are looked at again; what is inside and unchanged is kept. */
  #drop(element: Element): void {
    this.version += 1;
    for (let one: Element | null = element; one !== null; one = aboveOf(one)) this.#forget(one);
  }

  #dropDeep(element: Element): void {
    this.#drop(element);
    const below = queryAll(element, "*");
    this.#dropped += below.length;
    // A page that restyles itself all the time is cheaper to walk than to follow.
    if (this.#dropped > MAX_DROPPED) {
      this.#mustWalkAll = true;
      return;
    }
    for (const inner of below) {
      this.#forget(inner);
      const shadow = shadowRootOf(inner);
      if (shadow !== null) for (const deep of shadow.querySelectorAll("*")) this.#forget(deep);
    }
    const shadow = shadowRootOf(element);
    if (shadow !== null) for (const deep of shadow.querySelectorAll("*")) this.#forget(deep);
  }

  #checkControls(): void {
    for (const [reference, before] of this.#controls) {
      const element = reference.deref();
      if (element === undefined || !isConnected(element)) {
        this.#controls.delete(reference);
        continue;
      }
      const now = fingerprintOf(element);
      if (now === before) continue;
      this.#controls.set(reference, now);
      this.#dropDeep(element);
    }
  }

  /** Elements that take a name or content from elsewhere: where from may have changed. */
  #checkReferences(): void {
    if (this.version === this.#checkedVersion) return;
    for (const element of queryAllInDocument(document, "[aria-labelledby],[aria-owns],[list]"))
      this.#drop(element);
    this.#checkedVersion = this.version;
  }

  #noteActive(): void {
    const before = this.#active?.deref() ?? null;
    const now = activeElementOf(document);
    if (before === now) return;
    if (before !== null) this.#drop(before);
    if (now !== null) this.#drop(now);
    this.#active = now === null ? null : new WeakRef(now);
  }
}

function aboveOf(element: Element): Element | null {
  const parent = parentNodeOf(element);
  if (parent instanceof Element) return parent;
  return parent instanceof ShadowRoot ? parent.host : null;
}

function fingerprintOf(element: Element): string {
  if (element instanceof HTMLInputElement) {
    // Each of these is a call into the browser, and a page may have thousands of fields.
    const { type } = element;
    return type === "checkbox" || type === "radio"
      ? `${element.checked} ${element.indeterminate} ${element.value}`
      : element.value;
  }
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) {
    return `${element.selectedIndex}\n${element.selectedOptions.length}\n${element.value}`;
  }
  return attributeOf(element, "value") ?? "";
}
