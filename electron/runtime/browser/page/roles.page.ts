/** Which ARIA role an element has: the explicit one, else that of HTML-AAM. */

import {
  attributeOf,
  closest,
  closestAcrossShadow,
  elementsByIds,
  firstChildOf,
  hasAttribute,
  localNameOf,
  nextElementOf,
  parentAcrossShadow,
  parentElementOf,
  previousElementOf,
  textContentOf,
} from "./dom.page.ts";

const knownRoles = new Set(
  (
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid " +
    "gridcell group heading img insertion link list listbox listitem log main mark marquee math meter menu menubar " +
    "menuitem menuitemcheckbox menuitemradio navigation none note option paragraph presentation progressbar radio " +
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong " +
    "subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid " +
    "treeitem"
  ).split(" "),
);

/** Attributes that make an element matter even where its role is `none` (ARIA, presentational role conflicts). */
const globalAttributes = (
  "aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto " +
  "aria-grabbed aria-hidden aria-keyshortcuts aria-live aria-owns aria-relevant"
).split(" ");

const namingProhibited = new Set(
  "caption code deletion emphasis generic insertion paragraph presentation strong subscript superscript".split(
    " ",
  ),
);

const sectioning =
  "article:not([role]), aside:not([role]), main:not([role]), nav:not([role]), section:not([role]), " +
  "[role=article], [role=complementary], [role=main], [role=navigation], [role=region]";

const plainRoles = new Map<string, string>([
  ["article", "article"],
  ["aside", "complementary"],
  ["blockquote", "blockquote"],
  ["button", "button"],
  ["caption", "caption"],
  ["code", "code"],
  ["datalist", "listbox"],
  ["dd", "definition"],
  ["del", "deletion"],
  ["details", "group"],
  ["dfn", "term"],
  ["dialog", "dialog"],
  ["dt", "term"],
  ["em", "emphasis"],
  ["fieldset", "group"],
  ["figure", "figure"],
  ["h1", "heading"],
  ["h2", "heading"],
  ["h3", "heading"],
  ["h4", "heading"],
  ["h5", "heading"],
  ["h6", "heading"],
  ["hr", "separator"],
  ["html", "document"],
  ["ins", "insertion"],
  ["li", "listitem"],
  ["main", "main"],
  ["mark", "mark"],
  ["math", "math"],
  ["menu", "list"],
  ["meter", "meter"],
  ["nav", "navigation"],
  ["ol", "list"],
  ["optgroup", "group"],
  ["option", "option"],
  ["output", "status"],
  ["p", "paragraph"],
  ["progress", "progressbar"],
  ["search", "search"],
  ["strong", "strong"],
  ["sub", "subscript"],
  ["sup", "superscript"],
  ["svg", "img"],
  ["table", "table"],
  ["tbody", "rowgroup"],
  ["textarea", "textbox"],
  ["tfoot", "rowgroup"],
  ["thead", "rowgroup"],
  ["time", "time"],
  ["tr", "row"],
  ["ul", "list"],
]);

const inputRoles = new Map<string, string>([
  ["button", "button"],
  ["checkbox", "checkbox"],
  ["file", "button"],
  ["image", "button"],
  ["number", "spinbutton"],
  ["radio", "radio"],
  ["range", "slider"],
  ["reset", "button"],
  ["submit", "button"],
]);

/** A `none` on the parent is inherited by these children of these parents. */
const inheritsNone = new Map<string, readonly string[]>([
  ["dd", ["dl", "div"]],
  ["div", ["dl"]],
  ["dt", ["dl", "div"]],
  ["li", ["ol", "ul"]],
  ["tbody", ["table"]],
  ["td", ["tr"]],
  ["tfoot", ["table"]],
  ["th", ["tr"]],
  ["thead", ["table"]],
  ["tr", ["thead", "tbody", "tfoot", "table"]],
]);

/** @returns the first known word of `role`, or null */
export function explicitRole(element: Element): string | null {
  const attribute = attributeOf(element, "role");
  if (attribute === null || attribute === "") return null;
  for (const word of attribute.toLowerCase().split(/\s+/)) if (knownRoles.has(word)) return word;
  return null;
}

/** @returns the role, `none` and `presentation` included; null for an element without one (a generic) */
export function roleOf(element: Element): string | null {
  const explicit = explicitRole(element);
  if (explicit === null) return implicitRole(element);
  if (explicit === "none" || explicit === "presentation") {
    const implicit = implicitRole(element);
    if (hasGlobalAttribute(element, implicit) || isFocusable(element)) return implicit;
  }
  return explicit;
}

function implicitRole(element: Element): string | null {
  const role = tagRole(element);
  if (role === null) return null;
  for (let child: Element = element; ; ) {
    const parents = inheritsNone.get(localNameOf(child));
    if (parents === undefined) return role;
    const parent = parentAcrossShadow(child);
    if (parent === null || !parents.includes(localNameOf(parent))) return role;
    const explicit = explicitRole(parent);
    if (
      (explicit === "none" || explicit === "presentation") &&
      !hasGlobalAttribute(parent, explicit) &&
      !isFocusable(parent)
    ) {
      return explicit;
    }
    child = parent;
  }
}

function tagRole(element: Element): string | null {
  const tag = localNameOf(element);
  const plain = plainRoles.get(tag);
  if (plain !== undefined) return plain;
  switch (tag) {
    case "a":
    case "area":
      return hasAttribute(element, "href") ? "link" : null;
    case "footer":
      return closestAcrossShadow(element, sectioning) === null ? "contentinfo" : null;
    case "header":
      return closestAcrossShadow(element, sectioning) === null ? "banner" : null;
    case "form":
      return isExplicitlyNamed(element) ? "form" : null;
    case "section":
      return isExplicitlyNamed(element) ? "region" : null;
    case "img":
      return isDecorative(element) ? "presentation" : "img";
    case "input":
      return inputRole(element);
    case "select":
      return isListBox(element) ? "listbox" : "combobox";
    case "td":
      return cellRole(element);
    case "th":
      return headerRole(element);
    default:
      return null;
  }
}

function isExplicitlyNamed(element: Element): boolean {
  return hasAttribute(element, "aria-label") || hasAttribute(element, "aria-labelledby");
}

function isDecorative(image: Element): boolean {
  return (
    attributeOf(image, "alt") === "" &&
    !attributeOf(image, "title") &&
    !hasGlobalAttribute(image, null) &&
    !hasTabIndex(image)
  );
}

function inputRole(input: Element): string | null {
  const type = input instanceof HTMLInputElement ? input.type : "text";
  if (type === "hidden") return null;
  const special = inputRoles.get(type);
  if (special !== undefined) return special;
  if (["email", "search", "tel", "text", "url"].includes(type)) {
    const list = elementsByIds(input, attributeOf(input, "list"))[0];
    if (list !== undefined && localNameOf(list) === "datalist") return "combobox";
    if (type === "search") return "searchbox";
  }
  return "textbox";
}

export function isListBox(select: Element): boolean {
  return select instanceof HTMLSelectElement && (select.multiple || select.size > 1);
}

function cellRole(cell: Element): string {
  const table = closestAcrossShadow(cell, "table");
  const role = table === null ? null : explicitRole(table);
  return role === "grid" || role === "treegrid" ? "gridcell" : "cell";
}

/** HTML-AAM: scope decides, else the neighbours. */
function headerRole(header: Element): string | null {
  const scope = attributeOf(header, "scope")?.toLowerCase();
  if (scope === "col" || scope === "colgroup") return "columnheader";
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  const next = nextElementOf(header);
  const previous = previousElementOf(header);
  if (next === null && previous === null) {
    const row = parentElementOf(header);
    const table = row !== null && localNameOf(row) === "tr" ? closest(row, "table") : null;
    return table instanceof HTMLTableElement && table.rows.length <= 1 ? null : "columnheader";
  }
  if (isHeaderCell(next) && isHeaderCell(previous)) return "columnheader";
  return isFilledDataCell(next) || isFilledDataCell(previous) ? "rowheader" : "columnheader";
}

function isHeaderCell(element: Element | null): boolean {
  return element !== null && localNameOf(element) === "th";
}

function isFilledDataCell(element: Element | null): boolean {
  if (element === null || localNameOf(element) !== "td") return false;
  return (
    (textContentOf(element) ?? "").trim() !== "" ||
    (firstChildOf(element) !== null && element.children.length > 0)
  );
}

function hasGlobalAttribute(element: Element, role: string | null): boolean {
  for (const name of globalAttributes) if (hasAttribute(element, name)) return true;
  if (role === null || !namingProhibited.has(role)) {
    if (isExplicitlyNamed(element)) return true;
  }
  return role !== "generic" && hasAttribute(element, "aria-roledescription");
}

export function hasTabIndex(element: Element): boolean {
  const value = attributeOf(element, "tabindex");
  return value !== null && !Number.isNaN(Number(value));
}

function isFocusable(element: Element): boolean {
  if (isNativelyDisabled(element)) return false;
  const tag = localNameOf(element);
  if (["button", "details", "select", "textarea"].includes(tag)) return true;
  if (tag === "a" || tag === "area") return hasAttribute(element, "href");
  if (tag === "input") return !hasAttribute(element, "hidden");
  return hasTabIndex(element);
}

const formControls = new Set(["button", "input", "select", "textarea", "option", "optgroup"]);

export function isNativelyDisabled(element: Element): boolean {
  if (!formControls.has(localNameOf(element))) return false;
  if (hasAttribute(element, "disabled")) return true;
  if (localNameOf(element) === "option" && closest(element, "optgroup[disabled]") !== null) return true;
  const fieldset = closest(element, "fieldset[disabled]");
  if (fieldset === null) return false;
  for (let child = firstChildOf(fieldset); child !== null; child = child.nextSibling) {
    if (child instanceof HTMLLegendElement) return !child.contains(element);
  }
  return true;
}
