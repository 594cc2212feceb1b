/** Walks the page and builds the tree of roles, names, states and texts that all snapshots print. */

import { foldBlanks, type SnapNode } from "../../../../shared/browser/snapshot/tree.ts";
import type { Changes } from "./changes.page.ts";
import {
  activeElementOf,
  attributeOf,
  contains,
  dataOf,
  elementsByIds,
  firstChildOf,
  hasAttribute,
  hasFocus,
  isElement,
  isText,
  localNameOf,
  nextSiblingOf,
  shadowRootOf,
  slotOf,
} from "./dom.page.ts";
import { Generated } from "./generated.page.ts";
import { LookPass } from "./look.page.ts";
import { NamePass } from "./names.page.ts";
import { hasTabIndex, roleOf } from "./roles.page.ts";
import { controlValue, isEditable, statesOf } from "./values.page.ts";

export type PageNode = SnapNode<Element>;

export interface WalkOptions {
  /** `aria`: what assistive technology is told. `all`: also what people see although it is hidden from that. */
  sees: "aria" | "all";
  masks: boolean;
  /** Things without a role that can be clicked or typed into are nodes, whatever `sees` says. */
  clickables: boolean;
  /** Boxes are looked at: what has none gets no ref. */
  boxes: boolean;
  /** What of an earlier walk still holds, for walks of the whole page. */
  changes?: Changes;
}

export interface Walked {
  root: PageNode;
  /** Elements visited. */
  elementCount: number;
  /** The walk ended before the page did: too many elements, too deep, or out of time. */
  cutBy: "elements" | "time" | null;
  /** Branches left out because they nest too deep. */
  tooDeep: number;
}

const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 400;
const MAX_WALK_MS = 5_000;
/** A million tokens: more than anybody reads, and little enough to print and send in a moment. */
const MAX_TEXT_CHARS = 4_000_000;

/** A text boundary: an element without a node of its own starts or ends here. Never part of page text. */
export const EDGE = "\ue000";
const edgeInText = /[\ue000\ue001]/g;

/** @param isKnown asked with the version of what still holds: true when that has been printed already */
export function walkPage(rootElement: Element, options: WalkOptions): Walked;
export function walkPage(
  rootElement: Element,
  options: WalkOptions,
  isKnown: (version: number) => boolean,
): Walked | null;
export function walkPage(
  rootElement: Element,
  options: WalkOptions,
  isKnown?: (version: number) => boolean,
): Walked | null {
  const walk = new Walk(document, options);
  if (isKnown?.(options.changes?.version ?? -1) === true) return null;
  return walk.run(rootElement);
}

class Walk {
  readonly #options: WalkOptions;
  readonly #generated = new Generated();
  readonly #look: LookPass;
  readonly #names: NamePass;
  readonly #roles = new Map<Element, string | null>();
  readonly #visited = new Set<Element>();
  readonly #active: Element | null;
  readonly #endMs = performance.now() + MAX_WALK_MS;
  #elementCount = 0;
  #charCount = 0;
  #tooDeep = 0;
  #cutBy: Walked["cutBy"] = null;
  #keeps = false;

  constructor(document: Document, options: WalkOptions) {
    this.#options = options;
    this.#generated.addRoot(document);
    this.#look = new LookPass(this.#generated);
    this.#names = new NamePass(this.#look, (element) => this.#roleOf(element), options.masks);
    this.#active = hasFocus(document) ? activeElementOf(document) : null;
    if (options.changes !== undefined) {
      const { ruleCount, isVolatile } = this.#generated;
      const looks = `${ruleCount} ${innerWidth} ${innerHeight} ${options.masks}`;
      this.#keeps = options.changes.beginWalk(looks, isVolatile);
    }
  }

  run(rootElement: Element): Walked {
    const root: PageNode = { role: "fragment", name: "", children: [] };
    this.#visit(root, rootElement, true, false, 0);
    this.#options.changes?.endWalk(this.#generated.isVolatile || this.#cutBy !== null);
    return {
      root,
      elementCount: this.#elementCount,
      cutBy: this.#cutBy,
      tooDeep: this.#tooDeep,
    };
  }

  #roleOf(element: Element): string | null {
    let role = this.#roles.get(element);
    if (role === undefined) {
      role = roleOf(element);
      this.#roles.set(element, role);
    }
    return role;
  }

  #visit(parent: PageNode, node: Node, isParentVisible: boolean, isInPointer: boolean, depth: number): void {
    if (this.#cutBy !== null) return;
    if (isText(node)) {
      if (isParentVisible && parent.role !== "textbox" && !this.#look.isTextDropped(node)) {
        const text = dataOf(node);
        if (text !== "") this.#addText(parent, text);
      }
      return;
    }
    if (!isElement(node) || this.#visited.has(node)) return;
    this.#visited.add(node);
    const isInTextbox = parent.role === "textbox";
    const { changes } = this.#options;
    if (this.#keeps) {
      const kept = changes?.segmentOf(node);
      if (kept !== undefined && kept.isInPointer === isInPointer && kept.isInTextbox === isInTextbox) {
        for (const one of kept.nodes) parent.children.push(one);
        this.#elementCount += kept.elementCount;
        return;
      }
    }
    const countBefore = this.#elementCount;
    const start = parent.children.length;
    this.#elementCount += 1;
    if (this.#elementCount > MAX_ELEMENTS || this.#charCount > MAX_TEXT_CHARS) {
      this.#cutBy = "elements";
      return;
    }
    if (this.#elementCount % 512 === 0 && performance.now() > this.#endMs) {
      this.#cutBy = "time";
      return;
    }
    if (depth > MAX_DEPTH) {
      this.#tooDeep += 1;
      return;
    }
    this.#visitElement(parent, node, isInPointer, depth);
    if (changes !== undefined && this.#cutBy === null) {
      const elementCount = this.#elementCount - countBefore;
      const nodes = parent.children.slice(start);
      changes.keep(node, { nodes, isInPointer, isInTextbox, elementCount, generation: 0 });
    }
  }

  #addText(parent: PageNode, text: string): void {
    this.#charCount += text.length;
    parent.children.push(text.replace(edgeInText, "\ufffd"));
  }

  #visitElement(parent: PageNode, element: Element, isInPointer: boolean, depth: number): void {
    const looks = this.#look.of(element);
    if (looks.isGone) return;
    const isVisible = !looks.isHidden || (this.#options.sees === "all" && this.#look.hasBox(element));
    if (this.#options.sees === "aria" && !isVisible) {
      // What is hidden from assistive technology as a whole stays out; `visibility: hidden` alone may have visible
      // children, which the reference leaves out too.
      return;
    }
    const node = isVisible ? this.#nodeOf(element, isInPointer) : null;
    if (node !== null) parent.children.push(node);
    const target = node ?? parent;
    const isPointer = isInPointer || node?.hasPointer === true;
    if (node?.role !== "iframe")
      this.#visitChildren(target, element, isVisible, isPointer, depth, node === null);
  }

  #visitChildren(
    target: PageNode,
    element: Element,
    isVisible: boolean,
    isPointer: boolean,
    depth: number,
    isSpliced: boolean,
  ): void {
    const looks = this.#look.of(element);
    const isBlock = looks.display !== "inline" || localNameOf(element) === "br";
    if (isSpliced) target.children.push(EDGE);
    if (isBlock) target.children.push(" ");
    const before = this.#generated.textOf(element, "::before");
    if (before !== "" && isVisible) this.#addText(target, before);
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    if (assigned.length > 0) {
      for (const child of assigned) this.#visit(target, child, isVisible, isPointer, depth + 1);
    } else {
      const shadow = shadowRootOf(element);
      for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child)) {
        // Only children of a shadow host have slots.
        if (shadow === null || slotOf(child) === null)
          this.#visit(target, child, isVisible, isPointer, depth + 1);
      }
      if (shadow !== null) {
        this.#generated.addRoot(shadow);
        this.#options.changes?.observe(shadow);
        for (let child = firstChildOf(shadow); child !== null; child = nextSiblingOf(child)) {
          this.#visit(target, child, isVisible, isPointer, depth + 1);
        }
      }
    }
    if (hasAttribute(element, "aria-owns")) {
      for (const owned of elementsByIds(element, attributeOf(element, "aria-owns"))) {
        if (!contains(owned, element)) this.#visit(target, owned, isVisible, isPointer, depth + 1);
      }
    }
    const after = this.#generated.textOf(element, "::after");
    if (after !== "" && isVisible) this.#addText(target, after);
    if (isBlock) target.children.push(" ");
    if (isSpliced) target.children.push(EDGE);
  }

  #nodeOf(element: Element, isInPointer: boolean): PageNode | null {
    const tag = localNameOf(element);
    if (tag === "iframe" || tag === "frame") return this.#frameNode(element);
    const ownRole = this.#roleOf(element);
    if (ownRole === "none" || ownRole === "presentation") return null;
    const role = ownRole ?? "generic";
    const isGeneric = role === "generic";
    if (isGeneric && this.#options.sees === "aria" && !this.#isClickable(element, isInPointer)) return null;
    const looks = this.#look.of(element);
    const { style } = looks;
    if (isGeneric && style.display === "inline" && isSingleText(element) && !isEditable(element)) {
      if (isInPointer || style.cursor !== "pointer" || !isActedOn(element)) return null;
    }
    const name = ownRole !== null || mayHaveName(element) ? this.#names.nameOf(element) : noName;
    const node: PageNode = { role, name: foldBlanks(name.text), children: [], source: element };
    if (name.isFromContent) node.isNameFromContent = true;
    if (this.#names.contentTextOf(element).trim() !== "") node.isInNames = true;
    if (element === this.#active) node.active = true;
    if (attributeOf(element, "aria-hidden")?.toLowerCase() === "true") node.ariaHidden = true;
    if (style.cursor === "pointer") node.hasPointer = true;
    Object.assign(node, statesOf(element, role));
    this.#addExtras(node, element, isInPointer);
    if (this.#options.boxes && style.pointerEvents !== "none" && this.#look.hasBox(element))
      node.isReachable = true;
    return node;
  }

  #isClickable(element: Element, isInPointer: boolean): boolean {
    if (!this.#options.clickables) return false;
    return (
      isEditable(element) ||
      isActedOn(element) ||
      (!isInPointer && this.#look.of(element).style.cursor === "pointer")
    );
  }

  #addExtras(node: PageNode, element: Element, isInPointer: boolean): void {
    if (isControl(element)) this.#options.changes?.watchControl(element);
    const value = controlValue(element, this.#options.masks);
    if (value !== null && value !== "") node.children.push(value);
    if (node.role === "link") {
      const url = attributeOf(element, "href");
      if (url !== null) node.url = url.startsWith("data:") && url.length > 80 ? `${url.slice(0, 77)}…` : url;
    }
    if (node.role === "textbox" || node.role === "searchbox") {
      const placeholder = attributeOf(element, "placeholder");
      if (placeholder !== null && placeholder !== "" && placeholder !== node.name) {
        node.placeholder = foldBlanks(placeholder);
      }
    }
    if (isEditable(element)) node.isEditable = true;
    if (node.role === "generic" || node.role === "img") {
      if ((node.hasPointer === true && !isInPointer) || isActedOn(element)) node.isClickable = true;
    }
  }

  #frameNode(element: Element): PageNode {
    const node: PageNode = { role: "iframe", name: "", children: [], source: element };
    if (element === this.#active) node.active = true;
    const { style } = this.#look.of(element);
    if (style.pointerEvents !== "none" && this.#look.hasBox(element)) node.isReachable = true;
    return node;
  }
}

const noName = { text: "", isFromContent: false };

/** An element without a role has a name only when somebody gave it one. */
function mayHaveName(element: Element): boolean {
  return (
    hasAttribute(element, "aria-label") ||
    hasAttribute(element, "aria-labelledby") ||
    hasAttribute(element, "title") ||
    localNameOf(element) === "summary" ||
    element instanceof SVGElement
  );
}

function isControl(element: Element): boolean {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

function isSingleText(element: Element): boolean {
  const first = firstChildOf(element);
  return first !== null && isText(first) && nextSiblingOf(first) === null;
}

/** A handler in the markup or a tab stop: handlers that scripts add cannot be seen from here. */
function isActedOn(element: Element): boolean {
  return hasAttribute(element, "onclick") || hasTabIndex(element) || localNameOf(element) === "summary";
}
