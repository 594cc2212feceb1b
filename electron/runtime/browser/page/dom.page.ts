/**
 * Reading the DOM without being fooled by it: a form or a document lets its named children hide built-in properties
 * (`<input name="firstChild">`), in isolated worlds too, so the getters of the prototypes are called directly.
 */

function getter<Owner, Value>(prototype: object, name: string): (owner: Owner) => Value {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (get === undefined) throw new Error(`This browser has no property ${name}.`);
  return Function.prototype.call.bind(get) as (owner: Owner) => Value;
}

function method<Owner, Args extends unknown[], Value>(
  prototype: object,
  name: string,
): (owner: Owner, ...args: Args) => Value {
  const value: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
  if (typeof value !== "function") throw new Error(`This browser has no method ${name}.`);
  return Function.prototype.call.bind(value) as (owner: Owner, ...args: Args) => Value;
}

export const firstChildOf = getter<Node, ChildNode | null>(Node.prototype, "firstChild");
export const nextSiblingOf = getter<Node, ChildNode | null>(Node.prototype, "nextSibling");
export const parentNodeOf = getter<Node, ParentNode | null>(Node.prototype, "parentNode");
export const parentElementOf = getter<Node, Element | null>(Node.prototype, "parentElement");
export const nodeTypeOf = getter<Node, number>(Node.prototype, "nodeType");
export const textContentOf = getter<Node, string | null>(Node.prototype, "textContent");
export const isConnected = getter<Node, boolean>(Node.prototype, "isConnected");
export const contains = method<Node, [Node | null], boolean>(Node.prototype, "contains");
export const rootOf = method<Node, [], Node>(Node.prototype, "getRootNode");
export const dataOf = getter<CharacterData, string>(CharacterData.prototype, "data");
export const localNameOf = getter<Element, string>(Element.prototype, "localName");
export const shadowRootOf = getter<Element, ShadowRoot | null>(Element.prototype, "shadowRoot");
export const childCountOf = getter<Element, number>(Element.prototype, "childElementCount");
export const nextElementOf = getter<Element, Element | null>(Element.prototype, "nextElementSibling");
export const previousElementOf = getter<Element, Element | null>(Element.prototype, "previousElementSibling");
export const firstElementOf = getter<Element, Element | null>(Element.prototype, "firstElementChild");
export const attributeOf = method<Element, [string], string | null>(Element.prototype, "getAttribute");
export const hasAttribute = method<Element, [string], boolean>(Element.prototype, "hasAttribute");
export const closest = method<Element, [string], Element | null>(Element.prototype, "closest");
export const matches = method<Element, [string], boolean>(Element.prototype, "matches");
export const queryOne = method<Element, [string], Element | null>(Element.prototype, "querySelector");
export const queryAll = method<Element, [string], NodeListOf<Element>>(Element.prototype, "querySelectorAll");
export const rectOf = method<Element, [], DOMRect>(Element.prototype, "getBoundingClientRect");
export const isRendered = method<Element, [], boolean>(Element.prototype, "checkVisibility");
const elementSlot = getter<Element, HTMLSlotElement | null>(Element.prototype, "assignedSlot");
const textSlot = getter<Text, HTMLSlotElement | null>(Text.prototype, "assignedSlot");
export const activeElementOf = getter<Document, Element | null>(Document.prototype, "activeElement");
export const hasFocus = method<Document, [], boolean>(Document.prototype, "hasFocus");
export const titleOf = getter<Document, string>(Document.prototype, "title");
export const styleSheetsOf = getter<Document, StyleSheetList>(Document.prototype, "styleSheets");
export const documentElementOf = getter<Document, Element | null>(Document.prototype, "documentElement");
export const bodyOf = getter<Document, HTMLElement | null>(Document.prototype, "body");
export const queryAllInDocument = method<Document, [string], NodeListOf<Element>>(
  Document.prototype,
  "querySelectorAll",
);
export const queryDocument = method<Document, [string], Element | null>(Document.prototype, "querySelector");
const documentById = method<Document, [string], Element | null>(Document.prototype, "getElementById");
const fragmentById = method<DocumentFragment, [string], Element | null>(
  DocumentFragment.prototype,
  "getElementById",
);

export const ELEMENT = 1;
export const TEXT = 3;

export function isElement(node: Node): node is Element {
  return nodeTypeOf(node) === ELEMENT;
}

export function isText(node: Node): node is Text {
  return nodeTypeOf(node) === TEXT;
}

export function slotOf(node: Node): HTMLSlotElement | null {
  if (isElement(node)) return elementSlot(node);
  return isText(node) ? textSlot(node) : null;
}

/** The parent as the flat tree sees it, but for slots: out of a shadow root to its host. */
export function parentAcrossShadow(element: Element): Element | null {
  const parent = parentElementOf(element);
  if (parent !== null) return parent;
  const node = parentNodeOf(element);
  return node instanceof ShadowRoot ? node.host : null;
}

/** Nearest match among the element and its ancestors, out of shadow roots too. */
export function closestAcrossShadow(element: Element, selector: string): Element | null {
  for (let scope: Element | null = element; scope !== null; ) {
    const found = closest(scope, selector);
    if (found !== null) return found;
    const root = rootOf(scope);
    scope = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}

/** Elements that an attribute of ids names, in its order, each once, from the same tree. */
export function elementsByIds(element: Element, ids: string | null): Element[] {
  if (ids === null || ids === "") return [];
  const root = rootOf(element);
  const found = new Set<Element>();
  for (const id of ids.split(/\s+/)) {
    if (id === "") continue;
    let one: Element | null = null;
    if (root instanceof Document) one = documentById(root, id);
    else if (root instanceof DocumentFragment) one = fragmentById(root, id);
    if (one !== null) found.add(one);
  }
  return [...found];
}
