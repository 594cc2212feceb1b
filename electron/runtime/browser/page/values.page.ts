/** Values and states of controls. Passwords and one-time codes are recognised here. */

import { attributeOf, hasAttribute, localNameOf, parentAcrossShadow } from "./dom.page.ts";
import { isNativelyDisabled } from "./roles.page.ts";

const roleSet = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const checkedRoles = roleSet("checkbox menuitemcheckbox option radio switch menuitemradio treeitem");
const disabledRoles = roleSet(
  "application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader " +
    "combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader " +
    "searchbox select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem",
);
const expandedRoles = roleSet(
  "application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader " +
    "menuitemcheckbox menuitemradio switch",
);
const invalidRoles = roleSet(
  "application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton " +
    "switch textbox tree",
);
const levelRoles = roleSet("heading listitem row treeitem");
const selectedRoles = roleSet("gridcell option row tab rowheader columnheader treeitem");
const secretHints =
  /pass(word|code|wd)|\b(otp|totp|mfa|2fa|pin|cvv|cvc)\b|one.?time|security.?code|verification.?code/i;

export interface States {
  checked?: true | "mixed";
  disabled?: true;
  expanded?: true;
  invalid?: true | "grammar" | "spelling";
  level?: number;
  pressed?: true | "mixed";
  selected?: true;
}

/** States of an element with this role, only those that are set. */
export function statesOf(element: Element, role: string): States {
  const states: States = {};
  const tag = localNameOf(element);
  if (checkedRoles.has(role)) {
    const checked = checkedState(element, tag);
    if (checked !== false) states.checked = checked;
  }
  if (disabledRoles.has(role) && (isNativelyDisabled(element) || isAriaDisabled(element)))
    states.disabled = true;
  if (element instanceof HTMLDetailsElement) {
    if (expandedRoles.has(role) && element.open) states.expanded = true;
  } else if (expandedRoles.has(role) && isTrue(element, "aria-expanded")) states.expanded = true;
  if (invalidRoles.has(role)) {
    const invalid = attributeOf(element, "aria-invalid")?.toLowerCase().trim();
    if (invalid !== undefined && invalid !== "" && invalid !== "false") {
      states.invalid = invalid === "grammar" || invalid === "spelling" ? invalid : true;
    }
  }
  if (levelRoles.has(role)) {
    const level = levelOf(element, tag);
    if (level > 0) states.level = level;
  }
  if (role === "button") {
    const pressed = attributeOf(element, "aria-pressed")?.toLowerCase();
    if (pressed === "true") states.pressed = true;
    else if (pressed === "mixed") states.pressed = "mixed";
  }
  if (selectedRoles.has(role)) {
    const isSelected =
      element instanceof HTMLOptionElement ? element.selected : isTrue(element, "aria-selected");
    if (isSelected) states.selected = true;
  }
  return states;
}

function checkedState(element: Element, tag: string): boolean | "mixed" {
  if (tag === "input" && element instanceof HTMLInputElement) {
    if (element.indeterminate) return "mixed";
    if (element.type === "checkbox" || element.type === "radio") return element.checked;
  }
  const checked = attributeOf(element, "aria-checked")?.toLowerCase();
  return checked === "mixed" ? "mixed" : checked === "true";
}

function levelOf(element: Element, tag: string): number {
  if (/^h[1-6]$/.test(tag)) return Number(tag.slice(1));
  const attribute = attributeOf(element, "aria-level");
  const level = attribute === null ? Number.NaN : Number(attribute);
  return Number.isInteger(level) && level >= 1 ? level : 0;
}

function isTrue(element: Element, attribute: string): boolean {
  return attributeOf(element, attribute)?.toLowerCase() === "true";
}

function isAriaDisabled(element: Element): boolean {
  for (let one: Element | null = element; one !== null; one = parentAcrossShadow(one)) {
    const value = attributeOf(one, "aria-disabled")?.toLowerCase();
    if (value === "true") return true;
    if (value === "false") return false;
  }
  return false;
}

/** Passwords, one-time codes and card checks: fields whose value nobody but the page should read. */
export function isOneTimeCode(element: Element): boolean {
  if (!(element instanceof HTMLInputElement)) return false;
  if (element.type === "password") return true;
  const autocomplete = attributeOf(element, "autocomplete")?.toLowerCase() ?? "";
  if (/one-time-code|current-password|new-password|cc-csc/.test(autocomplete)) return true;
  if (!["text", "tel", "number"].includes(element.type)) return false;
  // A field that was a password a moment ago ("show password"), or looks like a code by its name.
  return [attributeOf(element, "name"), attributeOf(element, "id"), attributeOf(element, "aria-label")].some(
    (hint) => hint !== null && secretHints.test(hint),
  );
}

/** @returns what is typed or chosen, as the role snapshot prints it; null for elements without such a value */
export function controlValue(element: Element, masks: boolean): string | null {
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (!(element instanceof HTMLInputElement)) return null;
  if (element.type === "checkbox" || element.type === "radio" || element.type === "file") return null;
  if (masks && element.value !== "" && isOneTimeCode(element)) return "••••";
  return element.value;
}

export function isEditable(element: Element): boolean {
  return (
    element instanceof HTMLElement && hasAttribute(element, "contenteditable") && element.isContentEditable
  );
}
