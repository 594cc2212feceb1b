/** Finds the `<label>` elements of controls without searching the whole tree for each of them. */

import { queryAllInDocument, rootOf } from "./dom.page.ts";

/** Up to here each control is asked for its labels; an index of all labels costs more. */
const FEW_LOOK_UPS = 6;
const noLabels: readonly Element[] = [];

/** Labels of one walk. */
export class LabelIndex {
  readonly #indexes = new Map<Node, ReadonlyMap<Element, readonly Element[]>>();
  #lookUps = 0;

  /** @returns the labels in the order of the tree; empty for what cannot have any */
  labelsOf(element: Element): readonly Element[] {
    if (this.#lookUps < FEW_LOOK_UPS) {
      this.#lookUps += 1;
      return "labels" in element && element.labels instanceof NodeList
        ? [...(element.labels as NodeListOf<HTMLLabelElement>)]
        : noLabels;
    }
    const root = rootOf(element);
    let index = this.#indexes.get(root);
    if (index === undefined) {
      index = indexLabels(root);
      this.#indexes.set(root, index);
    }
    return index.get(element) ?? noLabels;
  }
}

/** Labels of one tree by what they label: a control's own `labels` searches the whole tree each time. */
function indexLabels(root: Node): ReadonlyMap<Element, readonly Element[]> {
  const index = new Map<Element, Element[]>();
  let labels: Iterable<Element> = [];
  if (root instanceof Document) labels = queryAllInDocument(root, "label");
  else if (root instanceof DocumentFragment) labels = root.querySelectorAll("label");
  for (const label of labels) {
    const control = label instanceof HTMLLabelElement ? label.control : null;
    if (control === null) continue;
    const known = index.get(control);
    if (known === undefined) index.set(control, [label]);
    else known.push(label);
  }
  return index;
}
