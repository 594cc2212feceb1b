/**
 * First half of the dense format: what of a page is worth a line. Wrappers go, texts that repeat a name go, and each
 * node learns whether it fits into a line. What is left depends on what a person sees, not on the markup around it.
 */

import { interactiveRoles } from "./roles.ts";
import { foldBlanks, type SnapNode } from "./tree.ts";

/** Start or end of an element that has no node of its own. */
const EDGE = "\ue000";

export interface DenseText {
  text: string;
  /** Another element than the text before. */
  startsElement: boolean;
}

export interface DenseNode<S> {
  node: SnapNode<S>;
  items: (DenseText | DenseNode<S>)[];
  /** Nodes in it, itself included. */
  size: number;
  /** Something in it has lines of its own. */
  hasBlock: boolean;
  /** Printed instead of being derived from the content; empty: derived, or there is none. */
  printedName: string;
}

/** Roles whose content is a value, so that their name is always printed apart. */
export const valueRoles: ReadonlySet<string> = new Set(
  "textbox searchbox combobox listbox slider spinbutton progressbar meter scrollbar".split(" "),
);

/** Controls that people read together with the text beside them. */
const labelledRoles = new Set([...valueRoles, "checkbox", "radio", "switch"]);

/** Roles whose name never differs in substance from what stands in them. */
const contentNamed = new Set("row cell gridcell columnheader rowheader heading".split(" "));

const blockRoles = new Set(
  (
    "list listitem table grid treegrid tree row rowgroup cell gridcell columnheader rowheader form main navigation banner " +
    "contentinfo complementary region search dialog alertdialog article feed group radiogroup tablist tabpanel menu " +
    "menubar toolbar figure blockquote iframe document application log alert status definition caption directory"
  ).split(" "),
);

/** Lines of their own too, but inside of a link or button they stand in its line. */
const softBlockRoles = new Set(["heading", "paragraph", "separator"]);

export const isBlockRole = (role: string): boolean => blockRoles.has(role) || softBlockRoles.has(role);
export const isHardBlockRole = (role: string): boolean => blockRoles.has(role);
export const isLabelledRole = (role: string): boolean => labelledRoles.has(role);

export function isText<S>(item: DenseText | DenseNode<S>): item is DenseText {
  return "text" in item;
}

export function nodesIn<S>(items: readonly (DenseText | DenseNode<S>)[]): DenseNode<S>[] {
  return items.filter((item): item is DenseNode<S> => !isText(item));
}

/** Something that can be acted on, so that its ref is always printed. */
export function isActionable(node: SnapNode): boolean {
  return interactiveRoles.has(node.role) || node.isClickable === true || node.isEditable === true;
}

/** Dense nodes of nodes that an earlier walk made and that still stand. */
export type DenseCache<S> = WeakMap<SnapNode<S>, DenseNode<S>>;

/**
 * @param root a `fragment`, as walked: not distilled
 * @param cache filled and used; nodes never change, so what was made of one stays right
 */
export function toDenseTree<S>(root: SnapNode<S>, cache?: DenseCache<S>): DenseNode<S> {
  return densify(root, cache);
}

function isWrapper(node: SnapNode): boolean {
  return node.role === "generic" && node.name === "" && node.isClickable !== true && node.isEditable !== true;
}

function densify<S>(node: SnapNode<S>, cache: DenseCache<S> | undefined): DenseNode<S> {
  const known = cache?.get(node);
  if (known !== undefined) return known;
  const items: (DenseText | DenseNode<S>)[] = [];
  const state = nothingCollected();
  collect(node.children, items, state, cache);
  flush(items, state);
  const dense: DenseNode<S> = { node, items, size: 1, hasBlock: false, printedName: node.name };
  dropRepeatedTexts(dense);
  for (const item of dense.items) {
    if (isText(item)) continue;
    dense.size += item.size;
    dense.hasBlock ||= item.hasBlock || isHardBlockRole(item.node.role);
  }
  dense.printedName = nameToPrint(dense);
  cache?.set(node, dense);
  return dense;
}

/** Pictures without a name: icons, spacers, their inner shapes. */
function isNothing<S>({ node, items }: DenseNode<S>): boolean {
  return node.role === "img" && node.name === "" && items.length === 0 && node.isClickable !== true;
}

/** Texts since the last node. A list, because a page may glue a hundred thousand of them together. */
interface Collecting {
  parts: string[];
  lastChar: string;
  hasInk: boolean;
  hasEdge: boolean;
}

const nothingCollected = (): Collecting => ({ parts: [], lastChar: "", hasInk: false, hasEdge: false });

function addText(state: Collecting, text: string): void {
  if (text === "" || (text === " " && state.lastChar === " ")) return;
  state.parts.push(text);
  state.lastChar = text.slice(-1);
  if (!state.hasInk && text !== " ") state.hasInk = /\S/.test(text);
}

function collect<S>(
  children: readonly (SnapNode<S> | string)[],
  items: (DenseText | DenseNode<S>)[],
  state: Collecting,
  cache: DenseCache<S> | undefined,
): void {
  for (const child of children) {
    if (typeof child === "string") {
      if (child === EDGE) edge(items, state);
      else addText(state, child);
    } else if (isWrapper(child)) {
      edge(items, state);
      collect(child.children, items, state, cache);
      edge(items, state);
    } else {
      const dense = densify(child, cache);
      if (isNothing(dense)) continue;
      flush(items, state);
      items.push(dense);
      state.hasEdge = false;
    }
  }
}

/** Texts of two elements that touch without a blank are one word on the page: they stay together. */
function edge<S>(items: (DenseText | DenseNode<S>)[], state: Collecting): void {
  if (state.lastChar === PENDING) return;
  if (state.lastChar !== "" && state.lastChar !== " " && /\S/.test(state.lastChar)) {
    state.parts.push(PENDING);
    state.lastChar = PENDING;
    return;
  }
  if (state.hasInk) flush(items, state);
  state.hasEdge = true;
}

const PENDING = "\ue001";

function flush<S>(items: (DenseText | DenseNode<S>)[], state: Collecting): void {
  if (state.parts.length === 0) return;
  const { hasInk } = state;
  const whole = hasInk ? state.parts.join("") : "";
  state.parts.length = 0;
  state.lastChar = "";
  state.hasInk = false;
  if (!hasInk) return;
  // A pending edge counts only where a blank follows it.
  const parts = whole.includes(PENDING) ? whole.split(/\ue001+(?=\s)|\s\ue001+/) : [whole];
  for (const [index, part] of parts.entries()) {
    const text = foldBlanks(part.replaceAll(PENDING, ""));
    if (text === "") {
      if (index > 0) state.hasEdge = true;
      continue;
    }
    items.push({ text, startsElement: state.hasEdge || index > 0 });
    state.hasEdge = false;
  }
}

/** Letters alone, to compare texts that differ in blanks. */
function squash(text: string): string {
  return text.replace(/\s+/g, "");
}

function dropRepeatedTexts<S>(dense: DenseNode<S>): void {
  const { items, node } = dense;
  const kept: (DenseText | DenseNode<S>)[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    if (!isText(item)) {
      kept.push(isCaptionOf(item, node) ? { ...item, items: [] } : item);
      continue;
    }
    let { text } = item;
    // A tree item's name stands beside the items below it; it is printed once, in front.
    if (text === node.name && items.length > 1 && node.isNameFromContent === true) {
      if (squash(contentOf(dense)) !== squash(node.name)) continue;
    }
    if (
      node.isNameFromContent !== true &&
      node.name !== "" &&
      isHardBlockRole(node.role) &&
      text === node.name
    )
      continue;
    for (const neighbour of [items[index - 1], items[index + 1]]) {
      if (neighbour === undefined || isText(neighbour) || !labelledRoles.has(neighbour.node.role)) continue;
      text = withoutName(text, neighbour.node.name);
    }
    if (text !== "") kept.push(text === item.text ? item : { ...item, text });
  }
  dense.items = kept;
}

/** A caption or legend with a role of its own says what the name of its parent says. */
function isCaptionOf<S>(item: DenseNode<S>, parent: SnapNode<S>): boolean {
  const [only] = item.items;
  if (item.node.role !== "caption" || item.items.length !== 1 || only === undefined || !isText(only))
    return false;
  return only.text === parent.name;
}

/** A label beside its control: what the name says already goes, a mark such as `*` stays. */
function withoutName(text: string, name: string): string {
  if (name === "" || !text.includes(name)) return text;
  if (text === name) return "";
  const rest = text.startsWith(name)
    ? text.slice(name.length)
    : text.endsWith(name)
      ? text.slice(0, -name.length)
      : text;
  return rest.length <= 4 || rest.length * 4 < text.length ? rest.trim() : text;
}

/** @returns the text that stands in a node, controls inside of it by their names */
export function contentOf<S>(dense: DenseNode<S>): string {
  return dense.items
    .map((item) => (isText(item) ? item.text : item.node.name !== "" ? item.node.name : contentOf(item)))
    .join(" ");
}

function nameToPrint<S>(dense: DenseNode<S>): string {
  const { node } = dense;
  if (node.name === "") return "";
  if (valueRoles.has(node.role)) return node.name;
  if (blockRoles.has(node.role) && node.isNameFromContent !== true) return node.name;
  if (dense.items.length === 0) return "";
  if (contentNamed.has(node.role) && node.isNameFromContent === true) return "";
  if (squash(contentOf(dense)) === squash(node.name)) return "";
  return node.name;
}
