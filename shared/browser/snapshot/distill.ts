/** Leaves out of a tree what says nothing: empty wrappers, texts that repeat names, names that repeat texts. */

import { foldBlanks, type SnapNode } from "./tree.ts";

type Child<S> = SnapNode<S> | string;

/** Boundary marks of the page walk; they only matter to the dense format. */
const EDGE = "\ue000";

/** Names of these roles tell which one it is, so they stay even where the content repeats them. */
const identifying = new Set(
  (
    "alertdialog dialog banner complementary contentinfo form main navigation region search application document " +
    "figure group grid listbox menu menubar radiogroup tablist tabpanel toolbar tree treegrid table columnheader " +
    "rowheader"
  ).split(" "),
);

/** `default` joins texts and drops empty wrappers; `ai` also drops what is said twice. */
export function distill<S>(root: SnapNode<S>, mode: "default" | "ai"): void {
  distillChildren(root, { mode, unsaid: new Set() }, false);
}

interface Distilling<S> {
  mode: "default" | "ai";
  /** Nodes whose text stands in a name above them, and which do not say it by themselves so far. */
  unsaid: Set<SnapNode<S>>;
}

function isLeafGeneric<S>(node: SnapNode<S>): boolean {
  return node.role === "generic" && node.children.every((child) => typeof child === "string");
}

function distillChildren<S>(node: SnapNode<S>, state: Distilling<S>, isInClickTarget: boolean): void {
  const { mode, unsaid } = state;
  const contributors =
    mode === "ai" && node.isNameFromContent === true && node.isReachable === true ? contributorsOf(node) : [];
  for (const one of contributors) unsaid.add(one);
  if (!isLeafGeneric(node)) unsaid.delete(node);
  const isTarget = isInClickTarget || (node.isReachable === true && node.hasPointer === true);
  const kept: Child<S>[] = [];
  for (const child of node.children) {
    if (typeof child === "string") kept.push(child);
    else {
      distillChildren(child, state, isTarget);
      kept.push(...keep(node, child, state, isTarget));
    }
  }
  node.children = joinTexts(kept, node.name);
  if (contributors.length === 0) return;
  if (!identifying.has(node.role) && contributors.every((one) => !unsaid.has(one))) node.name = "";
  else for (const one of contributors) unsaid.delete(one);
}

/** What stands in the parent for a child that is finished itself. */
function keep<S>(
  parent: SnapNode<S>,
  child: SnapNode<S>,
  { mode, unsaid }: Distilling<S>,
  isInTarget: boolean,
): Child<S>[] {
  const isClickRoot = child.isReachable === true && child.hasPointer === true && !isInTarget;
  if (mode === "ai") {
    if (child.role === "img" && child.name === "" && child.children.length === 0 && !isClickRoot) return [];
    inlineText(child);
    if (repeatsName(parent, child)) {
      if (child.isReachable === true) unsaid.add(child);
      return [];
    }
  }
  const isUnwrapped =
    child.role === "generic" &&
    child.name === "" &&
    !(mode === "default" && (child.isClickable === true || child.isEditable === true)) &&
    child.children.length <= 1 &&
    child.children.every((one) => typeof one !== "string" && one.isReachable === true) &&
    !(child.children.length === 0 && isClickRoot);
  return isUnwrapped ? child.children : [child];
}

function inlineText<S>(node: SnapNode<S>): void {
  if (node.role !== "generic" || node.children.length !== 1) return;
  const [only] = node.children;
  if (only === undefined || typeof only === "string") return;
  if (only.role !== "generic" || only.name !== "" || only.active === true || only.ariaHidden === true) return;
  const [text] = only.children;
  if (only.children.length === 1 && typeof text === "string") node.children = [text];
}

function repeatsName<S>(parent: SnapNode<S>, child: SnapNode<S>): boolean {
  if (parent.name === "" || child.role !== "generic" || child.active === true || child.ariaHidden === true) {
    return false;
  }
  if (child.name !== "") return child.children.length === 0 && child.name === parent.name;
  const [text] = child.children;
  return child.children.length === 1 && typeof text === "string" && text === parent.name;
}

/** Elements below that gave part of the name. */
function contributorsOf<S>(node: SnapNode<S>): SnapNode<S>[] {
  const found: SnapNode<S>[] = [];
  const visit = (one: SnapNode<S>): void => {
    for (const child of one.children) {
      if (typeof child === "string") continue;
      if (child.isReachable === true && child.isInNames === true) found.push(child);
      visit(child);
    }
  };
  visit(node);
  return found;
}

function joinTexts<S>(children: readonly Child<S>[], name: string): Child<S>[] {
  const joined: Child<S>[] = [];
  let buffer = "";
  const flush = () => {
    const text = foldBlanks(buffer);
    if (text !== "") joined.push(text);
    buffer = "";
  };
  for (const child of children) {
    if (typeof child === "string") {
      if (child !== EDGE) buffer += child;
    } else {
      flush();
      joined.push(child);
    }
  }
  flush();
  return joined.length === 1 && joined[0] === name ? [] : joined;
}
