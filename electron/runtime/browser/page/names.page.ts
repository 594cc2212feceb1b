/** Accessible names, by the steps of ARIA's name computation and the texts of HTML-AAM. */

import {
  attributeOf,
  contains,
  dataOf,
  elementsByIds,
  firstChildOf,
  firstElementOf,
  hasAttribute,
  isElement,
  isText,
  localNameOf,
  nextElementOf,
  nextSiblingOf,
  queryAll,
  shadowRootOf,
  slotOf,
  textContentOf,
} from "./dom.page.ts";
import { LabelIndex } from "./labels.page.ts";
import type { LookPass } from "./look.page.ts";
import { isOneTimeCode } from "./values.page.ts";

const unnameable = new Set(
  (
    "caption code definition deletion emphasis generic insertion mark paragraph presentation strong subscript " +
    "suggestion superscript term time"
  ).split(" "),
);

const namedFromContent = new Set(
  (
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row " +
    "rowheader switch tab tooltip treeitem"
  ).split(" "),
);

/** Inside of something named from its content these add their content too. */
const addsContent = new Set(
  (
    "caption code contentinfo definition deletion emphasis insertion list listitem mark none paragraph presentation " +
    "region row rowgroup section strong subscript superscript table term time"
  ).split(" "),
);

const rangeRoles = new Set(["progressbar", "scrollbar", "slider", "spinbutton", "meter"]);
const textualInputs = new Set(["text", "password", "number", "search", "tel", "email", "url"]);
const MAX_NAME_DEPTH = 200;

/** Why an element's text is wanted. */
interface Wanted {
  /** The element whose name it is, or something inside of it; absent inside of labels. */
  part: "self" | "descendant" | "reference";
  /** Through `aria-labelledby`, a label or a caption: does hidden text count, because the reference is hidden itself? */
  via: "content" | "labelledby" | "label" | "caption";
  withHidden: boolean;
}

export interface AccessibleName {
  text: string;
  /** The element's own content gave it. */
  isFromContent: boolean;
}

const asChild = (wanted: Wanted): Wanted =>
  wanted.part === "self" ? { ...wanted, part: "descendant" } : wanted;

/** Blanks folded; no-break spaces stay. */
export function foldName(text: string): string {
  return text
    .replace(/[\u200b\u00ad]/g, "")
    .replace(/[^\S\u00a0]+/g, " ")
    .trim();
}

export class NamePass {
  readonly #look: LookPass;
  readonly #roleOf: (element: Element) => string | null;
  readonly #masks: boolean;
  /** Text of elements inside of named ones; what gives a cell its name gives it to the row as well. */
  readonly #contentText = new Map<Element, string>();
  readonly #labelIndex = new LabelIndex();
  #depth = 0;

  constructor(look: LookPass, roleOf: (element: Element) => string | null, masks: boolean) {
    this.#look = look;
    this.#roleOf = roleOf;
    this.#masks = masks;
  }

  /** Text that the element adds to the name of something around it. */
  contentTextOf(element: Element): string {
    return this.#contentText.get(element) ?? "";
  }

  nameOf(element: Element): AccessibleName {
    if (unnameable.has(this.#roleOf(element) ?? "")) return { text: "", isFromContent: false };
    const visited = new Set<Element>();
    const source = { isContent: false };
    const text = this.#alternative(
      element,
      { part: "self", via: "content", withHidden: false },
      visited,
      source,
    );
    return { text: foldName(text), isFromContent: source.isContent };
  }

  #alternative(
    element: Element,
    wanted: Wanted,
    visited: Set<Element>,
    source?: { isContent: boolean },
  ): string {
    if (wanted.part === "descendant" && wanted.via === "content" && !wanted.withHidden) {
      const known = this.#contentText.get(element);
      if (known !== undefined) return known;
      if (visited.has(element) || this.#depth > MAX_NAME_DEPTH) return "";
      this.#depth += 1;
      const text = this.#compute(element, wanted, visited);
      this.#depth -= 1;
      this.#contentText.set(element, text);
      return text;
    }
    if (visited.has(element) || this.#depth > MAX_NAME_DEPTH) return "";
    this.#depth += 1;
    const text = this.#compute(element, wanted, visited, source);
    this.#depth -= 1;
    return text;
  }

  #compute(element: Element, wanted: Wanted, visited: Set<Element>, source?: { isContent: boolean }): string {
    const tag = localNameOf(element);
    if (tag === "style" || tag === "script" || tag === "noscript" || tag === "template") return "";
    if (!wanted.withHidden && this.#look.of(element).isHidden) return "";

    const labelledBy = hasAttribute(element, "aria-labelledby")
      ? elementsByIds(element, attributeOf(element, "aria-labelledby"))
      : [];
    if (wanted.via !== "labelledby" && labelledBy.length > 0) {
      const text = labelledBy
        .map((other) =>
          this.#alternative(
            other,
            { part: "reference", via: "labelledby", withHidden: this.#look.of(other).isHidden },
            visited,
          ),
        )
        .join(" ");
      if (text !== "") return text;
    }

    const role = this.#roleOf(element) ?? "";
    const isInside = wanted.part !== "self";
    if (isInside && !labelledBy.includes(element)) {
      const value = this.#embeddedValue(element, tag, role, wanted, visited);
      if (value !== null) return value;
    }

    const label = attributeOf(element, "aria-label");
    if (label !== null && label.trim() !== "") {
      visited.add(element);
      return label;
    }

    if (role !== "presentation" && role !== "none") {
      const native = this.#nativeText(element, tag, wanted, visited, labelledBy.length > 0);
      if (native !== null) return native;
    }

    const takesContent =
      namedFromContent.has(role) ||
      (isInside && (role === "" || addsContent.has(role))) ||
      (tag === "summary" && role !== "presentation" && role !== "none") ||
      wanted.via !== "content";
    if (takesContent) {
      visited.add(element);
      const text = this.#content(element, asChild(wanted), visited);
      if (wanted.part === "self" ? text.trim() !== "" : text !== "") {
        if (source !== undefined && wanted.part === "self") source.isContent = true;
        return text;
      }
    }
    visited.add(element);
    return role === "presentation" || role === "none" ? "" : titleOf(element);
  }

  /** A control inside of a name gives its value. */
  #embeddedValue(
    element: Element,
    tag: string,
    role: string,
    wanted: Wanted,
    visited: Set<Element>,
  ): string | null {
    if (role === "textbox" || role === "searchbox") {
      visited.add(element);
      if (this.#masks && isOneTimeCode(element)) return "";
      return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? element.value
        : (textContentOf(element) ?? "");
    }
    if (role === "combobox" || role === "listbox") {
      visited.add(element);
      const chosen = this.#chosenOptions(element, tag, role);
      if (chosen.length === 0 && element instanceof HTMLInputElement) return element.value;
      return chosen.map((option) => this.#alternative(option, asChild(wanted), visited)).join(" ");
    }
    if (rangeRoles.has(role)) {
      visited.add(element);
      return (
        attributeOf(element, "aria-valuetext") ??
        attributeOf(element, "aria-valuenow") ??
        attributeOf(element, "value") ??
        ""
      );
    }
    if (role === "menu") {
      visited.add(element);
      return "";
    }
    return null;
  }

  #chosenOptions(element: Element, tag: string, role: string): Element[] {
    if (tag === "select" && element instanceof HTMLSelectElement) {
      const chosen: Element[] = [...element.selectedOptions];
      const first = element.options[0];
      if (chosen.length === 0 && first !== undefined) chosen.push(first);
      return chosen;
    }
    const isOf = (wantedRole: string) => (one: Element) => this.#roleOf(one) === wantedRole;
    const list = role === "listbox" ? element : ownedBy(element, "*").find(isOf("listbox"));
    return list === undefined ? [] : ownedBy(list, '[aria-selected="true" i]').filter(isOf("option"));
  }

  /** @returns null when the element's kind has no text of its own and its content decides */
  #nativeText(
    element: Element,
    tag: string,
    wanted: Wanted,
    visited: Set<Element>,
    isLabelledBy: boolean,
  ): string | null {
    const seen = (text: string): string => {
      visited.add(element);
      return text;
    };
    if (element instanceof HTMLInputElement) {
      const { type } = element;
      if (type === "button" || type === "submit" || type === "reset") {
        if (element.value.trim() !== "") return seen(element.value);
        return seen(type === "submit" ? "Submit" : type === "reset" ? "Reset" : titleOf(element));
      }
      if (type === "file" || type === "image") {
        const labels = wanted.via === "labelledby" ? "" : this.#labels(element, wanted, visited);
        if (labels !== "") return labels;
        if (type === "file") return seen("Choose File");
        return seen(nonBlank(attributeOf(element, "alt")) ?? nonBlank(titleOf(element)) ?? "Submit");
      }
    }
    if (!isLabelledBy) {
      if (tag === "button" || tag === "output") {
        const labels = this.#labels(element, wanted, visited);
        if (labels !== "") return labels;
        if (tag === "output") return seen(titleOf(element));
      }
      if (["textarea", "select", "input", "meter", "progress"].includes(tag)) {
        const labels = this.#labels(element, wanted, visited);
        if (labels !== "" || this.#labelIndex.labelsOf(element).length > 0) return labels;
        const title = titleOf(element);
        const takesPlaceholder =
          tag === "textarea" || (element instanceof HTMLInputElement && textualInputs.has(element.type));
        return seen(title !== "" || !takesPlaceholder ? title : (attributeOf(element, "placeholder") ?? ""));
      }
      if (tag === "fieldset" || tag === "figure") {
        const caption = childNamed(element, tag === "fieldset" ? "legend" : "figcaption");
        visited.add(element);
        return caption === null ? titleOf(element) : this.#caption(caption, wanted, visited);
      }
    }
    if (tag === "img" || tag === "area") {
      return seen(nonBlank(attributeOf(element, "alt")) ?? titleOf(element));
    }
    if (tag === "table") {
      const caption = childNamed(element, "caption");
      visited.add(element);
      if (caption !== null) return this.#caption(caption, wanted, visited);
      const summary = attributeOf(element, "summary");
      if (summary !== null && summary !== "") return summary;
    }
    if (element instanceof SVGElement) {
      visited.add(element);
      for (let child = firstElementOf(element); child !== null; child = nextElementOf(child)) {
        if (localNameOf(child) === "title" && child instanceof SVGElement)
          return this.#caption(child, wanted, visited);
      }
      if (tag === "a") {
        const title = nonBlank(attributeOf(element, "xlink:title"));
        if (title !== null) return title;
      }
    }
    return null;
  }

  #caption(caption: Element, wanted: Wanted, visited: Set<Element>): string {
    const withHidden = wanted.withHidden || this.#look.of(caption).isHidden;
    return this.#alternative(caption, { part: "descendant", via: "caption", withHidden }, visited);
  }

  #labels(element: Element, _wanted: Wanted, visited: Set<Element>): string {
    visited.add(element);
    const texts: string[] = [];
    for (const label of this.#labelIndex.labelsOf(element)) {
      const withHidden = this.#look.of(label).isHidden;
      const text = this.#alternative(label, { part: "reference", via: "label", withHidden }, visited);
      if (text !== "") texts.push(text);
    }
    return texts.join(" ");
  }

  #content(element: Element, wanted: Wanted, visited: Set<Element>): string {
    const generated = this.#look.generated;
    let text = generated.textOf(element, "::before");
    const add = (node: Node, skipsSlotted: boolean): void => {
      if (skipsSlotted && slotOf(node) !== null) return;
      if (isElement(node)) {
        const inner = this.#alternative(node, wanted, visited);
        const display = this.#look.of(node).display;
        text += display === "inline" && localNameOf(node) !== "br" ? inner : ` ${inner} `;
      } else if (isText(node)) {
        if (wanted.withHidden || !this.#look.isTextDropped(node)) text += dataOf(node);
      }
    };
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    if (assigned.length > 0) for (const node of assigned) add(node, false);
    else {
      const shadow = shadowRootOf(element);
      for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child))
        add(child, shadow !== null);
      if (shadow !== null) {
        generated.addRoot(shadow);
        for (let child = firstChildOf(shadow); child !== null; child = nextSiblingOf(child)) add(child, true);
      }
      if (hasAttribute(element, "aria-owns")) {
        for (const owned of elementsByIds(element, attributeOf(element, "aria-owns"))) {
          if (!contains(owned, element)) add(owned, true);
        }
      }
    }
    return text + generated.textOf(element, "::after");
  }
}

function titleOf(element: Element): string {
  const title = attributeOf(element, "title");
  return title === null || title.trim() === "" ? "" : title;
}

function nonBlank(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}

function childNamed(element: Element, tag: string): Element | null {
  for (let child = firstElementOf(element); child !== null; child = nextElementOf(child)) {
    if (localNameOf(child) === tag) return child;
  }
  return null;
}

function ownedBy(element: Element, selector: string): Element[] {
  const found = [...queryAll(element, selector)];
  for (const owned of elementsByIds(element, attributeOf(element, "aria-owns"))) {
    found.push(owned, ...queryAll(owned, selector));
  }
  return found;
}
